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
        #expect(try !BankRules().app.verify(#require(scratch).record(BankRules().app, [])).comparedNothing)
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
    }

    @Test func `a verification that stops at a divergence lists the patterns that were not used so far`() throws {
        let changed = BankRules().with(\.balance) { bank, _ in bank.balance = -1 }
        let recording = try #require(scratch).record(BankRules().app)
        let result = try changed.app.verify(recording, options: VerificationOptions(ignoredPaths: ["/blance"]))
        #expect(!result.matches && result.unusedPatterns == ["/blance"])
    }
}
