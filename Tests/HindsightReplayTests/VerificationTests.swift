import HindsightRecorder
import HindsightRecording
import HindsightTree
import Testing

@testable import HindsightReplay

@Suite("Verification")
struct VerificationTests {
    private let scratch = Scratch()

    private func recorded(_ actions: [Node] = bankSession) throws -> Recording {
        try scratch.record(BankRules().app, actions)
    }

    @Test("The recorded reducers verify")
    func equal() throws {
        let result = try BankRules().app.verify(recorded())
        #expect(result.matches)
        #expect(result.actions == 7)
        #expect(result.steps == 42)
        #expect(result.gaps.isEmpty)
        #expect(result.unfinished == nil)
        #expect(result.initialDifference == nil)
    }

    /// A changed rule, and the expected position of its divergence.
    struct Change: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let rules: BankRules
        let seq: Int
        let reducer: Int
        let name: String
        let path: String
        let expected: Node?
        let actual: Node?
        var cause = Divergence.Cause.other
        var isRepeatable = true
    }

    static let changes: [Change] = {
        let rules = BankRules()
        let coin = Counter()
        return [
            Change(
                testDescription: "overdraft allowed",
                rules: rules.with(\.balance) { bank, action in
                    switch action {
                    case .deposit(let amount): bank.balance += amount
                    case .withdraw(let amount): bank.balance -= amount
                    default: break
                    }
                },
                seq: 4,
                reducer: 1,
                name: "balance",
                path: "/balance",
                expected: 70,
                actual: -230
            ),
            Change(
                testDescription: "another sum order",
                rules: rules.with(\.interest) { bank, _ in
                    bank.interest = (0..<bank.balance).reduce(0.0) { sum, _ in sum + 0.1 }
                },
                seq: 1,
                reducer: 2,
                name: "interest",
                path: "/interest",
                expected: .number("10.0"),
                actual: .number("9.99999999999998"),
                cause: .floatingPoint
            ),
            Change(
                testDescription: "a line left out",
                rules: rules.with(\.statement) { bank, action in
                    if case .deposit(let amount) = action { bank.statement.append("+\(amount)") }
                },
                seq: 3,
                reducer: 3,
                name: "statement",
                path: "/statement/1",
                expected: "-30",
                actual: nil
            ),
            Change(
                testDescription: "a line too many",
                rules: rules.with(\.statement) { bank, action in
                    rules.statement(&bank, action)
                    if case .join = action { bank.statement.insert("joined", at: 0) }
                },
                seq: 2,
                reducer: 3,
                name: "statement",
                path: "/statement/0",
                expected: nil,
                actual: "joined"
            ),
            Change(
                testDescription: "another order",
                rules: rules.with(\.customers) { bank, action in
                    rules.customers(&bank, action)
                    bank.ranking.sort(by: >)
                },
                seq: 5,
                reducer: 4,
                name: "customers",
                path: "/ranking",
                expected: ["Adam", "Zoë"],
                actual: ["Zoë", "Adam"],
                cause: .unordered
            ),
            Change(
                testDescription: "other scalars of an equal string",
                rules: rules.with(\.customers) { bank, action in
                    rules.customers(&bank, action)
                    bank.ranking = bank.ranking.map { $0 == "Zoë" ? "Zoe\u{308}" : $0 }
                },
                seq: 2,
                reducer: 4,
                name: "customers",
                path: "/ranking/0",
                expected: "Zoë",
                actual: "Zoe\u{308}"
            ),
            Change(
                testDescription: "an optional never set",
                rules: rules.with(\.receipt) { _, _ in },
                seq: 1,
                reducer: 5,
                name: "receipt",
                path: "/receipt",
                expected: "receipt 0 for 100",
                actual: nil
            ),
            Change(
                testDescription: "something else each time",
                rules: rules.with(\.audit) { bank, action in
                    rules.audit(&bank, action)
                    if bank.audit.count == 6 { bank.audit.largest = -coin.increment() }
                },
                seq: 6,
                reducer: 6,
                name: "audit",
                path: "/audit/largest",
                expected: 100,
                actual: nil,
                cause: .random,
                isRepeatable: false
            ),
        ]
    }()

    @Test("A changed rule is reported with its first action, reducer and path", arguments: changes)
    func changedRule(change: Change) throws {
        let result = try change.rules.app.verify(recorded())
        let divergence = try #require(result.divergence)
        #expect(!result.matches)
        #expect(result.actions == change.seq)
        #expect(divergence.seq == change.seq)
        #expect(divergence.action?.payload == bankSession[change.seq - 1])
        #expect(divergence.reducer == change.reducer)
        #expect(divergence.reducerName == change.name)
        #expect(divergence.position == Recording.Position(seq: change.seq, reducer: change.reducer))
        #expect("\(divergence.path)" == change.path)
        #expect(divergence.expected == change.expected)
        if change.isRepeatable { #expect(divergence.actual == change.actual) }
        #expect(divergence.inputWasRecorded)
        #expect(divergence.isRepeatable == change.isRepeatable)
        #expect(divergence.cause == change.cause)
        #expect(!divergence.difference.isEmpty)
    }

    @Test("Nothing runs after the first divergence")
    func stops() throws {
        let recording = try recorded()
        let rules = BankRules()
        let verification = try Verification(
            of: recording,
            by: rules.with(\.statement) { bank, action in
                if case .join = action { bank.statement = ["?"] } else { rules.statement(&bank, action) }
            }.app
        )
        #expect(try verification.next()?.steps?.count == 6)
        #expect(try verification.next()?.steps?.map(\.name) == ["balance", "interest", "statement"])
        #expect(try verification.next() == nil)
        #expect(
            "\(try #require(verification.result.divergence))"
                == "action 2 (join), reducer 3 (statement): /statement/0 differs"
        )
    }

    @Test("Progress is reported for each action, and its error ends the verification")
    func progress() throws {
        struct Enough: Error {}
        var seen: [Int] = []
        #expect(throws: Enough.self) {
            try BankRules().app.verify(recorded()) { seq in
                seen.append(seq)
                if seq == 3 { throw Enough() }
            }
        }
        #expect(seen == [1, 2, 3])
    }

    @Test("A different initial state is not reported as a divergence of a reducer")
    func initialState() throws {
        let richer = ReplayableApp("bank", initial: Bank(balance: 7), reducer: BankRules().reducer)
        let result = try richer.verify(recorded())
        #expect(result.matches)
        #expect(
            result.initialDifference?.operations == [.replace(path: NodePath(["balance"]), old: 0, new: 7)]
        )
    }

    @Test("A recording without actions has no differences")
    func noActions() throws {
        let result = try BankRules().app.verify(recorded([]))
        #expect(result.matches)
        #expect(result.actions == 0)
    }
}
