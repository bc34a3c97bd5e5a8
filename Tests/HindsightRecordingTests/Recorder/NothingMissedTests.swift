import Foundation
import HindsightStore
import Observation
import Synchronization
import TestSupport
import Testing

@testable import HindsightFormat
@testable import HindsightRecorder
@testable import HindsightRecording
@testable import HindsightTree

/// Records each shape of state with each way to change it. The recording has what Foundation's encoder writes at that
/// moment, or the app is warned that it may not. No cell fails silently.
@Suite("Changes that a recording must not miss", .serialized) struct NothingMissedTests {
    /// The outcome of a change.
    enum Outcome: String {
        /// Every state is recorded correctly.
        case right
        /// The app is warned, and the recording lists the doubtful states.
        case told
        /// The recording lists the states that it lacks; replaying computes them.
        case leftOut = "left out"
    }

    @Test("Each cell of the table has its documented outcome", arguments: Cell.all)
    func cell(_ cell: Cell) throws {
        // What only `encode(to:)` reaches is encoded while the app changes it, if actions come in a burst.
        let isRace =
            cell.shape == "class that only `encode(to:)` reaches"
            && ProcessInfo.processInfo.environment["HINDSIGHT_SANITIZED"] == "thread"
        for isBurst in isRace ? [false] : [true, false] {
            let outcome = try cell.record(isBurst)
            let expected = TypeMetadata.isRead ? cell.expected : cell.withoutReflection ?? cell.expected
            #expect(outcome == expected, "\(cell.shape), \(cell.way), \(isBurst ? "in a burst" : "one by one")")
        }
    }

    @Test func `The documentation shows the table`() throws {
        let article = try String(
            contentsOf: URL(filePath: #filePath)
                .appending(path: "../../../../Sources/HindsightRecorder/HindsightRecorder.docc/WhatIsMissed.md")
                .standardized,
            encoding: .utf8
        )
        for row in Cell.table {
            print(row)
            #expect(article.contains(row), "the article has no row: \(row)")
        }
    }
}

/// A shape of state, and a way to change it.
struct Cell: Sendable, CustomTestStringConvertible {
    let shape: String
    let way: String
    let expected: NothingMissedTests.Outcome
    /// The outcome without the runtime's field reflection, if it differs.
    var withoutReflection: NothingMissedTests.Outcome?
    let record: @Sendable (_ isBurst: Bool) throws -> NothingMissedTests.Outcome

    var testDescription: String { "\(shape), \(way)" }

    init<StateValue: Codable & Sendable>(
        _ shape: String,
        _ way: String,
        is expected: NothingMissedTests.Outcome = .right,
        from initial: @escaping @Sendable () -> StateValue,
        _ change: @escaping @Sendable (inout StateValue, Int) -> Void
    ) {
        (self.shape, self.way, self.expected) = (shape, way, expected)
        record = { try Self.record(initial(), $0, change) }
    }

    func with(withoutReflection outcome: NothingMissedTests.Outcome) -> Cell {
        var cell = self
        cell.withoutReflection = outcome
        return cell
    }

    /// One row per shape, as in the documentation.
    static var table: [String] {
        var rows: [(shape: String, ways: [String])] = []
        for cell in all {
            let way = "\(cell.way): \(cell.expected.rawValue)"
            if rows.last?.shape == cell.shape {
                rows[rows.count - 1].ways.append(way)
            } else {
                rows.append((cell.shape, [way]))
            }
        }
        return rows.map { "| \($0.shape) | \($0.ways.joined(separator: ", ")) |" }
    }

    /// JSON in Foundation's sorted form, for comparison.
    private static func canonical(_ json: Data) throws -> String {
        let value = try JSONSerialization.jsonObject(with: json, options: .fragmentsAllowed)
        let data = try JSONSerialization.data(withJSONObject: value, options: [.sortedKeys, .fragmentsAllowed])
        return String(decoding: data, as: UTF8.self)
    }

