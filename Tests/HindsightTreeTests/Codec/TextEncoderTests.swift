import Foundation
import TestSupport
import Testing

@testable import HindsightTree

/// The direct text encoding equals the text of the nodes, byte for byte.
///
/// Serialized: a container that a type keeps after its `encode(to:)` could otherwise reach another test.
@Suite("Direct text encoding", .serialized) struct TextEncoderTests {
    private func expectSame<T: Encodable>(
        _ value: T,
        with encoder: TextEncoder = TextEncoder(),
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let node = try NodeEncoder().encode(value)
        #expect(try encoder.encode(value) == node.outline, sourceLocation: sourceLocation)
        #expect(encoder.text == node.json, sourceLocation: sourceLocation)
    }

    @Test func `Random states encode to the text of their nodes`() throws {
        let encoder = TextEncoder()
        for var random in Seeded.runs(300) {
            let state = RandomState.random(using: &random)
            try expectSame(state, with: encoder)
            for item in state.items { try expectSame(item, with: encoder) }
            try expectSame(RandomState.Screen.random(depth: 4, using: &random), with: encoder)
            try expectSame(state.names, with: encoder)
            try expectSame(state.optionals, with: encoder)
        }
    }

    /// Each has a key type of its own.
    private struct Shell<Inner: Encodable>: Encodable {
        var name = "\(Inner.self)".count
        var inner: Inner
        var isLast: Bool?
        var rest: [Inner] = []
    }
    private typealias Shells<Inner: Encodable> = Shell<Shell<Shell<Shell<Shell<Shell<Inner>>>>>>

    /// More types than the cache holds, nested and in sequence.
    @Test func `Many key types stay distinct`() throws {
        func shell<Inner>(_ inner: Inner) -> Shells<Inner> {
            func one<Some>(_ some: Some) -> Shell<Some> { Shell(inner: some, isLast: true, rest: [some]) }
            return one(one(one(one(one(one(inner))))))
        }
        let encoder = TextEncoder()
        for _ in 1...3 {
            try expectSame(shell(1), with: encoder)
            try expectSame(shell(Shell(inner: Shell(inner: "two"))), with: encoder)
            try expectSame(Shell(inner: Shell(inner: shell([true]))), with: encoder)
            try expectSame([shell(1.5)], with: encoder)
        }
        var table = TypeCache<Int>()
        let types: [Any.Type] = [
            Int.self, Int8.self, Int16.self, Int32.self, Int64.self, UInt.self, UInt8.self, UInt16.self, UInt32.self,
            UInt64.self, Bool.self, String.self, Double.self, Float.self, Character.self, [Int].self, [Bool].self,
            Shell<Int>.self, Shell<Bool>.self, Shell<String>.self, Data.self, Date.self, UUID.self, URL.self,
        ]
        for (number, type) in types.enumerated() {
            table[ObjectIdentifier(type)] = number
            #expect(table[ObjectIdentifier(type)] == number)
        }
        for (number, type) in types.enumerated() {
            let found = table[ObjectIdentifier(type)]
            #expect(found == nil || found == number)
        }
        #expect(types.contains { table[ObjectIdentifier($0)] != nil })
    }

    @Test func `A value under a key is an object with one member`() throws {
        let encoder = TextEncoder()
        for key in ["AddItem", "\"", "$some", "$data", "$", ""] {
            _ = try encoder.encode([1, 2], under: key)
            #expect(encoder.text == Node.object([Node.Member(key, [1, 2])]).json)
        }
    }

    /// Unusual uses of `encode(to:)`.
    enum Oddity: Int, CaseIterable, Encodable {
        case backToTheOuter, backToTheInner, twiceTheKey, sameKeyByScalars, reserved, reservedInside, nothing
        case twoSingles, noSingle, mixed, asksForThePath, asksDeepInside, superclass, superKey, sharedContainer
        case swallowsAFailure, counts, nestedUnkeyed, nilAndPresent, manyKeys, keepsAContainer, longInside, data
        case outerFromASet, outerFromAnOptional, outerFromDeepInside, outerAgainFromASet

