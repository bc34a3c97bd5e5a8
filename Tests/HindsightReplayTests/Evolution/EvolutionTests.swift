import Foundation
import HindsightRecorder
import HindsightRecording
import HindsightStore
import HindsightTree
import TestSupport
import Testing

@testable import HindsightReplay

/// Replays of recordings whose types have changed since.
@Suite struct EvolutionTests {
    private let scratch = Scratch()

    private func recorded() throws -> Recording { try scratch.record(oldShop, shopSession) }

    @Test func `a recording has the schema of the app`() throws {
        #expect(try recorded().app == AppInfo(name: "shop"))
        #expect(newShop().info == AppInfo(name: "shop", schema: 2))
        #expect(newShop([], schema: 7).schema == 7)
        #expect(try scratch.record(newShop(), [], as: "new").app.schema == 2)
    }

    @Test func `a replay runs the migrated actions on the migrated states`() throws {
        let recording = try recorded()
        let replayer = try Replayer(of: recording, by: newShop())
        #expect(!replayer.form.isCurrent)
        #expect(replayer.form.unshared == [])
        #expect(try replayer.state() == ["user": ["name": "Zoë"], "totals": ["count": 0], "items": []])
        var steps: [[Int]] = []
        while let action = try replayer.next() {
            steps.append(try #require(action.steps).map(\.reducer))
            let expected = try replayer.recordedState(at: Recording.Position(seq: action.recorded.seq))
            #expect(try replayer.state().isEquivalent(to: expected), "after action \(action.recorded.seq)")
        }
        #expect(
            steps == [[1, 2], [], [1, 2, 1, 2], [1, 2]],
            "a removed action runs nothing, and each part all reducers"
        )
        #expect(
            try replayer.state()["items"] == [
                ["id": 1, "done": false], ["id": 2, "done": false], ["id": 3, "done": false],
            ]
        )
        #expect(try replayer.state()["user"] == ["name": "Ann"])
    }

    /// Across a migration, an action's changes are compared. The oracle compares whole states.
    @Test func `across migrations, exactly those actions diverge whose whole states differ`() throws {
        let seed = UInt64.random(in: 0 ... .max)
        print("diverging actions across migrations: seed \(seed)")
        var random = Seeded(seed: seed)
        for round in 0..<20 {
            let session = (0..<Int.random(in: 1...40, using: &random)).map { _ -> Node in
                let (id, other) = (Int.random(in: 0...9, using: &random), Int.random(in: 0...9, using: &random))
                switch Int.random(in: 0...5, using: &random) {
                case 0: return ["rename": ["nmae": .string("name \(id)")]]
                case 1: return ["addTwo": ["first": .int(id), "second": .int(other)]]
                case 2: return ["ping": [:]]
                default: return ["addItem": ["_0": .int(id)]]
                }
            }
            let recording = try scratch.record(oldShop, session, as: "round-\(round)")
            let wrong = Int.random(in: 0...9, using: &random)
            let app = newShop { $0.items.contains { $0.id == wrong } ? 1 : 0 }
            var expected: [Int] = []
            for seq in 1...session.count {
                let replayer = try Replayer(of: recording, by: app, from: Recording.Position(seq: seq - 1))
                guard let action = try replayer.next(), action.steps?.isEmpty == false else { continue }
                let whole = try replayer.recordedState(at: Recording.Position(seq: seq))
                if try !replayer.state().isEquivalent(to: whole) { expected.append(seq) }
            }
            let result = try app.verify(recording, options: VerificationOptions(afterDivergence: .isolated))
            #expect(result.divergences.map(\.seq) == expected, "round \(round), seed \(seed)")
        }
    }

    @Test func `moving without changes gives the same states as stepping`() throws {
        let recording = try recorded()
        for seq in 0...4 {
            let replayer = try Replayer(of: recording, by: newShop())
            try replayer.move(to: Recording.Position(seq: seq))
            #expect(replayer.position == Recording.Position(seq: seq))
            let expected = try replayer.recordedState(at: replayer.position)
            #expect(try replayer.state().isEquivalent(to: expected), "at \(seq)")
        }
    }

    @Test func `a split or removed action has no positions inside`() throws {
        let recording = try recorded()
        let replayer = try Replayer(of: recording, by: newShop())
        try replayer.move(to: Recording.Position(seq: 1, reducer: 1))
        #expect(try replayer.state()["totals"] == ["count": 0])
        for seq in [2, 3] {
            let error = #expect(throws: ReplayError.self) {
                try replayer.move(to: Recording.Position(seq: seq, reducer: 1))
            }
            #expect(error?.code == .splitAction)
            #expect(error?.seq == seq)
        }
    }

    @Test(arguments: [
        ([shopMigration, shopMigration], 2, "there are two migrations to schema 2"),
        ([shopMigration], 3, "it is of schema 1, this build's is 3, and there is no migration to 3"),
        ([shopMigration], 1, "the app's schema is 1, but it has a migration to schema 2"),
    ]) func `migrations that do not lead to the app's schema are an error`(
        migrations: [Migration],
        schema: Int,
        message: String
    ) throws {
        let recording = try recorded()
        let app = newShop(migrations, schema: schema)
        let error = try #require(#expect(throws: ReplayError.self) { _ = try Replayer(of: recording, by: app) })
        #expect(error.code == .badMigrations)
        #expect("\(error)".contains(message), "\(error)")
    }

    @Test func `a recording of a newer schema is refused by name`() throws {
        let recording = try scratch.record(newShop(), [])
        let app = newShop([], schema: 1)
        let error = try #require(#expect(throws: ReplayError.self) { _ = try Replayer(of: recording, by: app) })
        #expect("\(error)".contains("it was made by a newer version of the app: its schema is 2"), "\(error)")
    }

    @Test func `a migration that fails names the action`() throws {
        let recording = try recorded()
        let app = newShop([failingMigration])
        let replayer = try Replayer(of: recording, by: app)
        _ = try replayer.next()
        _ = try replayer.next()
        let error = try #require(#expect(throws: ReplayError.self) { try replayer.next() })
        #expect(error.code == .failedMigration)
        #expect((error.cause as? MigrationError)?.seq == 3)
        let words =
            "at position 3 does not migrate: the migration to schema 2 failed in splitAction(\"addTwo\"): no halves"
        #expect("\(error)".contains(words), "\(error)")
    }

    // MARK: Missing fields

    private struct Wider: Codable, Sendable {
        var user = User()
        var count = 0
        var items: [OldShop.Item] = []
        var theme = "dark"
        var note: String?

        struct User: Codable, Sendable {
            var nmae = "Zoë"
            var age = 7
        }
    }

    private func app<S: Codable & Sendable>(_ initial: S, _ reduce: @escaping @Sendable (inout S) -> Void = { _ in })
        -> ReplayableApp
    {
        ReplayableApp(
            "shop",
            initial: initial,
            reducer: Reducer<S, OldShopAction>.combine(
                Reducer("items") { state, _ in reduce(&state) },
                Reducer("count") { _, _ in }
            )
        )
    }

    @Test func `a missing field gets the initial state's value, at the root and nested`() throws {
        let replayer = try Replayer(of: recorded(), by: app(Wider()))
        #expect(Set(replayer.form.unshared) == ["/theme", "/user/age"])
        #expect(replayer.form.isCurrent)
        let expected: Node = [
            "user": ["nmae": "Zoë", "age": 7], "count": 0, "items": [], "theme": "dark",
        ]
        #expect(try replayer.state() == expected)
        #expect(try replayer.recordedState(at: Recording.Position(seq: 0)).isEquivalent(to: expected))
    }

    private struct Narrow: Codable, Sendable {
        var count = 0
    }

    @Test func `a field that is no longer read is unread`() throws {
        let replayer = try Replayer(of: recorded(), by: app(Narrow()))
        #expect(replayer.form.unshared == ["/user", "/items"])
        #expect(
            try replayer.recordedState(at: Recording.Position(seq: 0))["user"] != nil,
            "recorded patches still apply"
        )
    }

    private struct Renamed: Codable, Sendable {
        var user = NewShop.User()
        var count = 0
        var items: [OldShop.Item] = []
    }

    @Test func `a missing and an unread field in one object look renamed, and the error has the line to add`() throws {
        let recording = try recorded()
        let error = try #require(
            #expect(throws: ReplayError.self) { _ = try Replayer(of: recording, by: app(Renamed())) }
        )
        #expect(error.code == .renamedField)
        #expect(error.path == NodePath(["user", "nmae"]))
        #expect(error.missingPath == NodePath(["user", "name"]))
        #expect(error.migration == #"Migration(to: 2) { $0.renameField("/user/nmae", to: "name") }"#)
        #expect("\(error)".contains(#"If so, add Migration(to: 2) { $0.renameField("/user/nmae", to: "name") }"#))
    }

    private struct WithItems: Codable, Sendable {
        var items = [NewShop.Item(id: 0, done: true)]
    }

    @Test
    func `a field that is missing in an element needs a migration, even if the initial state has such an element`()
        throws
    {
        let recording = try recorded()
        let start = Recording.Position(seq: 1)
        let error = try #require(
            #expect(throws: ReplayError.self) { _ = try Replayer(of: recording, by: app(WithItems()), from: start) }
        )
        #expect(error.code == .undecodableState)
        #expect(error.path == NodePath(["items", "0", "done"]))
        #expect(error.migration == #"Migration(to: 2) { $0.addField("/items/*/done", default: …) }"#)
    }

    private struct Converting: Codable, Sendable {
        var name = "Zoë"
        var count = 0
        var items: [OldShop.Item] = []

        init() {}

        enum CodingKeys: CodingKey { case name, count, items, user }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            let user = try container.decodeIfPresent(OldShop.User.self, forKey: .user)
            name = try user?.nmae ?? container.decode(String.self, forKey: .name)
            count = try container.decode(Int.self, forKey: .count)
            items = try container.decode([OldShop.Item].self, forKey: .items)
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(name, forKey: .name)
            try container.encode(count, forKey: .count)
            try container.encode(items, forKey: .items)
        }
    }

    @Test func `an init(from:) that reads the old form keeps working`() throws {
        let replayer = try Replayer(of: recorded(), by: app(Converting()))
        #expect(!replayer.form.isCurrent, "whole states are compared, after they were read")
        let end = try replayer.recordedState(at: Recording.Position(seq: 4))
        #expect(end["name"] == "Ann")
        #expect(end["user"] == nil)
        #expect(try replayer.recordedState(at: replayer.start) == replayer.state())
    }

    // MARK: Who wrote a place

    private struct Sums: Codable, Sendable { var count = 0, sum = 0, last = 0 }
    private enum Sum: Codable, Sendable { case add(Int) }
    private typealias Rule = Reducer<Sums, Sum>

    private static let count = Rule("count") { sums, _ in sums.count += 1 }
    private static let sum = Rule("sum") { sums, action in if case .add(let value) = action { sums.sum += value } }
    private static let last = Rule("last") { sums, _ in sums.last = sums.sum }

    private func sums(_ rules: [Rule], _ migrations: [Migration] = []) -> ReplayableApp {
        ReplayableApp("sums", initial: Sums(), reducer: .combine(rules), migrations: migrations)
    }

    @Test func `with a migration or other reducers, a divergence names the reducers that wrote the place`() throws {
        let recording = try scratch.record(sums([Self.count, Self.sum, Self.last]), [["add": ["_0": 3]]])
        let wrong = Rule("total") { sums, _ in sums.sum += 1 }
        let apps = [
            sums([Self.count, wrong, Self.last], [Migration(to: 2) { _ in }]),
            sums([Self.count, wrong, Self.last]),
        ]
        for app in apps {
            let divergence = try #require(try app.verify(recording).divergence)
            #expect(divergence.path == NodePath(["sum"]) && divergence.reducer == nil)
            #expect(divergence.writers == Divergence.Writers(recorded: "sum", today: "total"))
            #expect(divergence.cause == .other)
        }
        let idle = try #require(try sums([Self.count, Self.last]).verify(recording).divergence)
        #expect(idle.writers == Divergence.Writers(recorded: "sum", today: nil))
    }

    @Test func `another order of the reducers is named as the likely cause`() throws {
        let recording = try scratch.record(sums([Self.count, Self.sum, Self.last]), [["add": ["_0": 3]]])
        let divergence = try #require(try sums([Self.last, Self.count, Self.sum]).verify(recording).divergence)
        #expect(divergence.path == NodePath(["last"]) && divergence.cause == .order)
        #expect(divergence.explanation?.contains("another order") == true)
    }

    @Test func `Two values differ by a field of either, or by a value, but not by a null`() {
        func isSame(_ recorded: Node, _ today: Node) -> Bool { FieldComparison(recorded, today).isEmpty }
        #expect(isSame(["a": 1, "b": [1, 2]], ["a": 1, "b": [1, 2]]))
        #expect(isSame(["a": 1, "b": .null], ["a": 1]) && isSame(["a": 1], ["a": 1, "b": .null]))
        #expect(!isSame(["a": 1, "b": 2], ["a": 1]) && !isSame(["a": 1], ["a": 1, "b": 2]))
        #expect(!isSame(["a": 1], ["a": 2]) && !isSame(["a": [1]], ["a": [1, 2]]))
    }
}