    /// Records five actions through three reducers, of which the second makes the change, and compares each state with
    /// the output of Foundation's encoder at that time.
    private static func record<StateValue: Codable & Sendable>(
        _ initial: StateValue,
        _ isBurst: Bool,
        _ change: @escaping @Sendable (inout StateValue, Int) -> Void
    ) throws -> NothingMissedTests.Outcome {
        let scratch = Scratch()
        let told = Mutex<[RecordingError]>([])
        let options = RecorderOptions { error in told.withLock { $0.append(error) } }
        let recorder = try Recorder<StateValue, Int>(to: scratch.file(), app: AppInfo(name: "shapes"), options: options)
        let seen = Mutex<[Recording.Position: String]>([:])
        @Sendable func see(_ position: Recording.Position, _ state: StateValue) {
            do {
                let text = try canonical(JSONEncoder().encode(state))
                seen.withLock { $0[position] = text }
            } catch {
                Issue.record(error)
            }
        }
        see(Recording.Position(seq: 0), initial)
        let store = Store(
            initial: initial,
            reducer: .combine(
                Reducer("before") { state, action in see(Recording.Position(seq: action, reducer: 1), state) },
                Reducer("change") { state, action in
                    change(&state, action)
                    see(Recording.Position(seq: action, reducer: 2), state)
                },
                Reducer("after") { state, action in see(Recording.Position(seq: action), state) }
            ),
            middleware: [recorder.middleware]
        )
        for action in 1...5 {
            store.dispatch(action)
            if !isBurst { try recorder.flush() }
        }
        let recording = try recorder.closeAndRead()
        var isRight = true
        for (position, expected) in seen.withLock({ $0 }) {
            let isLeftOut = recording.skipped.contains { run in
                // A whole state follows the last action, unless the recording ends there.
                Recording.Position(seq: run.lowerBound, reducer: 0) < position
                    && position < Recording.Position(seq: run.upperBound)
                    || position.seq == run.upperBound && run.upperBound == recording.actionCount
            }
            if isLeftOut, (try? recording.state(at: position)) == nil { continue }
            let found = try canonical(Data(recording.state(at: position).json.utf8))
            if expected == found { continue }
            isRight = false
            // A wrong state is marked as doubtful.
            #expect(recording.doubtfulStates(at: position) != nil, "\(position): \(found) instead of \(expected)")
        }
        // The last state is always right.
        #expect(recording.doubtfulStates(at: recording.end) == nil)
        if !recording.skipped.isEmpty { return .leftOut }
        if isRight && recording.doubtful.isEmpty { return .right }
        let codes = told.withLock { $0.map(\.code) }
        #expect(codes == [.doubtfulStates], "the app is warned once")
        #expect(!recording.doubtful.isEmpty)
        return .told
    }
}

// MARK: Shapes

private final class Doc: Codable, Hashable, @unchecked Sendable {
    var title = ""
    init(_ title: String = "") { self.title = title }
    static func == (left: Doc, right: Doc) -> Bool { left === right }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// Not encodable: only `encode(to:)` of its owner shows it.
private final class Box: @unchecked Sendable {
    var text = ""
    var doc = Doc()
    var isThere = false
}

private struct Holder<Value: Codable & Sendable>: Codable, Sendable {
    var value: Value
    var count = 0
}

private enum Screen: Codable, Sendable {
    case home
    case doc(Doc)
    case named(name: String, doc: Doc?)
    indirect case inside(Screen)
}

private struct Wrapped: Codable, Sendable {
    @Forwarding var doc = Doc()
    var count = 0
}

/// Passes its encoder on, so that the encoder does not see the class.
@propertyWrapper private struct Forwarding: Codable, Sendable {
    var wrappedValue: Doc
    init(wrappedValue: Doc) { self.wrappedValue = wrappedValue }
    init(from decoder: any Decoder) throws { wrappedValue = try Doc(from: decoder) }
    func encode(to encoder: any Encoder) throws { try wrappedValue.encode(to: encoder) }
}

private struct Weakly: Codable, Sendable {
    var strong = Doc()
    weak var doc: Doc?
    var count = 0
    enum CodingKeys: CodingKey { case doc, count }
    init() { doc = strong }
    init(from decoder: any Decoder) throws {}
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(doc, forKey: .doc)
        try container.encode(count, forKey: .count)
    }
}

private protocol Shape: Codable, Sendable { var name: String { get set } }
private struct Square: Shape { var name = "" }
extension Doc: Shape {
    var name: String {
        get { title }
        set { title = newValue }
    }
}

private struct Existential: Codable, Sendable {
    var shape: any Shape
    var count = 0
    enum CodingKeys: CodingKey { case shape, count }
    init(_ shape: any Shape) { self.shape = shape }
    init(from decoder: any Decoder) throws { shape = Square() }
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(shape, forKey: .shape)
        try container.encode(count, forKey: .count)
    }
}

/// A state whose `encode(to:)` writes the result of a closure.
private struct Written: Codable, Sendable {
    var text: @Sendable () -> any Encodable & Sendable
    var count = 0
    enum CodingKeys: CodingKey { case text, count }
    init(_ text: @escaping @Sendable () -> any Encodable & Sendable) { self.text = text }
    init(from decoder: any Decoder) throws { text = { "" } }
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(count, forKey: .count)
        try container.encode(text(), forKey: .text)
    }
}

