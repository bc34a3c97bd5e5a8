import HindsightRecorder
import HindsightRecording
import HindsightSQLite
import HindsightStore
import HindsightTree
import Testing

@testable import HindsightReplay

@Suite struct FitTests {
    private let scratch = Scratch()

    private func recorded() throws -> Recording { try scratch.record(oldShop, shopSession) }

    private func app<S: Codable & Sendable, A: Codable & Sendable>(
        _ initial: S,
        _ action: A.Type,
        reducers: [String] = ["items", "count"]
    ) -> ReplayableApp {
        ReplayableApp("shop", initial: initial, reducer: .combine(reducers.map { Reducer<S, A>($0) { _, _ in } }))
    }

    @Test func `the app that recorded it fits, and payloads without labels are listed`() throws {
        let fit = try oldShop.fit(of: recorded())
        #expect(fit.verdict == .fits)
        #expect(fit.unlabelled == ["addItem"])
        #expect(fit.problems.isEmpty && fit.defaults.isEmpty && fit.unread.isEmpty && fit.migrations.isEmpty)
        #expect(fit.reducers.removed.isEmpty && fit.reducers.added.isEmpty && !fit.reducers.isReordered)
    }

    @Test func `a recording that migrates fits, and no reducer runs`() throws {
        let calls = Counter()
        let app = ReplayableApp(
            "shop",
            initial: NewShop(),
            reducer: Reducer<NewShop, NewShopAction>("items") { _, _ in calls.increment() },
            migrations: [shopMigration]
        )
        let fit = try app.fit(of: recorded())
        #expect(fit.verdict == .fits)
        #expect(fit.migrations == [2])
        #expect((fit.recordedSchema, fit.schema) == (1, 2))
        #expect(fit.unlabelled == [])
        #expect(fit.reducers.removed == ["count"])
        #expect(calls.count == 0)
    }

