import HindsightRecorder
import HindsightRecording
import HindsightTree

/// Reads a recording's actions one after another; or those of a changed log, with their numbers in it.
struct ActionReader {
    typealias Entry = (action: RecordedAction, steps: StepsText?)

    private let recording: Recording
    /// The app, which names the new actions of a changed log.
    private let app: ReplayableApp
    private let withSteps: Bool
    private let log: ChangedLog?
    /// The actions that were read last, in order, without a gap: one, or more for a changed log, which goes back.
    private var last: [Entry] = []
    /// Reads those that follow.
    private var rest: Rest?
    /// The numbers of recorded actions that run although the action that had dispatched them is skipped.
    private(set) var orphans: [Int] = []

    /// The most parents of skipped actions to follow: a recording may have a circle.
    private static let maxParents = 1000

    init(_ recording: Recording, of app: ReplayableApp, withSteps: Bool, running log: ChangedLog?) {
        (self.recording, self.app, self.withSteps, self.log) = (recording, app, withSteps, log)
    }

    /// The action with a number, and the recorded steps of it; none if it was inserted. Cheap if it follows the action
    /// of the last call.
    ///
    /// - Throws: `RecordingError` if there is no such action, or it cannot be read.
    mutating func entry(_ number: Int) throws -> Entry {
        guard let log, number > log.kept, number <= log.lastNumber else { return try recorded(number) }
        let (entry, moment) = log.entry(number)
        guard let seq = entry.seq else {
            let payload = entry.payload ?? .null
            let time = try time(before: number)
            let type = app.typeName(of: payload, inPlaceOf: nil)
            return (RecordedAction(inserted: payload, ofType: type, seq: number, at: time), nil)
        }
        var (action, steps) = try recorded(seq)
        let time = seq == moment ? nil : try time(before: number)
        action = action.renumbered(number, parent: try parent(of: action, log), at: time)
        if let payload = entry.payload {
            action = action.replacing(payload, ofType: app.typeName(of: payload, inPlaceOf: action.type))
        }
        return (action, steps)
    }

    /// The number of the parent in the changed log: that of the first one that is not skipped.
    private mutating func parent(of action: RecordedAction, _ log: ChangedLog) throws -> Int? {
        guard var parent = action.parent else { return nil }
        if log.isSkipped(parent), orphans.last ?? 0 < action.seq { orphans.append(action.seq) }
        for _ in 0..<Self.maxParents {
            guard log.isSkipped(parent) else { return parent > log.last ? parent : log.number(of: parent) }
            guard let next = try recording.action(parent).parent else { return nil }
            parent = next
        }
        return nil
    }

    /// The time of the action before an inserted one, which has no time of its own.
    private mutating func time(before number: Int) throws -> Int64 {
        var number = number - 1
        while let log, number > log.start {
            let (entry, moment) = log.entry(number)
            if let seq = entry.seq, seq == moment { return try recorded(seq).action.nanosecondsSinceEpoch }
            number -= 1
        }
        return recording.createdNanoseconds
    }

    private mutating func recorded(_ seq: Int) throws -> Entry {
        if let first = last.first?.action.seq, last.indices.contains(seq - first) { return last[seq - first] }
        if let entry = try next(seq) { return entry }
        // If the action is missing or damaged, reading it alone throws the error.
        return (try recording.action(seq), withSteps ? try recording.stepsText(of: seq) : nil)
    }

    /// Reads on to an action, or begins with it.
    private mutating func next(_ seq: Int) throws -> Entry? {
        guard seq >= 1, seq <= recording.actionCount else { return nil }
        let follows = last.last.map { $0.action.seq + 1 == seq } ?? false
        let source = follows ? rest : nil
        // After an error, the next call begins anew.
        rest = nil
        let reader = try source ?? Rest(try recording.entries(in: seq...recording.actionCount, withSteps: withSteps))
        guard let entry = try reader.entries.nextUnparsed(), entry.action.seq == seq else { return nil }
        if log == nil, last.count == 1 {
            last[0] = entry
        } else {
            if !follows || last.count >= 64 { last.removeAll(keepingCapacity: true) }
            last.append(entry)
        }
        rest = reader
        return entry
    }

    /// An open iterator, which a structure that is copied cannot hold itself.
    private final class Rest {
        // Reading runs no code of the app.
        var entries: Recording.Entries
        init(_ entries: consuming Recording.Entries) { self.entries = entries }
    }
}
