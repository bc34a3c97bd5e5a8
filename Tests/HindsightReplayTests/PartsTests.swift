import Foundation
import HindsightRecorder
import HindsightRecording
import HindsightStore
import TestSupport
import Testing

@testable import HindsightReplay

/// Verifying a recording in parts, each from a recorded whole state on.
@Suite struct PartsTests {
    struct Tally: Codable, Sendable {
        var values: [Int] = Array(repeating: 0, count: 6)
        var sum = 0
    }

    enum TallyAction: Codable, Sendable {
        case put(value: Int)
    }

    /// - Parameter odd: The value for which the second reducer does something else.
    static func app(odd: Int? = nil) -> ReplayableApp {
        let put = Reducer<Tally, TallyAction>("put") { tally, action in
            guard case .put(let value) = action else { return }
            tally.values[value % 6] = value
        }
        let sum = Reducer<Tally, TallyAction>("sum") { tally, action in
            guard case .put(let value) = action else { return }
            tally.sum = tally.values.reduce(0, +) + (value == odd ? 1 : 0)
        }
        return ReplayableApp("tally", initial: Tally(), reducer: .combine(put, sum))
    }

    private let scratch = Scratch()

    private func record(_ values: [Int]) throws -> Recording {
        let file = scratch.file("\(UUID()).hindsight")
        var options = RecorderOptions()
        options.keyframeFloor = 200
        let session = try Self.app().record(to: file, options: options)
        for (index, value) in values.enumerated() {
            try session.dispatch(["put": ["value": .int(value)]], origin: Origin(file: "session", line: index + 1))
        }
        try session.close()
        return try Recording(at: file)
    }

    /// Verifies the parts in turn. The first that does not match is verified again together with all after it.
    private func verifyParts(
        _ recording: Recording,
        _ app: ReplayableApp,
        _ options: VerificationOptions,
        _ starts: [Int]
    ) throws -> VerificationResult {
        var tally = VerificationTally()
        for (index, start) in starts.enumerated() {
            var part = options
            part.afterDivergence = .stop
            part.start = VerificationStart(after: start)
            if index + 1 < starts.count { part.end = Recording.Position(seq: starts[index + 1]) }
            let result = try app.verify(recording, options: part)
            if !result.matches {
                var rest = options
                rest.start = VerificationStart(after: start, tally: tally)
                return try app.verify(recording, options: rest)
            }
            tally.add(VerificationTally(result))
        }
        var rest = options
        rest.start = VerificationStart(after: min(recording.end, options.end ?? recording.end).seq, tally: tally)
        return try app.verify(recording, options: rest)
    }

    @Test(arguments: Seeded.runs(12))
    func `the results of parts are those of one verification`(run: Seeded) throws {
        var random = run
        let values = (0..<200).map { _ in random.below(40) }
        let recording = try record(values)
        for size in [1, 20, 60] {
            let starts = try recording.verificationStarts(every: size)
            #expect(starts.count > 2 && starts[0] == 0, "\(run): \(starts)")
            for odd in [nil, 7, values[150], 99] {
                let app = Self.app(odd: odd)
                for continuation in [VerificationOptions.Continuation.stop, .isolated, .chained] {
                    let options = VerificationOptions(afterDivergence: continuation)
                    let one = try app.verify(recording, options: options)
                    let parts = try verifyParts(recording, app, options, starts)
                    let place = "\(run), every \(size), odd \(odd ?? -1), \(continuation)"
                    #expect(VerificationTally(parts) == VerificationTally(one), "\(place)")
                    #expect(parts.divergences.map(\.description) == one.divergences.map(\.description), "\(place)")
                    #expect(parts.divergences.map(\.difference) == one.divergences.map(\.difference), "\(place)")
                    #expect(parts.classes.map(\.seqs) == one.classes.map(\.seqs), "\(place)")
                    #expect(parts.agreements == one.agreements, "\(place)")
                    #expect(parts.finalDifference == one.finalDifference, "\(place)")
                    #expect(parts.comparedNothing == one.comparedNothing && parts.unfinished == one.unfinished)
                }
            }
        }
    }

    @Test func `parts are at least as long as asked for`() throws {
        let recording = try record((0..<200).map { $0 % 37 })
        let starts = try recording.verificationStarts(every: 50)
        #expect(zip(starts, starts.dropFirst()).allSatisfy { $1 - $0 >= 50 })
        #expect(200 - (starts.last ?? 0) >= 25)
        #expect(try recording.verificationStarts(every: 1000) == [0])
    }

    @Test func `a recording that hides values has no parts`() throws {
        let file = scratch.file("hidden.hindsight")
        var options = RecorderOptions()
        options.keyframeFloor = 200
        options.redaction = Redaction(states: ["/sum"])
        let session = try Self.app().record(to: file, options: options)
        for index in 1...100 {
            try session.dispatch(["put": ["value": .int(index)]], origin: Origin(file: "session", line: index))
        }
        try session.close()
        #expect(try Recording(at: file).verificationStarts(every: 1) == [0])
    }
}