/// A collection with value semantics over a class of its own.
private struct Pages: Codable, Sendable {
    private final class Storage: Codable, @unchecked Sendable {
        var pages: [String] = []
    }
    private var storage = Storage()
    mutating func append(_ page: String) {
        let copy = Storage()
        copy.pages = storage.pages + [page]
        storage = copy
    }
    /// Breaks the value semantics.
    func appendInPlace(_ page: String) { storage.pages.append(page) }
}

private struct Results: Codable, Sendable {
    var result: Result<Doc, Problem>
    struct Problem: Error, Codable {}
    enum CodingKeys: CodingKey { case doc }
    init() { result = .success(Doc()) }
    init(from decoder: any Decoder) throws { self.init() }
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(try? result.get(), forKey: .doc)
    }
}

private struct Hashables: Codable, Sendable {
    nonisolated(unsafe) var value: AnyHashable
    enum CodingKeys: CodingKey { case doc }
    init() { value = Doc() }
    init(from decoder: any Decoder) throws { self.init() }
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(value.base as? Doc, forKey: .doc)
    }
}

private struct Tupled: Codable, Sendable {
    var pair = (Doc(), 1)
    enum CodingKeys: CodingKey { case doc, count }
    init() {}
    init(from decoder: any Decoder) throws {}
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(pair.0, forKey: .doc)
        try container.encode(pair.1, forKey: .count)
    }
}

extension Doc: Comparable {
    static func < (left: Doc, right: Doc) -> Bool { false }
}

private struct Ranged: Codable, Sendable {
    var range = Doc()..<Doc()
    enum CodingKeys: CodingKey { case lower, upper }
    init() {}
    init(from decoder: any Decoder) throws {}
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(range.lowerBound, forKey: .lower)
        try container.encode(range.upperBound, forKey: .upper)
    }
}

@available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
private struct Inlined: Codable, Sendable {
    nonisolated(unsafe) var docs: InlineArray<2, Doc> = [Doc(), Doc()]
    init() {}
    init(from decoder: any Decoder) throws {}
    func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        for index in docs.indices { try container.encode(docs[index]) }
    }
}

@Observable private final class Model: Codable, @unchecked Sendable {
    var title = ""
    init() {}
    enum CodingKeys: CodingKey { case title }
    init(from decoder: any Decoder) throws {}
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(title, forKey: .title)
    }
}

private let global = Mutex("")
private let box = Box()

extension Cell {
    private static func instance<StateValue: Codable & Sendable>(
        _ shape: String,
        _ initial: @escaping @Sendable () -> StateValue,
        _ doc: @escaping @Sendable (StateValue) -> Doc?,
        _ put: @escaping @Sendable (inout StateValue, Doc) -> Void
    ) -> [Cell] {
        [
            Cell(shape, "changed in place", from: initial) { state, action in doc(state)?.title += "\(action)" },
            Cell(shape, "replaced", from: initial) { state, action in put(&state, Doc("\(action)")) },
            Cell(shape, "replaced, then changed in place", from: initial) { state, action in
                if action == 2 { put(&state, Doc("new")) }
                if action > 2 { doc(state)?.title += "\(action)" }
            },
        ]
    }

    private static var inlineArray: [Cell] {
        guard #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) else { return [] }
        return instance("`InlineArray`", { Inlined() }, { $0.docs[1] }, { $0.docs[1] = $1 })
    }

