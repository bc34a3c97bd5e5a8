import Foundation
import HindsightRecorder
import HindsightRecording
import HindsightStore
import HindsightTree
import Testing

@testable import HindsightReplay

/// States whose form differs only in some places, or only later.
@Suite struct FormTests {
    private let scratch = Scratch()

    // MARK: null

    private struct Nulling: Codable, Sendable {
        var due: Int?
        enum CodingKeys: CodingKey { case due }
        init() {}
        init(from decoder: any Decoder) throws {
            due = try decoder.container(keyedBy: CodingKeys.self).decodeIfPresent(Int.self, forKey: .due)
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(due, forKey: .due)
        }
    }

    private struct Plain: Codable, Sendable { var due: Int? }

    private enum Due: Codable, Sendable { case set(Int), clear }

    @Test func `a field that was null once is compared where it has a value`() throws {
        let old = ReplayableApp(
            "due",
            initial: Nulling(),
            reducer: Reducer<Nulling, Due>("due") { state, action in
                if case .set(let day) = action { state.due = day } else { state.due = nil }
            }
        )
        func today(_ offset: Int) -> ReplayableApp {
            ReplayableApp(
                "due",
                initial: Plain(),
                reducer: Reducer<Plain, Due>("due") { state, action in
                    if case .set(let day) = action { state.due = day + offset } else { state.due = nil }
                }
            )
        }
        let actions: [Node] = [["set": ["_0": 7]], ["clear": [:]], ["set": ["_0": 8]]]
        let recording = try scratch.record(old, actions)
        #expect(try recording.state(at: recording.start)["due"] == .null)
        let result = try today(0).verify(recording)
        #expect(result.matches && result.unshared == [])
        let divergence = try #require(try today(1).verify(recording).divergence)
        #expect(divergence.seq == 1 && divergence.path == NodePath(["due"]))
        #expect(divergence.expected == 7 && divergence.actual == 8)
        #expect(try today(0).fit(of: recording).verdict == .fits)
    }

    // MARK: Elements

    private struct Shelf<Item: Codable & Sendable>: Codable, Sendable {
        var list: [Item] = []
        var named: [String: Item] = [:]
    }

    private struct Book: Codable, Sendable {
        var title: String
        var pages = 1
    }

    private struct Short: Codable, Sendable { var title: String }
    private struct Named: Codable, Sendable { var name: String, pages = 1 }
    private struct Tagged: Codable, Sendable { var title: String, pages = 1, tag = "" }

    private enum Put: Codable, Sendable { case put(String) }

    private func shelf<Item>(
        _ initial: Shelf<Item> = Shelf(),
        migrations: [Migration] = [],
        _ make: @escaping @Sendable (String) -> Item
    ) -> ReplayableApp {
        ReplayableApp(
            "shelf",
            initial: initial,
            reducer: Reducer<Shelf<Item>, Put>("put") { shelf, action in
                guard case .put(let title) = action else { return }
                shelf.list.append(make(title))
                shelf.named["key " + title] = make(title)
            },
            migrations: migrations
        )
    }

    private func shelved() throws -> Recording {
        try scratch.record(shelf { Book(title: $0) }, [["put": ["_0": "a"]], ["put": ["_0": "b"]]])
    }

    @Test(arguments: [VerificationOptions.Level.states, .steps])
    func `fields that later elements alone have are unread, and the others are compared`(
        level: VerificationOptions.Level
    ) throws {
        let recording = try shelved()
        let options = VerificationOptions(level: level)
        let result = try shelf { Short(title: $0) }.verify(recording, options: options)
        #expect(result.matches)
        #expect(result.unshared == ["/list/*/pages", "/named/*/pages"])
        let wrong = shelf { Short(title: $0 == "b" ? "B" : $0) }
        let divergence = try #require(try wrong.verify(recording, options: options).divergence)
        #expect(divergence.seq == 2 && divergence.expected == "b" && divergence.actual == "B")
    }

