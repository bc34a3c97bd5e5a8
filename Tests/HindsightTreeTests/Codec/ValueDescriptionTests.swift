import Foundation
import Observation
import Testing

@testable import HindsightTree

private struct Failure: Error {
    var code = 7
}

private struct Line: Codable, Hashable {
    var sku = "tea"
    var count = 2
}

private enum Action {
    case idle
    case loaded(Result<[Line], any Error>)
    case moved(from: Int, to: Int)
    case picked(Line)
    case ran(() -> Void)
}

private enum Named: CustomStringConvertible {
    case one
    var description: String { "the first" }
}

private final class Owner {
    var name = "Kari"
    weak var other: Owner?
    var own: Owner?
}

private class Base { var first = 1 }
private final class Derived: Base { var second = "two" }

@Observable private final class Model {
    var total = 3
    @ObservationIgnored var hidden = Line()
}

@propertyWrapper private struct Clamped {
    var wrappedValue: Int
}

private struct Screen {
    var lines = [Line(), Line(sku: "milk", count: 1)]
    var selection: Line? = nil
    var cancel: (@Sendable (Int) -> Bool)? = { $0 > 0 }
    var sizes: (Int, height: Int) = (1, 2)
    var when = Date(timeIntervalSinceReferenceDate: 0)
    var tags: Set<String> = ["b", "a"]
    @Clamped var volume = 5
    @Redacted var password = "hunter2"
    var type: Any.Type = Int.self
}