    static let all: [Cell] = [
        instance("class in a struct", { Holder(value: Doc()) }, { $0.value }, { $0.value = $1 }),
        instance("class in an optional", { Holder(value: Doc?.none) }, { $0.value }, { $0.value = $1 }),
        instance("class in an array", { Holder(value: [Doc()]) }, { $0.value.last }, { $0.value.append($1) }),
        instance("class in a set", { Holder(value: [Doc()] as Set) }, { $0.value.first }, { $0.value = [$1] }),
        instance(
            "class in a dictionary",
            { Holder(value: ["a": Doc()]) },
            { $0.value["a"] },
            { $0.value["a"] = $1 }
        ),
        instance(
            "class in a payload",
            { Holder(value: Screen.home) },
            { if case .doc(let doc) = $0.value { doc } else { nil } },
            { $0.value = .doc($1) }
        ),
        instance(
            "optional class in a labelled payload",
            { Holder(value: Screen.named(name: "a", doc: nil)) },
            { if case .named(_, let doc) = $0.value { doc } else { nil } },
            { $0.value = .named(name: "b", doc: $1) }
        ),
        instance(
            "class in an indirect payload",
            { Holder(value: Screen.inside(.inside(.doc(Doc())))) },
            { if case .inside(.inside(.doc(let doc))) = $0.value { doc } else { nil } },
            { $0.value = .inside(.inside(.doc($1))) }
        ),
        instance(
            "payloads in an array in a dictionary",
            { Holder(value: ["a": [Screen.home]]) },
            { if case .doc(let doc)? = $0.value["a"]?.last { doc } else { nil } },
            { $0.value["a"]?.append(.doc($1)) }
        ),
        instance(
            "generic struct",
            { Holder(value: Holder(value: Doc())) },
            { $0.value.value },
            { $0.value.value = $1 }
        ),
        instance("property wrapper that hands its encoder on", { Wrapped() }, { $0.doc }, { $0.doc = $1 }).map { cell in
            // Only the audit sees it then.
            cell.way == "replaced" ? cell : cell.with(withoutReflection: .told)
        },
        instance(
            "weak reference",
            { Weakly() },
            { $0.doc },
            {
                $0.strong = $1
                $0.doc = $1
            }
        ),
        instance(
            "existential",
            { Existential(Square()) },
            { $0.shape as? Doc },
            { $0.shape = $1 }
        ),
        instance("class in a tuple", { Tupled() }, { $0.pair.0 }, { $0.pair.0 = $1 }),
        instance(
            "class in a contiguous array",
            { Holder(value: [Doc()] as ContiguousArray) },
            { $0.value.first },
            { $0.value[0] = $1 }
        ),
        instance("`Range`", { Ranged() }, { $0.range.upperBound }, { $0.range = $1..<Doc() }),
        inlineArray,
        instance("`Result`", { Results() }, { try? $0.result.get() }, { $0.result = .success($1) }),
        instance("`AnyHashable`", { Hashables() }, { $0.value.base as? Doc }, { $0.value = $1 }),
        instance("class as the whole state", { Doc() }, { $0 }, { $0 = $1 }),
        [
            Cell("existential of a struct", "changed in place", from: { Existential(Square()) }) {
                $0.shape.name += "\($1)"
            },
            Cell("copy-on-write collection over a class", "changed", from: { Holder(value: Pages()) }) {
                $0.value.append("\($1)")
            },
            Cell("copy-on-write collection over a class", "changed behind its back", from: { Holder(value: Pages()) }) {
                $0.value.appendInPlace("\($1)")
            },
            Cell("`@Observable` class", "changed in place", from: { Holder(value: Model()) }) {
                $0.value.title += "\($1)"
            },
            Cell("enum of structs", "changed", from: { Holder(value: Drawing.one(Square())) }) {
                $0.value = .one(Square(name: "\($1)"))
            },
            Cell(
                "class that only `encode(to:)` reaches",
                "changed in place",
                from: { () -> Written in
                    box.doc = Doc()
                    return Written { box.doc }
                }
            ) { (_: inout Written, action: Int) in box.doc.title += "\(action)" },
            Cell(
                "class that only `encode(to:)` reaches",
                "there from the third action on, and changed in place",
                is: .told,
                from: { () -> Written in
                    box.doc = Doc()
                    box.isThere = false
                    return Written { box.isThere ? box.doc as any Encodable & Sendable : "" }
                }
            ) { (_: inout Written, action: Int) in
                box.isThere = action > 2
                box.doc.title += "\(action)"
            },
            Cell(
                "class that only `encode(to:)` reaches",
                "there from the third action on, with a field beside it that changes",
                is: .leftOut,
                from: { () -> Written in
                    box.doc = Doc()
                    box.isThere = false
                    return Written { box.isThere ? box.doc as any Encodable & Sendable : "" }
                }
            ) { (state: inout Written, action: Int) in
                state.count += 1
                box.isThere = action > 2
                box.doc.title += "\(action)"
            }.with(withoutReflection: .right),
            Cell(
                "class that cannot be encoded",
                "changed in place",
                is: .told,
                from: { () -> Written in
                    box.text = ""
                    return Written { box.text }
                }
            ) { (_: inout Written, action: Int) in box.text += "\(action)" },
            Cell(
                "class that cannot be encoded",
                "changed in place, and a field beside it",
                is: .told,
                from: { () -> Written in
                    box.text = ""
                    return Written { box.text }
                }
            ) { (state: inout Written, action: Int) in
                box.text += "\(action)"
                state.count += 1
            },
            Cell(
                "global that `encode(to:)` reads",
                "changed",
                is: .told,
                from: { () -> Written in
                    global.withLock { $0 = "" }
                    return Written { global.withLock { $0 } }
                }
            ) { (_: inout Written, action: Int) in global.withLock { $0 += "\(action)" } },
        ],
    ].flatMap { $0 }
}

private enum Drawing: Codable, Sendable {
    case one(Square)
    case two(String)
}
