import HindsightRecorder
import HindsightRecording
import HindsightStore
import HindsightTree
import Testing

@testable import HindsightReplay

/// Verifications that go on after a divergence: a fixed bug that shows in 3 of 20 actions.
@Suite struct ContinuationTests {
    struct Shelf: Codable, Sendable {
        var values: [String: Int] = [:]
        var total = 0
        var ratio = 0.0
    }

    enum ShelfAction: Codable, Sendable {
        case set(name: String, value: Int)
    }

    static func app(fixed: Bool = false, ratio: Double = 0.5) -> ReplayableApp {
        ReplayableApp(
            "shelf",
            initial: Shelf(),
            reducer: Reducer<Shelf, ShelfAction>.combine(
                Reducer("values") { shelf, action in
                    guard case .set(let name, let value) = action else { return }
                    shelf.values[name] = fixed ? max(0, value) : value
                },
                Reducer("totals") { shelf, _ in
                    shelf.total = shelf.values.values.reduce(0, +)
                    shelf.ratio = Double(shelf.total) * ratio
                }
            )
        )
    }

    /// Sets four values in turn. Those of actions 5, 9 and 14 are negative.
    static let session: [Node] = (1...20).map { index in
        let value = [5, 9, 14].contains(index) ? -index : index
        return ["set": ["name": .string("item-\(index % 4)"), "value": .int(value)]]
    }

    private let scratch = Scratch()

    private func result(_ app: ReplayableApp, _ options: VerificationOptions) throws -> VerificationResult {
        try app.verify(scratch.record(Self.app(), Self.session), options: options)
    }

    @Test func `By default, the first divergence ends the verification`() throws {
        let result = try result(Self.app(fixed: true), VerificationOptions())
        #expect(result.actions == 5 && result.divergences.map(\.seq) == [5])
        #expect(result.finalDifference == nil && result.agreements.isEmpty)
    }

    @Test(arguments: VerificationOptions.Level.allCases)
    func `Isolated, each affected action diverges, and no other`(level: VerificationOptions.Level) throws {
        let options = VerificationOptions(level: level, afterDivergence: .isolated)
        let result = try result(Self.app(fixed: true), options)
        #expect(result.actions == 20)
        #expect(result.divergences.map(\.seq) == [5, 9, 14])
        #expect(result.divergenceCount == 3 && result.divergedActions == 3)
        #expect(result.divergences.allSatisfy { $0.inputWasRecorded && $0.reducerName == "values" })
        #expect(result.divergences.map { "\($0.path)" } == ["/values/item-1", "/values/item-1", "/values/item-2"])
        #expect(result.divergences.map(\.expected) == [-5, -9, -14])
        #expect(result.divergences.map(\.actual) == [0, 0, 0])
        let one = try #require(result.classes.first)
        #expect(result.classes.count == 1)
        #expect(one.actionType == "set" && one.reducerName == "values" && one.cause == .other)
        #expect("\(one.path)" == "/values/*")
        #expect(one.count == 3 && one.seqs == [5, 9, 14] && one.example.seq == 5)
        #expect(result.finalDifference == nil)
    }

    @Test(arguments: VerificationOptions.Level.allCases)
    func `Chained, an action diverges if a place differs that did not differ before`(
        level: VerificationOptions.Level
    ) throws {
        let options = VerificationOptions(level: level, afterDivergence: .chained)
        let result = try result(Self.app(fixed: true), options)
        #expect(result.actions == 20)
        // Action 9 sets the value that differs already; 13 and 18 set both values again.
        #expect(result.divergences.map(\.seq) == [5, 14])
        #expect(result.agreements == [13, 18])
        #expect(result.finalDifference == nil)
    }