        enum Keys: String, CodingKey { case a, b, c, super_ = "super" }
        struct Name: CodingKey {
            var stringValue: String
            var intValue: Int? { nil }
            init(_ name: String) { stringValue = name }
            init?(stringValue: String) { self.stringValue = stringValue }
            init?(intValue: Int) { nil }
        }
        struct Bad: Encodable {
            struct Reason: Error {}
            func encode(to encoder: any Encoder) throws { throw Reason() }
        }
        struct Path: Encodable {
            func encode(to encoder: any Encoder) throws {
                var container = encoder.singleValueContainer()
                try container.encode(encoder.codingPath.map(\.stringValue).joined(separator: "/"))
            }
        }
        nonisolated(unsafe) static var kept: KeyedEncodingContainer<Keys>?
        /// Writes into its parent container while it is encoded.
        struct Intruder: Encodable, Hashable {
            nonisolated(unsafe) static var around: ((any Encodable) throws -> Void)?
            func encode(to encoder: any Encoder) throws {
                try Self.around?(Set([1]))
                var container = encoder.singleValueContainer()
                try container.encode("in")
            }
        }

        func encode(to encoder: any Encoder) throws {
            switch self {
            case .backToTheOuter, .backToTheInner:
                var outer = encoder.container(keyedBy: Keys.self)
                var inner = outer.nestedContainer(keyedBy: Keys.self, forKey: .a)
                try inner.encode(1, forKey: .a)
                try outer.encode(2, forKey: .b)
                if self == .backToTheInner { try inner.encode(3, forKey: .b) }
                try outer.encode(4, forKey: .c)
            case .twiceTheKey:
                var container = encoder.container(keyedBy: Keys.self)
                try container.encode(1, forKey: .a)
                try container.encode(2, forKey: .b)
                try container.encode("x", forKey: .a)
            case .sameKeyByScalars:
                var container = encoder.container(keyedBy: Name.self)
                try container.encode(1, forKey: Name("é"))
                try container.encode(2, forKey: Name("e\u{301}"))
            case .reserved:
                var container = encoder.container(keyedBy: Name.self)
                try container.encode(1, forKey: Name("$some"))
            case .reservedInside:
                var container = encoder.container(keyedBy: Name.self)
                try container.encode(["$data": 1], forKey: Name("a"))
            case .nothing:
                break
            case .twoSingles, .noSingle:
                var container = encoder.singleValueContainer()
                if self == .noSingle { return }
                try container.encode(1)
                try container.encode(2)
            case .mixed:
                var keyed = encoder.container(keyedBy: Keys.self)
                try keyed.encode(1, forKey: .a)
                var unkeyed = encoder.unkeyedContainer()
                try unkeyed.encode(1)
            case .asksForThePath:
                var container = encoder.container(keyedBy: Keys.self)
                try container.encode(Path(), forKey: .a)
            case .asksDeepInside:
                var container = encoder.container(keyedBy: Keys.self)
                try container.encode(Set([[""]]), forKey: .b)
                try container.encodeIfPresent([Path(), Path()], forKey: .a)
            case .superclass, .superKey:
                var container = encoder.container(keyedBy: Keys.self)
                let inner = self == .superKey ? container.superEncoder(forKey: .b) : container.superEncoder()
                try 7.encode(to: inner)
            case .sharedContainer:
                var first = encoder.container(keyedBy: Keys.self)
                try first.encode([1: "x"], forKey: .a)
                var second = encoder.container(keyedBy: Name.self)
                try second.encode([true: 1], forKey: Name("more"))
            case .swallowsAFailure:
                var container = encoder.container(keyedBy: Keys.self)
                try? container.encode([1: Bad()], forKey: .a)
                try? container.encode(Bad(), forKey: .b)
                try container.encode(1, forKey: .c)
            case .counts:
                var container = encoder.unkeyedContainer()
                for _ in 0..<3 { try container.encode(container.count) }
            case .nestedUnkeyed:
                var container = encoder.unkeyedContainer()
                var inner = container.nestedUnkeyedContainer()
                try inner.encodeNil()
                var innermost = inner.nestedContainer(keyedBy: Keys.self)
                try innermost.encode(UInt64.max, forKey: .a)
                var last = inner.nestedUnkeyedContainer()
                try last.encode(1.5 as Float)
            case .nilAndPresent:
                var container = encoder.container(keyedBy: Keys.self)
                try container.encodeNil(forKey: .a)
                try container.encodeIfPresent(Int??.some(nil), forKey: .b)
                try container.encodeIfPresent(URL(string: "a b"), forKey: .c)
            case .manyKeys:
                var container = encoder.container(keyedBy: Name.self)
                for number in 0..<50 { try container.encode(number, forKey: Name("key \(number)")) }
            case .keepsAContainer:
                var container = encoder.container(keyedBy: Keys.self)
                try container.encode(1, forKey: .a)
                Self.kept = container
            case .longInside:
                var container = encoder.container(keyedBy: Keys.self)
                try container.encode((0..<50).map { "\($0)\n" }, forKey: .a)
            case .outerFromASet, .outerFromAnOptional, .outerFromDeepInside, .outerAgainFromASet:
                var container = encoder.container(keyedBy: Keys.self)
                let same = container
                Intruder.around = { value in
                    var outer = self == .outerAgainFromASet ? encoder.container(keyedBy: Keys.self) : same
                    try outer.encode(value, forKey: .b)
                }
                defer { Intruder.around = nil }
                switch self {
                case .outerFromAnOptional: try container.encodeIfPresent(Intruder(), forKey: .a)
                case .outerFromDeepInside: try container.encode([[[Intruder()]]: [1]], forKey: .a)
                default: try container.encode(Set([Intruder()]), forKey: .a)
                }
            case .data:
                var container = encoder.container(keyedBy: Keys.self)
                try container.encode(Data([1, 2]), forKey: .a)
            }
        }
    }

