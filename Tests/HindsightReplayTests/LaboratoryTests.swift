import HindsightRecorder
import HindsightRecording
import HindsightStore
import HindsightTree
import TestSupport
import Testing

@testable import HindsightReplay

@Suite struct LaboratoryTests {
    private let scratch = Scratch()

    final class Purse: Codable, @unchecked Sendable {
        var coins = 0
    }

    struct Wallet: Codable, Sendable {
        var purse = Purse()
        var spent: [Int] = []
    }

    enum Move: Codable, Sendable {
        case put(Int)
        case spend(Int)
    }

    private func wallet() -> ReplayableApp {
        ReplayableApp(
            "wallet",
            initial: Wallet(),
            reducer: Reducer<Wallet, Move>("wallet") { wallet, move in
                switch move {
                case .put(let coins): wallet.purse.coins += coins
                case .spend(let coins):
                    wallet.purse.coins -= coins
                    wallet.spent.append(coins)
                }
            }
        )
    }

    private static func action(_ random: inout Seeded) -> BankAction {
        switch random.below(3) {
        case 0: .deposit(amount: random.below(50))
        case 1: .withdraw(amount: random.below(50))
        default: .join(name: random.pick(["Zoë", "Adam", "Lin"]))
        }
    }

    @Test func `A list gives the state that the store gives for its actions alone`() throws {
        for var random in Seeded.runs(20) {
            let rules = BankRules()
            let actions = (0..<40).map { _ in Self.action(&random) }
            let recording = try scratch.record(rules.app, actions.map { try NodeEncoder().encode($0) })
            let laboratory = try Laboratory(of: recording, by: rules.app, from: recording.start)
            for _ in 0..<5 {
                let kept = actions.indices.filter { _ in random.once(in: 2) }
                #expect(try laboratory.run(kept.map { LogShrinker.Entry(seq: $0 + 1) }))
                var bank = Bank()
                for index in kept { for leaf in rules.reducer.leaves { leaf.reduce(&bank, actions[index]) } }
                #expect(try laboratory.state() == NodeEncoder().encode(bank), "\(random)")
            }
        }
    }

    @Test func `Without some actions, the state is that of the others alone`() throws {
        let scratch = Scratch()
        let coins = ReplayableApp(
            "coins",
            initial: Wallet(),
            reducer: Reducer<Wallet, BankAction>("coins") { wallet, action in
                guard case .deposit(let amount) = action else { return }
                wallet.purse.coins = wallet.purse.coins * 3 % 1000 + amount
                wallet.spent.append(amount)
            }
        )
        for var random in Seeded.runs(10) {
            let actions = try (0..<90).map { _ in try NodeEncoder().encode(Self.action(&random)) }
            // Values, and a state that holds an instance.
            for app in [BankRules().app, coins] {
                let recording = try scratch.record(app, actions)
                let alone = try Laboratory(of: recording, by: app, from: recording.start)
                let laboratory = try Laboratory(of: recording, by: app, from: recording.start)
                _ = try alone.run(actions.indices.map { LogShrinker.Entry(seq: $0 + 1) })
                #expect(try laboratory.runWhole(Array(1...90)) == alone.state(), "\(random)")
                let first = random.below(60)
                let pairs = (0..<6).map { _ in [first, first + 1 + random.below(29)] }
                let others = (0..<6).map { _ in Set((0..<random.below(4)).map { _ in random.below(90) }).sorted() }
                for left in pairs + others + pairs.sorted(by: { $0[1] < $1[1] }) {
                    let rest = actions.indices.filter { !left.contains($0) }
                    _ = try alone.run(rest.map { LogShrinker.Entry(seq: $0 + 1) })
                    #expect(try laboratory.state(without: left) == alone.state(), "\(left) \(random)")
                }
            }
        }
    }

    struct Purses: Codable, Sendable {
        var left = Purse()
        var right = Purse()
    }

    enum Sharing: Codable, Sendable {
        case share
        case wait
        case put(Int)
    }

    @Test func `An instance that a state has twice is two after each kept state, also in the whole run`() throws {
        let app = ReplayableApp(
            "purses",
            initial: Purses(),
            reducer: Reducer<Purses, Sharing>("purses") { purses, action in
                switch action {
                case .share: purses.right = purses.left
                case .wait: break
                case .put(let coins): purses.left.coins += coins
                }
            }
        )
        let recording = try scratch.record(app, [["share": [:]], ["wait": [:]], ["put": ["_0": 5]]])
        let laboratory = try Laboratory(of: recording, by: app, from: recording.start)
        let whole = try laboratory.runWhole([1, 2, 3])
        #expect(try laboratory.state(without: [1]) == whole)
    }

    @Test func `A recording in an earlier form is refused, with what to do`() throws {
        let recording = try scratch.record(wallet(), [["put": ["_0": 5]]])
        let today = ReplayableApp(
            "wallet",
            initial: Wallet(),
            reducer: Reducer<Wallet, Move>("wallet") { _, _ in },
            schema: 2,
            migrations: [Migration(to: 2) { $0.removeAction("take") }]
        )
        let error = #expect(throws: ReplayError.self) {
            try Laboratory(of: recording, by: today, from: recording.start)
        }
        #expect(error?.code == .earlierForm)
        #expect(error?.description.hasSuffix("Rewrite it first with `migrate --in-place`.") == true)
    }

    @Test func `A run changes no instance of the next run's first state`() throws {
        let recording = try scratch.record(wallet(), [["put": ["_0": 5]], ["spend": ["_0": 2]]])
        let laboratory = try Laboratory(of: recording, by: wallet(), from: recording.start)
        for _ in 0..<3 {
            _ = try laboratory.run([LogShrinker.Entry(seq: 1), LogShrinker.Entry(seq: 2)])
            #expect(try laboratory.state().json == #"{"purse":{"coins":3},"spent":[2]}"#)
            #expect(try laboratory.matches(recording.end) == true)
        }
        _ = try laboratory.run([LogShrinker.Entry(seq: 1)])
        #expect(try laboratory.matches(recording.end) == false)
    }

    @Test func `Other payloads run if a recorder would write them so`() throws {
        let rules = BankRules()
        let recording = try scratch.record(rules.app, [["deposit": ["amount": 7]], ["withdraw": ["amount": 3]]])
        let laboratory = try Laboratory(of: recording, by: rules.app, from: recording.start)
        func runs(_ payload: String) throws -> Bool {
            try laboratory.run([LogShrinker.Entry(seq: 1, payload: payload), LogShrinker.Entry(seq: 2)])
        }
        #expect(try runs(#"{"deposit":{"amount":4}}"#))
        #expect(try laboratory.state()["balance"] == .int(1))
        let wrong = [
            #"{"deposit":{}}"#, #"{"deposit":{"amount":"4"}}"#, "{}", #"{"deposit":{"amount":4,"more":1}}"#, "{",
        ]
        for text in wrong {
            #expect(try !runs(text), "\(text)")
        }
        #expect(try laboratory.payload(of: 2)?.json == #"{"withdraw":{"amount":3}}"#)
    }
}