    @Test func `Chained, the result has what differs at the end`() throws {
        let end = Recording.Position(seq: 10)
        let options = VerificationOptions(afterDivergence: .chained, end: end)
        let result = try result(Self.app(fixed: true), options)
        #expect(result.actions == 10 && result.agreements.isEmpty)
        #expect(
            result.finalDifference?.operations == [
                .replace(path: NodePath(["values", "item-1"]), old: -9, new: 0),
                .replace(path: NodePath(["total"]), old: 16, new: 25),
                .replace(path: NodePath(["ratio"]), old: .number("8.0"), new: .number("12.5")),
            ]
        )
    }

    @Test func `Only actions up to the end are compared`() throws {
        for (end, matches) in [(4, true), (5, false)] {
            let options = VerificationOptions(end: Recording.Position(seq: end))
            #expect(try result(Self.app(fixed: true), options).matches == matches)
        }
        let within = VerificationOptions(end: Recording.Position(seq: 5, reducer: 1))
        #expect(try result(Self.app(fixed: true), within).actions == 4)
    }

    @Test func `Only the state at the end is compared`() throws {
        let options = VerificationOptions(finalStateOnly: true)
        let fine = try result(Self.app(fixed: true), options)
        #expect(fine.matches && fine.actions == 20 && fine.steps == 0)
        let upTo6 = VerificationOptions(end: Recording.Position(seq: 6), finalStateOnly: true)
        let divergence = try #require(try result(Self.app(fixed: true), upTo6).divergence)
        #expect(divergence.scope == .end && divergence.seq == 6 && divergence.reducer == nil)
        #expect(divergence.description == "at the end, after action 6 (set), /values/item-1 differs")
    }

    @Test func `Ignored paths are in no difference`() throws {
        let options = VerificationOptions(ignoredPaths: ["/values/*", "/tota", "/ratio"])
        let result = try result(Self.app(fixed: true), options)
        let divergence = try #require(result.divergence)
        #expect("\(divergence.path)" == "/total" && divergence.reducerName == "totals")
        #expect(divergence.difference.operations.map { "\($0.path)" } == ["/total"])
        let all = VerificationOptions(ignoredPaths: ["/values/*", "/total", "/tota", "/ratio"])
        let fine = try self.result(Self.app(fixed: true), all)
        #expect(fine.matches && fine.unusedPatterns == ["/tota"])
    }

    @Test func `Tolerated numbers do not differ`() throws {
        let app = Self.app(ratio: 0.5001)
        func matches(_ tolerance: Tolerance) throws -> Bool {
            try result(app, VerificationOptions(tolerances: [tolerance])).matches
        }
        #expect(try matches(Tolerance("/ratio", relative: 0.001)))
        #expect(try !matches(Tolerance("/ratio", relative: 0.0001)))
        #expect(try matches(Tolerance("/**", absolute: 0.1)))
        #expect(try !matches(Tolerance("/total", absolute: 0.1)))
    }

    @Test func `A path that is no pattern is an error that quotes it`() throws {
        let error = #expect(throws: ReplayError.self) {
            try result(Self.app(), VerificationOptions(ignoredPaths: ["total"]))
        }
        #expect(error?.code == .badPattern && error?.description.contains(#""total" is not a pattern"#) == true)
    }

    /// Adds a divergence of the initial state at a path.
    private func add(_ path: NodePath, to result: inout VerificationResult) {
        let divergence = Divergence(
            scope: .initialState,
            action: nil,
            reducer: nil,
            reducerName: nil,
            path: path,
            expected: 1,
            actual: 2,
            difference: Patch(),
            inputWasRecorded: true,
            isRepeatable: true,
            actions: nil,
            cause: .other,
            redacted: []
        )
        let key = DivergenceClasses.Key(
            actionType: nil,
            reducerName: nil,
            path: path.generalized,
            apparent: .other
        )
        result.add(divergence, under: key)
    }

    @Test func `After a thousand classes, those that come share one, and the first ones are counted on`() {
        var result = VerificationResult()
        for index in (0..<1002).map({ $0 == 1001 ? 0 : $0 }) { add(NodePath(["field\(index)"]), to: &result) }
        #expect(result.classes.count == 1001)
        #expect(result.classes.first { "\($0.path)" == "/field0" }?.count == 2)
        #expect(result.classes.first { "\($0.path)" == "/**" }?.count == 1)
    }

    @Test func `Four or more classes that differ in one name are one`() throws {
        let names = ["apple", "pear", "plum", "fig", "date"]
        var result = VerificationResult()
        for (index, name) in (names + ["apple"]).enumerated() {
            add(NodePath(["values", name]), to: &result)
            #expect(result.classes.count == [1, 2, 3, 1, 1, 1][index])
        }
        #expect(result.classes.map { "\($0.path)" } == ["/values/*"])
        #expect(result.classes.map(\.count) == [6])
        #expect("\(NodePath(["list", "12", "a b", "x1", "é"]).generalized)" == "/list/*/*/x1/é")
    }
}
