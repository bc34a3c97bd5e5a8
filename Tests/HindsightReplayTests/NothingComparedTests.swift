import HindsightRecorder
import HindsightRecording
import HindsightSQLite
import HindsightStore
import Testing

@testable import HindsightReplay

/// Verifications that say that they compared nothing, instead of that the recording matches.
@Suite struct NothingComparedTests {
    private let scratch = Scratch()

    private func result(_ options: VerificationOptions) throws -> VerificationResult {
        try BankRules().app.verify(scratch.record(BankRules().app), options: options)
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

    private static let gap = "UPDATE action SET payload = NULL, problem = 'lost' WHERE seq = "
    private static let finals: [(sql: String, end: Int?, actions: Int, uncompared: ClosedRange<Int>?)] = [
        (gap + "6", nil, 1, nil), (gap + "6", 6, 0, nil), (gap + "7", nil, 0, nil), (gap + "7", 6, 6, nil),
        (run("skipped"), nil, 7, nil), (run("skipped"), 4, 0, 3...4), (run("skipped"), 5, 5, nil),
        (run("doubtful", path: "'/balance'"), nil, 7, nil), (run("doubtful", path: "'/balance'"), 3, 0, 3...3),
        (run("doubtful", path: "'/balance'"), 5, 5, nil),
    ]

    /// The actions 3 to 5 lose their exact states.
    private static func run(_ kind: String, path: String = "NULL") -> String {
        let steps = kind == "skipped" ? "UPDATE action SET steps = NULL WHERE seq BETWEEN 3 AND 5;" : ""
        return "INSERT INTO run(kind, first, last, path) VALUES ('\(kind)', 3, 5, \(path)); \(steps)"
    }

    @Test(arguments: finals.indices)
    func `of the state at the end, only actions that led to it are compared, with an exact state`(index: Int) throws {
        let (sql, end, actions, uncompared) = Self.finals[index]
        let recording = try scratch.record(BankRules().app)
        let state = try recording.state(at: Recording.Position(seq: 5)).json
        do {
            let connection = try Connection(recording.url.path, .readWrite)
            let keyframe = try connection.prepare("INSERT OR REPLACE INTO keyframe(seq, state) VALUES (5, ?)")
            try keyframe.bind(state, at: 1)
            try keyframe.run()
            try connection.execute(sql)
        }
        let options = VerificationOptions(end: end.map { Recording.Position(seq: $0) }, finalStateOnly: true)
        let result = try BankRules().app.verify(Recording(at: recording.url), options: options)
        #expect(result.matches && result.comparedNothing == (actions == 0), "\(sql)")
        #expect(result.actions == actions && result.uncompared == uncompared, "\(sql)")
        #expect(result.emptiness == (actions == 0 && uncompared == nil ? "the last action was not run" : nil), "\(sql)")
    }

    @Test func `an end before the first action leaves nothing to compare`() throws {
        let result = try result(VerificationOptions(end: Recording.Position(seq: 0)))
        #expect(result.comparedNothing && result.emptiness == "it ends before the first action")
        #expect(try !self.result(VerificationOptions(end: Recording.Position(seq: 1))).comparedNothing)
    }

    @Test(arguments: [nil, 0, 3])
    func `a recording without actions leaves nothing to compare`(end: Int?) throws {
        let recording = try scratch.record(BankRules().app, [])
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
        let file = scratch.file("meter.hindsight")
        let options = RecorderOptions(redaction: Redaction(states: paths.map { RedactedPath(stringLiteral: $0) }))
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
        let recording = try scratch.record(old, [["look": [:]], ["look": [:]]])
        let result = try new.verify(recording, options: VerificationOptions(finalStateOnly: finalStateOnly))
        #expect(result.comparedNothing && result.emptiness == "the migrations remove all actions")
        // As well if they changed the state.
        let counting = ReplayableApp(
            "count",
            initial: Count(),
            reducer: Reducer<Count, OldAction>("value") { count, _ in count.value += 1 }
        )
        let changing = try scratch.record(counting, [["look": [:]]])
        let removed = try new.verify(changing, options: VerificationOptions(finalStateOnly: finalStateOnly))
        #expect(removed.removed == [1] && removed.comparedNothing)
        #expect(removed.emptiness == "the migrations remove all actions")
    }

    @Test func `a verification that stops at a divergence lists the patterns that were not used so far`() throws {
        let changed = BankRules().with(\.balance) { bank, _ in bank.balance = -1 }
        let recording = try scratch.record(BankRules().app)
        let result = try changed.app.verify(recording, options: VerificationOptions(ignoredPaths: ["/blance"]))
        #expect(!result.matches && result.unusedPatterns == ["/blance"])
    }
}
