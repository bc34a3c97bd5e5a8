import CShapes
import Foundation
import TestSupport
import Testing

@testable import HindsightTree

#if os(Linux)
    @_spi(Reflection) import Swift
#endif

@Suite struct BitwiseComparatorTests {
    struct Padded {
        var flag: Bool
        var number: Int
        var small: UInt16
        var text: String
        var inner: Inner
        var last: Bool
    }
    struct Inner {
        var byte: UInt8
        var word: UInt32
    }

    /// A value of a type, with the bytes outside all fields set to `garbage`.
    private func withGarbage(_ value: Padded, _ garbage: UInt8, _ body: (UnsafeRawPointer) -> Void) {
        let memory = UnsafeMutableRawPointer.allocate(
            byteCount: MemoryLayout<Padded>.stride,
            alignment: MemoryLayout<Padded>.alignment
        )
        defer { memory.deallocate() }
        memory.initializeMemory(as: UInt8.self, repeating: garbage, count: MemoryLayout<Padded>.stride)
        // Field by field: assigning the whole struct may copy its padding, too.
        let fields = memory.assumingMemoryBound(to: Padded.self)
        fields.pointer(to: \.flag)!.initialize(to: value.flag)
        fields.pointer(to: \.number)!.initialize(to: value.number)
        fields.pointer(to: \.small)!.initialize(to: value.small)
        fields.pointer(to: \.text)!.initialize(to: value.text)
        fields.pointer(to: \.inner.byte)!.initialize(to: value.inner.byte)
        fields.pointer(to: \.inner.word)!.initialize(to: value.inner.word)
        fields.pointer(to: \.last)!.initialize(to: value.last)
        body(memory)
        fields.deinitialize(count: 1)
    }

    private let value = Padded(
        flag: true,
        number: 3,
        small: 9,
        text: "a text that is stored on the heap",
        inner: Inner(byte: 1, word: 2),
        last: false
    )

    @Test(.enabled(if: TypeMetadata.isRead)) func `Padding does not count if the fields are known`() {
        withGarbage(value, 0xAA) { left in
            withGarbage(value, 0x55) { right in
                let masked = BitwiseComparator(of: Padded.self).hasSameBits(left, right)
                #expect(masked)
                #expect(!BitwiseComparator(of: Padded.self, reflecting: false).hasSameBits(left, right))
                #expect(BitwiseComparator(of: Padded.self, reflecting: false).hasSameBits(left, left))
                #expect(masked || !BitwiseComparator(of: Padded.self).isDense)
            }
        }
    }

