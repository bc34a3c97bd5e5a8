import HindsightRecorder
import HindsightRecording
import HindsightStore
import HindsightTree
import Testing

@testable import HindsightReplay

/// Verifications that say that they compared nothing, instead of that the recording matches.
@Suite struct NothingComparedTests {
    private let scratch = try? Scratch()

    private func result(_ options: VerificationOptions) throws -> VerificationResult {
        try BankRules().app.verify(#require(scratch).record(BankRules().app), options: options)
    }

    @Test(arguments: [["/**"], ["/*"], ["/balance", "/*"], [""]])
    func `ignored paths that cover the whole state leave nothing to compare`(paths: [String]) throws {
        let result = try result(VerificationOptions(ignoredPaths: paths))
        #expect(result.matches && result.comparedNothing, "\(paths)")
        #expect(result.emptiness == "the ignored paths cover the whole state")
    }

    @Test(arguments: [["/balance"], ["/statement/**", "/*/count"], []])
    func `other ignored paths leave something`(paths: [String]) throws {
        #expect(try !result(VerificationOptions(ignoredPaths: paths)).comparedNothing)
    }

    @Test func `an end before the first action leaves nothing to compare`() throws {
        let result = try result(VerificationOptions(end: Recording.Position(seq: 0)))
        #expect(result.comparedNothing && result.emptiness == "it ends before the first action")
        #expect(try !self.result(VerificationOptions(end: Recording.Position(seq: 1))).comparedNothing)
    }

    @Test(arguments: [nil, 0, 3])
    func `a recording without actions leaves nothing to compare`(end: Int?) throws {
        let recording = try #require(scratch).record(BankRules().app, [])
        let options = VerificationOptions(end: end.map { Recording.Position(seq: $0) })
        let result = try BankRules().app.verify(recording, options: options)
        #expect(result.matches && result.comparedNothing && result.emptiness == "the recording has no actions")
    }

    private struct Meter: Codable, Sendable {
        var count = 0
        var unit = "kWh"
    }

    private static func meter(unit: String? = nil) -> ReplayableApp {
        ReplayableApp(
            "meter",
            initial: Meter(),
            reducer: Reducer<Meter, Int>("count") { meter, amount in
                meter.count += amount
                if let unit { meter.unit = unit }
            }
        )
    }

    private func redacted(_ paths: [String]) throws -> Recording {
        let file = try #require(scratch).url.appending(path: "meter.hindsight")
        var options = RecorderOptions()
        options.redaction = Redaction(states: paths.map { RedactedPath(stringLiteral: $0) })
        let session = try Self.meter().record(to: file, options: options)
        for amount in 1...3 { try session.dispatch(.int(amount), origin: Origin(file: "session", line: amount)) }
        try session.close()
        return try Recording(at: file)
    }

    private static let redactions: [(paths: [String], ignored: [String], isEmpty: Bool, hidesFinalState: Bool)] = [
        (["/count"], [], true, false), (["/count", "/unit"], [], true, true), (["/**"], [], true, true),
        (["/unit"], [], false, false), (["/nowhere"], [], false, false), (["/nowhere"], ["/count"], true, false),
    ]

    @Test(arguments: redactions.indices)
    func `redaction of all changed places leaves nothing to compare`(index: Int) throws {
        let (paths, ignored, isEmpty, hidesFinalState) = Self.redactions[index]
        let recording = try redacted(paths)
        let result = try Self.meter().verify(recording, options: VerificationOptions(ignoredPaths: ignored))
        #expect(result.matches && result.comparedNothing == isEmpty, "\(paths)")
        let kind = ignored.isEmpty ? "redacted" : "redacted and ignored"
        let clause = "the recording has no changes outside the \(kind) paths"
        #expect(result.emptiness == (isEmpty ? clause : nil), "\(paths)")
        let options = VerificationOptions(ignoredPaths: ignored, finalStateOnly: true)
        #expect(try Self.meter().verify(recording, options: options).comparedNothing == hidesFinalState, "\(paths)")
        if !paths.contains("/unit"), !paths.contains("/**") {
            let other = try Self.meter(unit: "J").verify(recording)
            #expect(!other.matches && !other.comparedNothing, "\(paths)")
        }
    }

    struct Count: Codable, Sendable { var value = 0 }
    enum OldAction: Codable, Sendable { case look }
    enum NewAction: Codable, Sendable { case glance }

    @Test(arguments: [false, true])
    func `migrations that remove all actions leave nothing to compare`(finalStateOnly: Bool) throws {
        let old = ReplayableApp("count", initial: Count(), reducer: Reducer<Count, OldAction>("value") { _, _ in })
        let new = ReplayableApp(
            "count",
            initial: Count(),
            reducer: Reducer<Count, NewAction>("value") { _, _ in },
            schema: 2,
            migrations: [Migration(to: 2) { $0.removeAction("look") }]
        )
        let recording = try #require(scratch).record(old, [["look": [:]], ["look": [:]]])
        let result = try new.verify(recording, options: VerificationOptions(finalStateOnly: finalStateOnly))
        #expect(result.comparedNothing && result.emptiness == "the migrations remove all actions")
        // As well if they changed the state.
        let counting = ReplayableApp(
            "count",
            initial: Count(),
            reducer: Reducer<Count, OldAction>("value") { count, _ in count.value += 1 }
        )
        let changing = try #require(scratch).record(counting, [["look": [:]]])
        let removed = try new.verify(changing, options: VerificationOptions(finalStateOnly: finalStateOnly))
        #expect(removed.removed == [1] && removed.comparedNothing)
        #expect(removed.emptiness == "the migrations remove all actions")
    }

    @Test func `a verification that stops at a divergence lists the patterns that were not used so far`() throws {
        let changed = BankRules().with(\.balance) { bank, _ in bank.balance = -1 }
        let recording = try #require(scratch).record(BankRules().app)
        let result = try changed.app.verify(recording, options: VerificationOptions(ignoredPaths: ["/blance"]))
        #expect(!result.matches && result.unusedPatterns == ["/blance"])
    }
}