@Suite struct ValueDescriptionTests {
    nonisolated(unsafe) private static let table: [(Any, String)] = [
        (Action.idle, #"{"idle":{}}"#),
        (Action.loaded(.success([Line()])), #"{"loaded":{"_0":{"success":{"_0":[{"sku":"tea","count":2}]}}}}"#),
        (Action.loaded(.failure(Failure())), #"{"loaded":{"_0":{"failure":{"_0":{"code":7}}}}}"#),
        (Action.moved(from: 1, to: 2), #"{"moved":{"from":1,"to":2}}"#),
        (Action.picked(Line()), #"{"picked":{"_0":{"sku":"tea","count":2}}}"#),
        (Action.ran({}), #"{"ran":{"_0":{"$function":"() -> ()"}}}"#),
        (Named.one, #"{"one":{}}"#),
        (Derived(), #"{"$class":"Derived","first":1,"second":"two"}"#),
        (Model(), #"{"$class":"Model","total":3,"hidden":{"sku":"tea","count":2}}"#),
        ([1: Failure(), 0: Failure(code: 1)], #"{"0":{"code":1},"1":{"code":7}}"#),
        ([[1]: Failure(), [0]: Failure(code: 1)], #"[[[0],{"code":1}],[[1],{"code":7}]]"#),
        ([Failure.Key(number: 1): 2], #"[[{"number":1},2]]"#),
        (["b": Failure(), "a": Failure(code: 1)], #"{"a":{"code":1},"b":{"code":7}}"#),
        ([Failure?.none, Failure()], #"[null,{"code":7}]"#),
        (Int.self, #"{"$type":"Int"}"#),
        (Character("é"), #""é""#), ("text".dropFirst(), #""ext""#), ([Failure??.none], "[null]"),
        ([.some(.none)] as [Failure??], #"[{"$some":null}]"#), ((), "{}"), (5, "5"), ("text", #""text""#),
        (
            Screen(),
            #"{"lines":[{"sku":"tea","count":2},{"sku":"milk","count":1}],"selection":null,"#
                + #""cancel":{"$function":"@Sendable (Int) -> Bool"},"sizes":{"_0":1,"height":2},"when":"2001-01-01T00:00:00Z","#
                + #""tags":["a","b"],"volume":{"wrappedValue":5},"password":"[redacted]","type":{"$type":"Int"}}"#
        ),
    ]

    @Test(arguments: table.indices) func `each kind of value has its form`(row: Int) {
        let (value, expected) = Self.table[row]
        #expect(ValueDescription(of: value).node.json == expected)
    }

    @Test func `what is Codable is encoded as it is, and no type is named`() throws {
        let lines = ["a": [Line()], "b": []]
        let description = ValueDescription(of: lines)
        #expect(description.node == (try NodeEncoder().encode(lines)))
        #expect(description.types.isEmpty)
        #expect(ValueDescription.typesWithoutCoding(in: [String: [Line]].self).isEmpty)
    }

    @Test func `the types that lack Codable are named once, in their order`() {
        let actions = [Action.loaded(.failure(Failure())), .loaded(.failure(Failure())), .ran({})]
        let names = ["Action", "Result<Array<Line>, Error>", "Failure", "() -> ()"]
        #expect(ValueDescription(of: actions).types == names)
        // The types alone do not tell which error there will be.
        let known = ValueDescription.typesWithoutCoding(in: Action.self)
        #expect(known.first == "Action")
        #expect(known.contains("() -> ()") || !TypeMetadata.isRead)
    }

    @Test func `an instance inside of itself is a reference, and depth and size have limits`() throws {
        let owner = Owner()
        owner.own = owner
        owner.other = owner
        let node = ValueDescription(of: owner).node
        #expect(node["own"] == ["$reference": "Owner"])
        #expect(node["other"] == ["$reference": "Owner"])

        var chain = Owner()
        for _ in 0..<100 {
            let next = Owner()
            next.own = chain
            chain = next
        }
        #expect(ValueDescription(of: chain).node.json.components(separatedBy: "$class").count - 1 == 4)
        #expect(ValueDescription(of: chain).node.json.contains(#"{"$omitted":"Owner"}"#))
        let set = Set((0...ValueDescription.maxParts).map { Failure.Key(number: $0) })
        #expect(ValueDescription(of: set).node == ["$omitted": "Set<Failure.Key>"])
    }

    @Test func `what is too large is cut, and what comes after it is not`() throws {
        struct Whole { var many: [Failure], rest = Failure(code: 3) }
        let count = 2 * ValueDescription.maxParts
        let node = ValueDescription(of: Whole(many: (0..<count).map { Failure(code: $0) })).node
        #expect(node["rest"] == ["code": 3])
        guard case .array(let elements)? = node["many"] else { throw Failure() }
        #expect(elements.last == ["$omitted": .string("\(count - elements.count + 1) more")])
        #expect(elements.count > ValueDescription.maxParts / 5 && elements.count < ValueDescription.maxParts / 2)
        let set = Set((0...ValueDescription.maxParts).map { Failure.Key(number: $0) })
        #expect(ValueDescription(of: set).node == ["$omitted": "Set<Failure.Key>"])
    }

    @Test func `a set or a dictionary is described as a whole or not at all, since its order is random`() throws {
        struct Whole { var many: Any, rest = Failure(code: 3) }
        let count = ValueDescription.maxParts * 2 / 5
        func keys(_ count: Int) -> Set<Failure.Key> { Set((0..<count).map { Failure.Key(number: $0) }) }
        func failures(_ count: Int) -> [Int: Failure] {
            Dictionary(uniqueKeysWithValues: (0..<count).map { ($0, Failure(code: $0)) })
        }
        for (many, name) in [
            (keys(count), "Set<Failure.Key>"), (failures(count), "Dictionary<Int, Failure>"),
            ([[keys(count / 2)]: keys(count / 2)], "Dictionary<Array<Set<Failure.Key>>, Set<Failure.Key>>"),
        ] as [(Any, String)] {
            let node = ValueDescription(of: Whole(many: many)).node
            #expect(node["many"] == ["$omitted": .string(name)])
            #expect(node["rest"] == ["code": 3])
        }
        for many in [keys(count / 2), failures(count / 3), [1: keys(count / 4), 2: keys(count / 4)]] as [Any] {
            let node = ValueDescription(of: Whole(many: many)).node
            #expect(node["many"].map { !$0.json.contains("$omitted") } == true)
            #expect(node["rest"] == ["code": 3])
        }
    }

    @Test func `an unowned property is not read, since its object may be gone`() throws {
        final class Holder {
            let before = 1
            unowned var owner: Owner
            unowned(unsafe) var unsafe: Owner
            var after = Failure()
            init(_ owner: Owner) { (self.owner, unsafe) = (owner, owner) }
        }
        struct Value {
            unowned let owner: Owner
            let number = 2
        }
        guard TypeMetadata.isRead else { return }
        let (holder, value) = { () -> (Holder, Value) in
            let owner = Owner()
            return (Holder(owner), Value(owner: owner))
        }()
        let node = ValueDescription(of: holder).node
        #expect(node["before"] == 1 && node["after"] == ["code": 7])
        #expect(node["$unowned"] == "property 2" && node["$unowned'"] == "property 3")
        #expect(ValueDescription(of: value).node == ["$unowned": "property 1", "number": 2])
    }

    @Test func `a value that fails to encode itself is reflected, without what is unowned`() throws {
        final class Leaf: Encodable {
            let before = 1
            unowned let owner: Owner
            init(_ owner: Owner) { self.owner = owner }
            func encode(to encoder: any Encoder) throws { throw Failure() }
        }
        guard TypeMetadata.isRead else { return }
        let leaf = { Leaf(Owner()) }()
        let node = ValueDescription(of: leaf).node
        #expect(node["before"] == 1 && node["$unowned"] == "property 2")
    }

    @Test func `a value that fails to encode itself is omitted where patterns may match below it`() throws {
        struct Login: Encodable {
            enum CodingKeys: String, CodingKey { case password = "pw" }
            var password = "hunter2"
            func encode(to encoder: any Encoder) throws { throw Failure() }
        }
        struct Form { var logins = [Login()], other = Login() }
        let redactor = try Redactor([("/logins/*/pw", nil)])
        let node = ValueDescription(of: Form(), redactor: redactor).node
        #expect(node["logins"]?.json.contains("hunter2") == false && node["logins"]?.json.contains("$omitted") == true)
        #expect(node["other"] == ["password": "hunter2"])
    }

    @Test func `patterns hide what they match, and equal values have equal nodes`() throws {
        let redactor = try Redactor([("/lines/*/sku", nil), ("/sizes", nil)])
        let node = ValueDescription(of: Screen(), redactor: redactor).node
        #expect(node["lines"] == [["sku": "[redacted]", "count": 2], ["sku": "[redacted]", "count": 1]])
        #expect(node["sizes"] == [:])
        let wrapped = try NodeEncoder(redactor: redactor).encode(Described(Screen()))
        #expect(wrapped == node)
        #expect(try NodeEncoder().encode([Described(Screen())]) == .array([ValueDescription(of: Screen()).node]))
        let sets = (0..<50).map { _ in Set((0..<20).map { Failure.Key(number: $0) }) }
        #expect(Set(sets.map { ValueDescription(of: $0).node.json }).count == 1)
    }

    @Test func `a wrapped value that is Codable is written as itself, and can be read`() throws {
        let node = try NodeEncoder().encode(Described(Line()))
        #expect(node == ["sku": "tea", "count": 2])
        #expect(try NodeDecoder().decode(Described<Line>.self, from: node).value == Line())
        #expect(
            try JSONDecoder().decode(Described<Line>.self, from: JSONEncoder().encode(Described(Line()))).value
                == Line()
        )
        #expect(throws: TreeError.self) { try NodeDecoder().decode(Described<Failure>.self, from: ["code": 7]) }
    }

    @Test func `a wrapped value without parts still tells that it is not Codable`() throws {
        for value in [Described<Failure?>(nil), Described<Failure?>(Failure())] {
            let encoder = TextEncoder()
            _ = try encoder.encode(value)
            #expect(!encoder.typesWithoutCoding.isEmpty)
        }
        let encoder = TextEncoder()
        _ = try encoder.encode(Described<[String: Any]>(["a": 1]))
        #expect(encoder.typesWithoutCoding == ["Dictionary<String, Any>"])
        _ = try encoder.encode(Described(Line()))
        #expect(encoder.typesWithoutCoding.isEmpty)
        // Patterns need the path, which a stream of JSON does not keep.
        let redacting = TextEncoder(redactor: try Redactor([("/sku", nil)]))
        _ = try redacting.encode(Described<[String: Any]>(["a": 1]))
        #expect(redacting.typesWithoutCoding == ["Dictionary<String, Any>"])
    }

    @Test func `a type has its name without the module, and with the types around it`() {
        #expect(ValueDescription.name(of: Failure.Key.self) == "Failure.Key")
        #expect(
            ValueDescription.name(of: [String: Result<Failure, any Error>].self)
                == "Dictionary<String, Result<Failure, Error>>"
        )
        #expect(ValueDescription.name(of: (@Sendable (Line) -> Int?).self) == "@Sendable (Line) -> Optional<Int>")
    }

    @Test func `redacted properties are noted with their paths`() throws {
        let redactor = try Redactor([("/x/a", nil)])
        _ = try NodeEncoder(redactor: redactor).encode(["a": Described(Screen())])
        #expect(redactor.fieldPatterns == ["/*/password"], "\(redactor.fieldPatterns)")
    }

    @Test func `redacted properties are noted without keys of dictionaries, and not below a hidden value`() throws {
        struct Account { @Redacted var password = "hunter2" }
        struct Bank { var accounts = ["zoe@example.com": Account()], hidden = ["kari@example.com": Account()] }
        let redactor = try Redactor([("/hidden", nil)])
        let node = ValueDescription(of: Bank(), redactor: redactor).node
        #expect(node == ["accounts": ["zoe@example.com": ["password": "[redacted]"]], "hidden": [:]])
        #expect(redactor.fieldPatterns == ["/accounts/*/password"], "\(redactor.fieldPatterns)")
    }

    @Test func `redacted properties are noted if there are no patterns, too`() throws {
        let redactor = try Redactor()
        let encoder = TextEncoder(redactor: redactor)
        _ = try encoder.encode(Described(Screen()))
        #expect(redactor.fieldPatterns == ["/password"], "\(redactor.fieldPatterns)")
        #expect(!encoder.typesWithoutCoding.isEmpty)
    }

    @Test func `changes inside of objects are found`() throws {
        let finder = ChangeFinder<Described<Owner>>()
        let owner = Owner()
        try finder.start(from: Described(owner))
        owner.name = "Ola"
        let patch = try finder.patch(from: Described(owner), to: Described(owner))
        #expect(patch.node.json.contains(#""path":"/name""#) && patch.node.json.contains("Ola"), "\(patch.node.json)")
    }
}

extension Failure {
    fileprivate struct Key: Hashable { var number: Int }
}