    @Test(arguments: Oddity.allCases)
    func `Unusual uses of encode lead to the same text`(odd: Oddity) throws {
        let encoder = TextEncoder()
        struct Around: Encodable {
            var before = 1
            var odd: Oddity
            var after = [true]
        }
        for _ in 0..<2 {
            do {
                try expectSame(odd, with: encoder)
                try expectSame([odd, odd], with: encoder)
                try expectSame(["a": odd, "b": odd], with: encoder)
                try expectSame(Around(odd: odd), with: encoder)
            } catch let error as TreeError {
                let again = #expect(throws: TreeError.self) { try encoder.encode(odd) }
                let direct = #expect(throws: TreeError.self) { try NodeEncoder().encode(odd) }
                #expect(again == direct, "\(error)")
            }
        }
    }

    @Test func `A container that is kept after encoding does not change later texts`() throws {
        let encoder = TextEncoder()
        struct Reckless: Encodable {
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: Oddity.Keys.self)
                try container.encode(1, forKey: .a)
                do {
                    try Oddity.kept?.encode("stray", forKey: .b)
                } catch {
                    // The encoding may throw.
                }
                try container.encode(2, forKey: .c)
            }
        }
        _ = try encoder.encode(Oddity.keepsAContainer)
        _ = try encoder.encode(Reckless())
        #expect(encoder.text == #"{"a":1,"c":2}"#)
        Oddity.kept = nil
    }

    @Test(arguments: [1, 60, 63, 64, 65, 200, 510, 511, 512, 513, 600])
    func `The depth limit is that of nodes`(depth: Int) throws {
        indirect enum Nest: Encodable {
            case end
            case array([Nest])
            case keyed(Nest)
            case either(Nest?)

            func encode(to encoder: any Encoder) throws {
                switch self {
                case .end: break
                case .array(let nests):
                    var container = encoder.singleValueContainer()
                    try container.encode(nests)
                case .keyed(let nest):
                    var container = encoder.container(keyedBy: Oddity.Keys.self)
                    try container.encode(nest, forKey: .a)
                case .either(let nest):
                    var container = encoder.container(keyedBy: Oddity.Keys.self)
                    try container.encodeIfPresent(nest, forKey: .a)
                }
            }
        }
        for kind in 0..<3 {
            var nest = Nest.end
            for level in 0..<depth {
                nest = kind == 0 ? .array([nest]) : level % 2 == 0 || kind == 1 ? .keyed(nest) : .either(nest)
            }
            let encoder = TextEncoder()
            do {
                let json = try NodeEncoder().encode(nest).json
                _ = try encoder.encode(nest)
                #expect(encoder.text == json)
            } catch {
                #expect(throws: error) { try encoder.encode(nest) }
            }
        }
    }
}