    @Test(arguments: [true, false])
    func `Every field counts`(reflecting: Bool) {
        let bits = BitwiseComparator(of: Padded.self, reflecting: reflecting)
        let changes: [(inout Padded) -> Void] = [
            { $0.flag = false }, { $0.number += 1 << 60 }, { $0.small += 1 }, { $0.text += "!" }, { $0.inner.byte = 0 },
            { $0.inner.word += 1 << 31 }, { $0.last = true },
        ]
        for change in changes {
            var other = value
            change(&other)
            withGarbage(value, 0) { left in withGarbage(other, 0) { #expect(!bits.hasSameBits(left, $0)) } }
        }
    }

    @Test(arguments: [true, false], Seeded.runs(3))
    func `Equal bits never hide a difference`(reflecting: Bool, random: Seeded) throws {
        var random = random
        let bits = BitwiseComparator(of: RandomState.Item.self, reflecting: reflecting)
        var items = (0..<30).map { _ in RandomState.Item.random(using: &random) }
        items += items
        for _ in 0..<20 { items[Int.random(in: 0..<60, using: &random)].change(using: &random) }
        let nodes = try items.map { try NodeEncoder().encode($0) }
        items.withUnsafeBufferPointer { elements in
            let base = elements.baseAddress!
            for left in elements.indices {
                for right in elements.indices where bits.hasSameBits(base + left, base + right) {
                    #expect(nodes[left] == nodes[right], "\(random)")
                }
            }
        }
    }

    @Test func `The common prefix is that of a brute-force search`() {
        for bits in [BitwiseComparator(of: UInt16.self), BitwiseComparator(of: UInt16.self, reflecting: false)] {
            for (count, place) in [
                (0, nil), (1, 0), (1, nil), (5_000, 4_999), (5_000, 0), (5_000, 2_047), (5_000, 2_048), (5_000, nil),
            ] as [(Int, Int?)] {
                let left = [UInt16](repeating: 7, count: count)
                var right = left
                if let place { right[place] = 8 }
                let expected = place ?? count
                #expect(bits.samePrefix(left, right, count: count) == expected)
            }
        }
    }

    final class Instance: Codable, Sendable {}
    final class Hidden: Sendable {}
    struct Recursive: Codable { var children: [Recursive]; var more: [String: Recursive] }
    struct Generic<T> { var value: T }

    @Test(.enabled(if: TypeMetadata.isRead)) func `Types that hold instances are recognised`() {
        #expect(InstanceDetection.mayHoldInstances(Instance.self))
        #expect(InstanceDetection.mayHoldInstances([Instance].self))
        #expect(InstanceDetection.mayHoldInstances([String: Optional<Instance>].self))
        #expect(InstanceDetection.mayHoldInstances(Generic<[Generic<Instance>]>.self))
        #expect(!InstanceDetection.mayHoldInstances(Generic<Hidden>.self))
        #expect(!InstanceDetection.mayHoldInstances(Recursive.self))
        #expect(!InstanceDetection.mayHoldInstances(RandomState.self))
        #expect(!InstanceDetection.mayHoldInstances((Data, URL, Decimal, Date, UUID).self))
    }

    protocol Shape: Sendable {}
    enum Choice { case one(any Shape), two }
    struct Holder<T> { var items: [T]; var number: Int8 }

    @Test(.enabled(if: TypeMetadata.isRead))
    func `Existentials, functions and metatypes are classified inside other types`() {
        #expect(InstanceDetection.mayHoldInstances(Holder<any Shape>.self))
        #expect(InstanceDetection.mayHoldInstances(Holder<(any Shape)?>.self))
        #expect(InstanceDetection.mayHoldInstances(Holder<any Shape & Codable>.self))
        #expect(InstanceDetection.mayHoldInstances(Generic<any Error>.self))
        #expect(InstanceDetection.mayHoldInstances((Int, any Shape).self))
        #expect(InstanceDetection.mayHoldInstances(Generic<Any>.self))
        #expect(!InstanceDetection.mayHoldInstances(Holder<any Shape.Type>.self))
        #expect(!InstanceDetection.mayHoldInstances(Holder<() -> Void>.self))
        #expect(!InstanceDetection.mayHoldInstances(Generic<@Sendable (Int) async throws -> String>.self))
        #expect(InstanceDetection.mayHoldInstances(Holder<Choice>.self))
        #expect(!InstanceDetection.mayHoldInstances(Holder<Never>.self))
        #expect(!InstanceDetection.mayHoldInstances(Holder<Void>.self))
        #expect(!InstanceDetection.mayHoldInstances(Holder<Hidden>.self))
    }

    enum Screen: Codable { case home, doc(Instance), deep([Int: [Screen]]) }
    enum Plain: Codable { case home, named(String), deep([Int: [Plain]]) }

    @Test(.enabled(if: TypeMetadata.isRead)) func `Payloads of enums and arguments of generic types are examined`() {
        #expect(InstanceDetection.mayHoldInstances(Screen.self))
        #expect(InstanceDetection.mayHoldInstances(Result<Instance, any Error>.self))
        #expect(InstanceDetection.mayHoldInstances(ArraySlice<Instance>.self))
        #expect(InstanceDetection.mayHoldInstances(AnyHashable.self))
        #expect(!InstanceDetection.mayHoldInstances(Plain.self))
        #expect(!InstanceDetection.mayHoldInstances(Range<String>.self))
        #expect(!InstanceDetection.mayHoldInstances(ArraySlice<String>.self))
        #expect(
            !InstanceDetection.mayHoldInstances(
                (Locale, Calendar, TimeZone, DateComponents, IndexSet, CharacterSet).self
            )
        )
        #expect(InstanceDetection.refersToInstance(Screen.self))
        #expect(InstanceDetection.refersToInstance(Generic<Instance?>.self))
        #expect(!InstanceDetection.refersToInstance(Generic<[Instance]>.self))
        #expect(!InstanceDetection.refersToInstance(Plain.self))
    }

    @Test func `Unknown types count as types that may hold instances`() {
        #expect(InstanceDetection.mayHoldInstances(Screen.self))
        #expect(InstanceDetection.mayHoldInstances([String: Screen].self))
        #expect(InstanceDetection.mayHoldInstances(Generic<any Shape>.self))
        // Known without reflection.
        #expect(!InstanceDetection.mayHoldInstances([String: [Int?]].self))
        #expect(!InstanceDetection.mayHoldInstances(Set<UUID>.self))
    }

    #if os(Linux)
        @Test(.enabled(if: TypeMetadata.isRead)) func `Fields are those that the standard library reports`() {
            func check<T>(_ type: T.Type) {
                var fields: [String] = []
                _forEachField(of: type) { _, offset, fieldType, _ in
                    fields.append("\(fieldType) at \(offset)")
                    return true
                }
                let parts = TypeMetadata(type).parts ?? []
                #expect(parts.map { "\($0.type ?? Never.self) at \($0.offset ?? -1)" } == fields, "\(type)")
            }
            check(Padded.self)
            check(Inner.self)
            check(Recursive.self)
            check(Generic<[String: Padded]>.self)
            check(Generic<Generic<any Shape>>.self)
            check(Holder<Never>.self)
            check(RandomState.self)
            check(RandomState.Item.self)
            check((Int8, String, Padded).self)
        }
    #endif

    @Test func `Bytes of a C struct that belong to no listed field count`() {
        var left = flagged()
        left.kind = 1
        left.count = 2
        var right = left
        right.high = 3
        let bits = BitwiseComparator(of: flagged.self)
        #expect(bits.hasSameBits(&left, &left))
        #expect(!bits.hasSameBits(&left, &right))
        let wrapped = BitwiseComparator(of: Generic<flagged>.self)
        var (first, second) = (Generic(value: left), Generic(value: right))
        #expect(!wrapped.hasSameBits(&first, &second))
    }
}