    @Test func `a field that is renamed in elements has the line that renames it`() throws {
        let fit = try shelf { Named(name: $0) }.fit(of: shelved())
        #expect(
            fit.problems.map(\.migration) == [
                #"Migration(to: 2) { $0.renameField("/list/*/title", to: "name") }"#
            ]
        )
    }

    @Test func `keys of a dictionary are no names, and the initial state's entries no defaults`() throws {
        let dictionary = Migration(to: 2) { $0.addField("/list/*/tag", default: "") }
        let initial = Shelf(list: [], named: ["key a": Tagged(title: "a")])
        let fit = try shelf(initial, migrations: [dictionary]) { Tagged(title: $0) }.fit(of: shelved())
        #expect(fit.verdict == .doesNotFit && fit.defaults == [])
        let lines = Set(fit.problems.compactMap(\.migration))
        #expect(lines == [#"Migration(to: 3) { $0.addField("/named/*/tag", default: …) }"#], "of the migrated state")
    }

    // MARK: Conversions

    private struct Text: Codable, Sendable { var count = "0" }

    private struct Number: Codable, Sendable {
        var count = 0
        enum CodingKeys: CodingKey { case count }
        init() {}
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            do {
                count = Int(try container.decode(String.self, forKey: .count)) ?? 0
            } catch {
                count = try container.decode(Int.self, forKey: .count)
            }
        }
    }

    @Test func `an init(from:) that converts values keeps working, and the result lists them`() throws {
        let old = ReplayableApp(
            "count",
            initial: Text(),
            reducer: Reducer<Text, Put>("count") { state, _ in state.count = "\((Int(state.count) ?? 0) + 1)" }
        )
        func today(_ step: Int) -> ReplayableApp {
            ReplayableApp(
                "count",
                initial: Number(),
                reducer: Reducer<Number, Put>("count") { state, _ in state.count += step }
            )
        }
        let recording = try scratch.record(old, [["put": ["_0": "a"]], ["put": ["_0": "b"]]])
        let result = try today(1).verify(recording)
        #expect(result.matches && result.level == .states)
        let conversion = Fit.Conversion(path: NodePath(["count"]), recorded: "0", read: 0)
        #expect(result.conversions == [conversion])
        let fit = try today(1).fit(of: recording)
        #expect(fit.verdict == .fitsWithDefaults && fit.conversions == [conversion])
        #expect(try today(2).verify(recording).divergence?.seq == 1)
    }

    private struct Purse<Amount: Codable & Sendable>: Codable, Sendable { var amounts: [String: Amount] = [:] }

    private enum Pay: Codable, Sendable { case note, pay(String, Int) }

    /// Also reads a number, as amounts were once.
    private struct Amount: Codable, Sendable {
        var value: Int
        enum CodingKeys: CodingKey { case value }
        init(value: Int) { self.value = value }
        init(from decoder: any Decoder) throws {
            do {
                value = try decoder.singleValueContainer().decode(Int.self)
            } catch {
                value = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .value)
            }
        }
    }

    private func purse<Value: Codable & Sendable>(
        _ migrations: [Migration] = [],
        _ make: @escaping @Sendable (Int) -> Value
    ) -> ReplayableApp {
        ReplayableApp(
            "purse",
            initial: Purse<Value>(),
            reducer: Reducer<Purse<Value>, Pay>("amounts") { purse, action in
                if case .pay(let name, let amount) = action { purse.amounts[name] = make(amount) }
            },
            migrations: migrations
        )
    }

    /// The recording of an app whose amounts are numbers. At first there are none.
    private func paid() throws -> Recording {
        let actions: [Node] = [["note": [:]], ["pay": ["_0": "a", "_1": 1]], ["pay": ["_0": "b", "_1": 2]]]
        return try scratch.record(purse { $0 }, actions)
    }

    @Test(arguments: [[], [Migration(to: 2) { _ in }]])
    func `a value that comes later is compared after it was read, with or without migrations`(
        migrations: [Migration]
    ) throws {
        let recording = try paid()
        let app = purse(migrations) { Amount(value: $0) }
        let result = try app.verify(recording)
        #expect(result.matches && result.level == .states, "\(String(describing: result.divergence))")
        let conversion = Fit.Conversion(path: NodePath(["amounts", "*"]), recorded: 1, read: ["value": 1])
        #expect(result.conversions == [conversion])
        let wrong = purse(migrations) { Amount(value: $0 == 2 ? 7 : $0) }
        let divergence = try #require(try wrong.verify(recording).divergence)
        #expect(divergence.seq == 3 && divergence.path == NodePath(["amounts", "b", "value"]))
        let log = try app.changedLog(of: recording, [.skip(1)])
        #expect(try app.whatIf(recording, running: log).first == nil, "the skipped action changes nothing")
    }

    @Test(arguments: [[], [Migration(to: 2) { _ in }]])
    func `accepting a change writes converted values in today's form`(migrations: [Migration]) throws {
        let recording = try paid()
        let app = purse(migrations) { Amount(value: 2 * $0) }
        #expect(try !app.verify(recording).matches)
        try app.accept(recording.url)
        let accepted = try Recording(at: recording.url)
        #expect(accepted.app.schema == app.schema)
        let last = try accepted.state(at: Recording.Position(seq: 3))
        #expect(last == ["amounts": ["a": ["value": 2], "b": ["value": 4]]])
        let result = try app.verify(accepted)
        #expect(result.matches && result.conversions == [] && result.level == .steps)
        #expect(try accepted.actions(in: 1...3) == recording.actions(in: 1...3))
    }

    @Test func `migrating in place writes converted values in today's form, and does so once`() throws {
        let recording = try paid()
        let app = purse { Amount(value: $0) }
        #expect(try app.migrate(inPlace: recording.url) == 3)
        let migrated = try Recording(at: recording.url)
        #expect(try migrated.state(at: Recording.Position(seq: 2)) == ["amounts": ["a": ["value": 1]]])
        let result = try app.verify(migrated)
        #expect(result.matches && result.conversions == [] && result.level == .steps)
        let bytes = try Data(contentsOf: recording.url)
        #expect(try app.migrate(inPlace: recording.url) == nil)
        #expect(try Data(contentsOf: recording.url) == bytes)
    }

    // MARK: Migrations

    @Test func `steps cannot be compared if migrations apply`() throws {
        let recording = try scratch.record(oldShop, shopSession)
        let options = VerificationOptions(level: .steps)
        let error = #expect(throws: ReplayError.self) { _ = try newShop().verify(recording, options: options) }
        #expect(error?.code == .stepsNotComparable)
        #expect(error.map { "\($0)".contains("because migrations apply") } == true)
        let result = try newShop().verify(recording)
        #expect(result.level == .states && result.migrations == [2])
    }

    @Test func `a migration that fails on a state between whole states does not fit`() throws {
        let app = shelf(
            migrations: [
                Migration(to: 2) {
                    $0.mapState { state in
                        guard state["list"]?[1] != nil || state["list"]?[0] == nil else {
                            throw TreeError(.notDecodable, "no single book")
                        }
                        return state
                    }
                }
            ]
        ) { Book(title: $0) }
        let fit = try app.fit(of: shelved())
        #expect(fit.problems.map(\.position) == [Recording.Position(seq: 1)])
    }

    @Test func `a removed action that changed the state is a gap before and after the recording is migrated`() throws {
        let actions: [Node] = [["put": ["_0": "a"]], ["remove": [:]], ["put": ["_0": "b"]]]
        enum Old: Codable, Sendable { case put(String), remove }
        let old = ReplayableApp(
            "shelf",
            initial: Shelf<Book>(),
            reducer: Reducer<Shelf<Book>, Old>("put") { shelf, action in
                switch action {
                case .put(let title):
                    shelf.list.append(Book(title: title))
                    shelf.named["key " + title] = Book(title: title)
                case .remove: shelf = Shelf()
                }
            }
        )
        let recording = try scratch.record(old, actions)
        let app = shelf(migrations: [Migration(to: 2) { $0.removeAction("remove") }]) { Book(title: $0) }
        let result = try app.verify(recording)
        #expect(result.matches && result.actions == 2 && result.removed == [2] && result.gaps == [])
        let output = scratch.file("migrated.hindsight")
        try app.migrate(recording, to: output)
        let after = try app.verify(Recording(at: output))
        #expect(after.matches && after.actions == 2 && after.gaps == [2])
    }

    @Test func `nothing is migrated that this build cannot read`() throws {
        let output = scratch.file("migrated.hindsight")
        let app = shelf(migrations: [Migration(to: 2) { _ in }]) { Named(name: $0) }
        let error = #expect(throws: ReplayError.self) { try app.migrate(shelved(), to: output) }
        #expect(error?.code == .undecodableState)
        #expect(error?.migration == #"Migration(to: 3) { $0.renameField("/list/*/title", to: "name") }"#)
        #expect(!FileManager.default.fileExists(atPath: output.path))
    }

    // MARK: Dictionaries

    private struct Key: Codable, Sendable, Hashable { var bank = "b", number: Int }

    private struct Account: Codable, Sendable { var title: String }
    private struct Colored: Codable, Sendable { var title: String, color = "" }

    /// Its title has another name, and need not be there.
    private struct Renamed: Codable, Sendable {
        var name = ""
        enum CodingKeys: CodingKey { case name }
        init(name: String) { self.name = name }
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            name = try container.decodeIfPresent(String.self, forKey: .name) ?? ""
        }
    }

    private struct Ledger<ID: Codable & Sendable & Hashable, Item: Codable & Sendable>: Codable, Sendable {
        var accounts: [ID: Item] = [:]
        var secret = "none"
    }

    private func ledger<ID: Codable & Sendable & Hashable, Item: Codable & Sendable>(
        _ id: @escaping @Sendable (Int) -> ID,
        _ migrations: [Migration] = [],
        _ make: @escaping @Sendable (String) -> Item
    ) -> ReplayableApp {
        ReplayableApp(
            "ledger",
            initial: Ledger<ID, Item>(),
            reducer: Reducer<Ledger<ID, Item>, Pay>("accounts") { ledger, action in
                if case .pay(let title, let number) = action { ledger.accounts[id(number)] = make(title) }
            },
            migrations: migrations
        )
    }

    private static let uuid: @Sendable (Int) -> UUID = {
        UUID(uuid: (UInt8($0), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1))
    }
    private static let key: @Sendable (Int) -> Key = { Key(number: $0) }

    private static let payments: [Node] = [
        ["pay": ["_0": "a", "_1": 1]], ["pay": ["_0": "b", "_1": 2]], ["pay": ["_0": "c", "_1": 3]],
    ]

    /// Checks that a recording does not fit, that the only suggestion is `line`, and that the app with it is equal.
    private func expectSuggestion<ID: Codable & Sendable & Hashable, Item: Codable & Sendable>(
        _ line: String,
        _ id: @escaping @Sendable (Int) -> ID,
        _ make: @escaping @Sendable (String) -> Item,
        _ migration: Migration
    ) throws {
        let recording = try scratch.record(ledger(id) { Account(title: $0) }, Self.payments)
        let fit = try ledger(id, [], make).fit(of: recording)
        #expect(fit.problems.map(\.migration) == [line])
        let error = #expect(throws: ReplayError.self) { try ledger(id, [], make).verify(recording) }
        #expect(error?.code == .undecodableState && error?.migration == line)
        let app = ledger(id, [migration], make)
        #expect(try app.fit(of: recording).verdict == .fits)
        #expect(try app.verify(recording).matches)
    }

    @Test func `a field that is new in values of a dictionary has a line that reaches the values and not the keys`()
        throws
    {
        try expectSuggestion(
            #"Migration(to: 2) { $0.addField("/accounts/*/1/color", default: …) }"#,
            Self.key,
            { Colored(title: $0) },
            Migration(to: 2) { $0.addField("/accounts/*/1/color", default: "") }
        )
        try expectSuggestion(
            #"Migration(to: 2) { $0.addField("/accounts/*/color", default: …) }"#,
            Self.uuid,
            { Colored(title: $0) },
            Migration(to: 2) { $0.addField("/accounts/*/color", default: "") }
        )
    }

    @Test(arguments: [Redaction(), Redaction(states: ["/secret"])])
    func `a new field in values of a dictionary is no divergence, also if another place is redacted`(
        redaction: Redaction
    ) throws {
        let file = scratch.file("ledger.hindsight")
        let options = RecorderOptions(redaction: redaction)
        let session = try ledger(Self.uuid) { Account(title: $0) }.record(to: file, options: options)
        for action in Self.payments { try session.dispatch(action, origin: Origin(file: "x", line: 1)) }
        try session.close()
        let app = ledger(Self.uuid) { Colored(title: $0) }
        let error = #expect(throws: ReplayError.self) { try app.verify(Recording(at: file)) }
        #expect(error?.code == .undecodableState && error?.position == Recording.Position(seq: 1))
        #expect(error?.migration == #"Migration(to: 2) { $0.addField("/accounts/*/color", default: …) }"#)
    }

    @Test func `a renamed field in values of a dictionary that need not be there is no divergence`() throws {
        let line = #"Migration(to: 2) { $0.renameField("/accounts/*/title", to: "name") }"#
        let recording = try scratch.record(ledger(Self.uuid) { Account(title: $0) }, Self.payments)
        let app = ledger(Self.uuid) { Renamed(name: $0) }
        for continuation in VerificationOptions.Continuation.allCases {
            let options = VerificationOptions(afterDivergence: continuation)
            let error = #expect(throws: ReplayError.self) { try app.verify(recording, options: options) }
            #expect(error?.code == .renamedField && error?.migration == line, "\(continuation)")
        }
        let migrated = ledger(Self.uuid, [Migration(to: 2) { $0.renameField("/accounts/*/title", to: "name") }]) {
            Renamed(name: $0)
        }
        #expect(try migrated.verify(recording).matches)
        let other = ledger(Self.uuid) { _ in Renamed(name: "new") }
        #expect(try other.verify(recording).divergence?.path.components.last == "name", "no field has that value")
    }

    // MARK: Cases

    private enum Inner: Codable, Sendable { case toggle, keep }
    private enum NewInner: Codable, Sendable { case finish, keep }
    private enum Outer<Part: Codable & Sendable>: Codable, Sendable { case task(id: Int, Part) }
    private enum Mode: Codable, Sendable { case text(query: String) }
    private enum NewMode: Codable, Sendable { case search(query: String) }
    private struct Page<Kind: Codable & Sendable>: Codable, Sendable { var mode: Kind }

    @Test func `renamed cases have the lines that rename them`() throws {
        let old = ReplayableApp(
            "page",
            initial: Page(mode: Mode.text(query: "")),
            reducer: Reducer<Page<Mode>, Outer<Inner>>("page") { _, _ in }
        )
        let new = ReplayableApp(
            "page",
            initial: Page(mode: NewMode.search(query: "")),
            reducer: Reducer<Page<NewMode>, Outer<NewInner>>("page") { _, _ in }
        )
        let recording = try scratch.record(old, [["task": ["id": 1, "_1": ["toggle": [:]]]]])
        let lines = try new.fit(of: recording).problems.compactMap(\.migration)
        #expect(lines.contains(#"Migration(to: 2) { $0.renameField("/mode/text", to: "search") }"#), "\(lines)")
        #expect(
            lines.contains { $0.hasPrefix(#"Migration(to: 2) { $0.renameAction("task.toggle", to: "…") }"#) },
            "\(lines)"
        )
    }

    // MARK: Moving out

    private struct Child: Codable, Sendable { var total = 0 }
    private struct Parent: Codable, Sendable { var child = Child() }
    private struct Flat: Codable, Sendable { var total = 0 }

    @Test func `a field that left its child looks moved`() throws {
        let old = ReplayableApp("sum", initial: Parent(), reducer: Reducer<Parent, Put>("sum") { _, _ in })
        let new = ReplayableApp("sum", initial: Flat(), reducer: Reducer<Flat, Put>("sum") { _, _ in })
        let fit = try new.fit(of: scratch.record(old, []))
        #expect(fit.problems.map(\.migration) == [#"Migration(to: 2) { $0.moveField("/child/total", to: "/total") }"#])
    }
}