    @Test func `every action and field that does not fit is listed once, with the line that may help`() throws {
        let app = self.app(NewShop(), NewShopAction.self)
        let fit = try app.fit(of: recorded())
        #expect(fit.verdict == .doesNotFit)
        let problems = fit.problems.map {
            "\($0.action ?? "state") \($0.path.map { "\($0)" } ?? "-") \($0.migration ?? "-")"
        }
        #expect(problems.contains(#"state /user/name Migration(to: 2) { $0.renameField("/user/nmae", to: "name") }"#))
        #expect(
            problems.contains(
                #"rename /rename/name Migration(to: 2) { $0.renameField("/nmae", to: "name", in: "rename") }"#
            )
        )
        #expect(problems.contains { $0.hasPrefix("addItem - ") && $0.hasSuffix(#"or removeAction("addItem")"#) })
        #expect(problems.contains { $0.hasPrefix("ping - ") })
        #expect(Set(problems).count == problems.count)
        #expect(fit.problems.first { $0.action == "rename" }?.position == Recording.Position(seq: 4))
    }

    private enum Longer: Codable, Sendable {
        case addItem(Int)
        case addTwo(first: Int, second: String)
        case ping(times: Int)
        case rename(nmae: String)
    }

    @Test func `a value of another type and a new label have their own lines`() throws {
        let fit = try app(OldShop(), Longer.self).fit(of: recorded())
        #expect(
            fit.problems.map(\.migration) == [
                #"Migration(to: 2) { $0.addField("/times", default: …, in: "ping") }"#,
                #"Migration(to: 2) { $0.convertField("/second", in: "addTwo") { … } }"#,
            ]
        )
        #expect(fit.problems.map { $0.path.map { "\($0)" } } == ["/ping/times", "/addTwo/second"])
    }

    private struct OldTrack: Codable, Sendable { var title: String; var rating: Int }
    private struct RenamedTrack: Codable, Sendable { var title: String; var score: Int }
    private struct GrownTrack: Codable, Sendable { var title: String; var rating: Int; var seconds: Int }
    private enum Load<Track: Codable & Sendable>: Codable, Sendable {
        case keyed([String: Track])
        case nested(lists: [Int: [Track]])
    }

    @Test func `a line for a field in an action reaches each element and each value of a dictionary`() throws {
        let track: Node = ["title": "a", "rating": 3]
        let recording = try scratch.record(
            app(OldShop(), Load<OldTrack>.self),
            [
                ["keyed": ["_0": ["b": track, "a": track]]],
                ["nested": ["lists": ["7": [track, track], "9": [track]]]],
            ]
        )
        let lines = { (fit: Fit) in
            fit.problems.map { ($0.migration ?? "-").split(separator: " ", maxSplits: 2).last ?? "" }
        }
        #expect(
            lines(try app(OldShop(), Load<RenamedTrack>.self).fit(of: recording)) == [
                #"{ $0.renameField("/_0/*/rating", to: "score", in: "keyed") }"#,
                #"{ $0.renameField("/lists/*/*/rating", to: "score", in: "nested") }"#,
            ]
        )
        #expect(
            lines(try app(OldShop(), Load<GrownTrack>.self).fit(of: recording)) == [
                #"{ $0.addField("/_0/*/seconds", default: …, in: "keyed") }"#,
                #"{ $0.addField("/lists/*/*/seconds", default: …, in: "nested") }"#,
            ]
        )
    }

    private struct Wider: Codable, Sendable {
        var user = OldShop.User()
        var items: [OldShop.Item] = []
        var theme = Theme()

        struct Theme: Codable, Sendable { var isDark = true }
    }

    private struct Nested: Codable, Sendable {
        var user = User()
        var count = 0

        struct User: Codable, Sendable {
            var nmae = ""
            var age = 7
        }
    }

    @Test func `missing fields get defaults, and others are unread`() throws {
        let fit = try app(Nested(), OldShopAction.self, reducers: ["count", "items", "extra"]).fit(of: recorded())
        #expect(fit.verdict == .fitsWithDefaults)
        #expect(fit.defaults == [Fit.Default(path: NodePath(["user", "age"]), value: 7)])
        #expect(fit.unread == [Fit.Field(path: NodePath(["items"]))])
        #expect(fit.reducers.added == ["extra"])
        #expect(fit.reducers.isReordered)
    }

    @Test func `a missing and an unread field in one object do not fit`() throws {
        let fit = try app(Wider(), OldShopAction.self).fit(of: recorded())
        #expect(fit.verdict == .doesNotFit)
        #expect(fit.problems.map(\.migration) == [#"Migration(to: 2) { $0.renameField("/count", to: "theme") }"#])
    }

    private struct Grown: Codable, Sendable {
        var user = OldShop.User()
        var basket: [OldShop.Item] = []
        var city = ""
        var contents = ""
        var pages = 3
        var counter = 0
    }

    @Test func `a field that is not read looks renamed to one missing field only, of its kind and the most similar`()
        throws
    {
        let fit = try app(Grown(), OldShopAction.self).fit(of: recorded())
        #expect(
            fit.problems.map(\.migration) == [
                #"Migration(to: 2) { $0.renameField("/items", to: "basket") }"#,
                #"Migration(to: 2) { $0.renameField("/count", to: "counter") }"#,
            ]
        )
        #expect(
            Set(fit.defaults.compactMap(\.path.components.last)) == ["basket", "city", "contents", "pages", "counter"]
        )
    }

    @Test func `another app and missing migrations are problems of the whole recording`() throws {
        let other = ReplayableApp("bank", initial: OldShop(), reducer: Reducer<OldShop, OldShopAction>("x") { _, _ in })
        #expect(
            try other.fit(of: recorded()).problems.map(\.reason) == [
                "the recording is of the app \"shop\", not of \"bank\""
            ]
        )
        #expect(
            try newShop([shopMigration], schema: 3).fit(of: recorded()).problems.map(\.reason)
                == ["it is of schema 1, this build's is 3, and there is no migration to 3"]
        )
    }

    private enum Relabelled: Codable, Sendable {
        case addItem(Int)
        case addTwo(first: Int, other: Int)
        case ping
        case rename(nmae: String)
    }

    @Test func `a new label in a payload of several values is found, since the payload then decodes`() throws {
        let fit = try app(OldShop(), Relabelled.self).fit(of: recorded())
        let line = #"Migration(to: 2) { $0.renameField("/second", to: "other", in: "addTwo") }"#
        #expect(fit.problems.map(\.migration) == [line])
    }

    private enum Feature: Codable, Sendable {
        case shop(OldShopAction)
    }

    @Test func `actions of which none has a known type look wrapped, and are one problem`() throws {
        let fit = try app(OldShop(), Feature.self).fit(of: recorded())
        #expect(fit.problems.map(\.migration) == [#"Migration(to: 2) { $0.wrapActions(in: "…") }"#])
        #expect(fit.problems.first?.reason.contains("(addItem, ping, addTwo and 1 more)") == true)
        let wrapped = ReplayableApp(
            "shop",
            initial: OldShop(),
            reducer: Reducer<OldShop, Feature>("items") { _, _ in },
            migrations: [Migration(to: 2) { $0.wrapActions(in: "shop") }]
        )
        #expect(try wrapped.fit(of: recorded()).verdict == .fits)
    }

    private struct Totalled: Codable, Sendable {
        var user = OldShop.User()
        var totals = NewShop.Totals()
        var items: [OldShop.Item] = []
    }

    @Test func `a field that is in a new child looks moved`() throws {
        let fit = try app(Totalled(), OldShopAction.self).fit(of: recorded())
        #expect(fit.problems.map(\.migration) == [#"Migration(to: 2) { $0.moveField("/count", to: "/totals/count") }"#])
        #expect(fit.problems.map { $0.path.map { "\($0)" } } == ["/totals/count"])
    }

    /// Reads a count as twice as much.
    private struct Doubled: Codable, Sendable {
        var user = OldShop.User()
        var count = Twice(value: 0)
        var items: [OldShop.Item] = []

        struct Twice: Codable, Sendable {
            var value: Int

            init(value: Int) { self.value = value }
            init(from decoder: any Decoder) throws { value = try decoder.singleValueContainer().decode(Int.self) * 2 }
            func encode(to encoder: any Encoder) throws {
                var container = encoder.singleValueContainer()
                try container.encode(value)
            }
        }
    }

    @Test func `a value that is read as another one does not fit`() throws {
        let fit = try app(Doubled(), OldShopAction.self).fit(of: recorded())
        #expect(fit.problems.map(\.reason) == ["this build reads the value as another one"])
        #expect(fit.problems.map(\.migration) == [#"Migration(to: 2) { $0.convertField("/count") { … } }"#])
        #expect(fit.problems.first?.position == Recording.Position(seq: 1), "0 twice is 0; the first action adds one")
    }

    @Test func `a reducer that declares its recorded name is renamed, not gone and new`() throws {
        let today = ReplayableApp(
            "shop",
            initial: OldShop(),
            reducer: Reducer<OldShop, OldShopAction>.combine(
                Reducer("items") { _, _ in },
                Reducer("size", formerly: "count") { _, _ in }
            )
        )
        let fit = try today.fit(of: recorded())
        #expect(fit.reducers.renamed.map { [$0.recorded, $0.today] } == [["count", "size"]])
        #expect(fit.reducers.removed.isEmpty && fit.reducers.added.isEmpty && !fit.reducers.isReordered)
    }

    /// Most states are read where they differ from the one before: each must be found that whole reading finds.
    @Test func `a state in the middle that does not fit after a migration is found, and counted`() throws {
        let recorded = ReplayableApp(
            "stock",
            initial: Stock(count: 200, text: { "\($0)" }),
            reducer: Reducer<Stock<String>, StockAction>("stock") { stock, action in
                switch action {
                case .set(let key, let value): stock.parts[key] = value
                case .append(let value): stock.list.append(value)
                case .keep: break
                }
            }
        )
        @Sendable func number(_ node: Node) -> Node {
            if case .string(let text) = node, let number = Int(text) { .int(number) } else { node }
        }
        let today = ReplayableApp(
            "stock",
            initial: Stock(count: 0, text: { $0 }),
            reducer: Reducer<Stock<Int>, StockAction>("stock") { _, _ in },
            migrations: [
                Migration(to: 2) {
                    $0.convertField("/parts/*", number)
                    $0.convertField("/list/*", number)
                }
            ]
        )
        func fit(_ actions: [StockAction]) throws -> Fit {
            try today.fit(of: scratch.record(recorded, try actions.map { try NodeEncoder().encode($0) }))
        }
        let sound = try fit([.set("150", "9"), .append("7"), .set("new", "8"), .keep])
        #expect(sound.verdict == .fits, "\(sound.problems)")
        let fit = try fit([
            .set("150", "9"), .set("150", "many"), .keep, .set("150", "1"), .append("some"), .append("2"),
        ])
        #expect(fit.problems.map(\.path) == [NodePath(["parts", "150"]), NodePath(["list", "200"])])
        #expect(fit.problems.map(\.position) == [Recording.Position(seq: 2), Recording.Position(seq: 5)])
        #expect(fit.problems.map(\.count) == [2, 2])
    }

    @Test func `an element that came and went is decoded, and a large recording is decoded in part`() throws {
        let recorded = ReplayableApp(
            "board",
            initial: Board<OldCard>(),
            reducer: Reducer<Board<OldCard>, BoardAction>("cards") { board, action in
                switch action {
                case .add(let key): board.cards[key] = OldCard(title: key)
                case .remove(let key): board.cards[key] = nil
                }
            }
        )
        let ignored = Reducer<Board<NewCard>, BoardAction>("cards") { _, _ in }
        let today = ReplayableApp("board", initial: Board<NewCard>(), reducer: ignored)
        let actions: [BoardAction] = [.add("a"), .add("b"), .remove("a"), .remove("b")]
        let recording = try scratch.record(recorded, try actions.map { try NodeEncoder().encode($0) })
        let fit = try today.fit(of: recording)
        #expect(fit.problems.map(\.path) == [NodePath(["cards", "a", "name"])])
        #expect(fit.problems.map(\.position) == [Recording.Position(seq: 1)])
        #expect(fit.problems.map(\.count) == [3], "of the states after 1, 2 and 3")
        #expect(fit.problems.first?.migration == #"Migration(to: 2) { $0.renameField("/cards/*/title", to: "name") }"#)
        #expect(fit.decodedStates == 5 && fit.allStates)
        let part = try today.fit(of: recording, decodingAtMost: 1)
        #expect(part.verdict == .fits)
        #expect(part.decodedStates == 2 && !part.allStates)

        // A state that is large in the middle only has its whole state in the file.
        let long = String(repeating: "x", count: 2000)
        let grown = [.add(long)] + (0..<20).map { BoardAction.add("\($0)") } + [.remove(long)]
        let large = try scratch.record(recorded, try grown.map { try NodeEncoder().encode($0) })
        #expect(try !large.wholeStates().isEmpty)
        #expect(try !today.fit(of: large, decodingAtMost: 9000).allStates)

        // The states after 1 and 2 are doubtful.
        let state = try recording.state(at: Recording.Position(seq: 3)).json
        do {
            let connection = try Connection(recording.url.path, .readWrite)
            let keyframe = try connection.prepare("INSERT OR REPLACE INTO keyframe(seq, state) VALUES (3, ?)")
            try keyframe.bind(state, at: 1)
            try keyframe.run()
            try connection.execute("INSERT INTO run(kind, first, last, path) VALUES ('doubtful', 1, 3, '/cards')")
        }
        let doubtful = try today.fit(of: Recording(at: recording.url))
        #expect(doubtful.problems.map(\.position) == [Recording.Position(seq: 3)])
        #expect(doubtful.problems.map(\.count) == [1])
    }
}

/// A state whose elements come and go.
private struct Board<Card: Codable & Sendable>: Codable, Sendable { var cards: [String: Card] = [:] }

private struct OldCard: Codable, Sendable { var title = "" }

private struct NewCard: Codable, Sendable { var name = "" }

private enum BoardAction: Codable, Sendable { case add(String), remove(String) }

/// A state whose elements are too many to be read after each action.
private struct Stock<Value: Codable & Sendable>: Codable, Sendable {
    var parts: [String: Value]
    var list: [Value]

    init(count: Int, text: (Int) -> Value) {
        parts = Dictionary(uniqueKeysWithValues: (0..<count).map { ("\($0)", text($0)) })
        list = (0..<count).map(text)
    }
}

private enum StockAction: Codable, Sendable {
    case set(String, String), append(String), keep
}
