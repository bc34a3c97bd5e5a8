import Foundation
import HindsightRecording
import HindsightSQLite
import Ledger
import Testing

/// The expected recording of the ledger, computed without a store, reducer, encoder or tree.
struct Expected {
    private(set) var payloads: [String] = []
    /// The initial state, and the state after each action.
    private(set) var states: [String] = []

    init(seed: UInt64, count: Int) {
        var (sum, text) = (0, "")
        var entries: [(id: Int, note: String)] = []
        for seq in 0...count {
            if seq > 0 {
                switch LedgerAction.number(seq, seed: seed) {
                case .strike:
                    payloads.append(#"{"strike":{}}"#)
                    _ = entries.popLast()
                case .post(let amount, let note):
                    payloads.append(#"{"post":{"amount":\#(amount),"note":"\#(note)"}}"#)
                    sum &+= amount
                    entries = (entries + [(seq, note)]).suffix(8)
                    text = String((text + note).suffix(200))
                }
            }
            let list = entries.map { #"{"id":\#($0.id),"note":"\#($0.note)"}"# }.joined(separator: ",")
            states.append(#"{"count":\#(seq),"sum":\#(sum),"entries":[\#(list)],"text":"\#(text)"}"#)
        }
    }
}

/// Checks what a process has left.
struct RecordingChecker {
    let file: URL
    let expected: Expected
    /// The circumstances, for failure messages.
    let story: String

    /// Expects that the recording opens and that its contents are right.
    @discardableResult
    func expectSound(_ location: SourceLocation = #_sourceLocation) -> Recording? {
        do {
            let recording = try Recording(at: file)
            expectSound(recording, location)
            return recording
        } catch {
            Issue.record("\(story): \(error)", sourceLocation: location)
            return nil
        }
    }

    /// Expects the contents of a recording to be right: no gap, no wrong state, and the same when replayed.
    func expectSound(_ recording: Recording, _ location: SourceLocation = #_sourceLocation) {
        do {
            try check(recording, location)
        } catch {
            Issue.record("\(story): \(error)", sourceLocation: location)
        }
    }

    private func check(_ recording: Recording, _ location: SourceLocation) throws {
        func expect(_ isTrue: Bool, _ what: @autoclosure () -> String) {
            if !isTrue { Issue.record("\(story): \(what())", sourceLocation: location) }
        }
        let count = recording.actionCount
        try #require(count < expected.states.count, "\(story): \(count) actions")
        expect((count - 1...count).contains(recording.lastFinished), "finished \(recording.lastFinished) of \(count)")
        expect(recording.end.seq <= recording.lastFinished, "a state after an action that never finished")
        let reducers = ["count", "sum", "entries", "text"]
        let isExternal = recording.reducers.first == "reduce"
        expect(recording.reducers == (isExternal ? ["reduce"] : []) + reducers, "reducers \(recording.reducers)")
        var next = 1
        if count > 0 {
            for action in try recording.actions(in: 1...count) {
                expect(action.seq == next, "action \(action.seq) where \(next) should be")
                expect(action.payload?.json == expected.payloads[action.seq - 1], "payload of action \(action.seq)")
                expect((action.duration != nil) == (action.seq <= recording.lastFinished), "duration of \(action.seq)")
                next += 1
            }
        }
        expect(next == count + 1, "\(next - 1) of \(count) actions")
        for seq in 0...recording.end.seq {
            let state = try recording.state(at: Recording.Position(seq: seq)).json
            expect(state == expected.states[seq], "state after action \(seq)")
        }
        let result = try ledgerApp.verify(recording)
        expect(result.matches, "it does not replay: \(String(describing: result.divergence))")
        expect(try recording.summary().actions == count, "its summary counts otherwise")
        let wal = try? FileManager.default.attributesOfItem(atPath: file.path + "-wal")[.size] as? Int
        let isAlone = (wal ?? 0) == 0
        let connection = try Connection(file.path, isAlone ? .readImmutable : .readAbandoned)
        expect(try connection.text("PRAGMA integrity_check") == "ok", "SQLite finds it damaged")
    }
}
