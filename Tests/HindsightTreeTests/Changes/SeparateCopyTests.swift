import TestSupport
import Testing

@testable import HindsightTree

// Without reflection, no arrays are found, and none are kept apart.
@Suite(.enabled(if: TypeMetadata.isRead)) struct SeparateCopyTests {
    private struct Row: Codable {
        var isDone = false
        var name: String
        var tags: [String]
    }
    private struct Part: Codable {
        var title = "a part"
        var rows: [Row]
    }
    private struct Value: Codable {
        var count = 0
        var part: Part
        var names: [String]
        var numbers = [1, 2, 3]
        var lookup: [String: Int] = [:]
        var maybe: String?
    }

    private static func value(_ count: Int) -> Value {
        let rows = (0..<count).map { Row(name: "the name of row number \($0)", tags: ["tag \($0)"]) }
        return Value(part: Part(rows: rows), names: rows.map(\.name))
    }

    private static func change(_ value: inout Value, _ random: inout Seeded) {
        value.count += random.below(2)
        let place = random.below(max(1, value.part.rows.count))
        switch random.below(12) {
        case 0: value.part.rows.append(Row(name: "new", tags: []))
        case 1 where !value.part.rows.isEmpty: value.part.rows.remove(at: place)
        case 2: value.part.rows.insert(Row(name: "another row that was new", tags: ["a", "b"]), at: 0)
        case 3: value.names = value.names.reversed()
        case 4: value.names = []
        case 5: value = Self.value(random.below(800))
        case 6: value.lookup["\(random.below(9))"] = random.below(9)
        case 7: value.maybe = random.once(in: 2) ? nil : "text \(random.below(9))"
        case 8: value.numbers.append(random.below(9))
        default:
            if value.part.rows.isEmpty { return }
            value.part.rows[place].isDone.toggle()
            if random.once(in: 2) { value.part.rows[place].tags.append("one more tag \(place)") }
        }
    }

    @Test(arguments: Seeded.runs(20))
    func `The copy equals the value after each update, and stays as it is when the value changes`(
        random: Seeded
    ) throws {
        var random = random
        let copy = try #require(SeparateCopy<Value>())
        var value = Self.value(700)
        for _ in 0..<60 {
            copy.update(to: value)
            let before = try NodeEncoder().encode(value)
            #expect(try NodeEncoder().encode(copy.value) == before, "\(random)")
            Self.change(&value, &random)
            #expect(try NodeEncoder().encode(copy.value) == before, "\(random)")
            // A second reference must not be changed by the next update.
            if random.once(in: 5) {
                let kept = copy.value
                copy.update(to: value)
                #expect(try NodeEncoder().encode(kept) == before, "\(random)")
            }
            if random.once(in: 20) { copy.clear() }
        }
    }

    @Test func `A change of the value and an update copy no array`() throws {
        let copy = try #require(SeparateCopy<Value>())
        var value = Self.value(600)
        copy.update(to: value)
        func storage(_ value: Value) -> [UnsafeRawPointer?] {
            [
                value.part.rows.withUnsafeBufferPointer { UnsafeRawPointer($0.baseAddress) },
                value.names.withUnsafeBufferPointer { UnsafeRawPointer($0.baseAddress) },
            ]
        }
        value.part.rows[3].isDone = true
        value.names[2] = "another name, also a long one"
        copy.update(to: value)
        let (first, firstOfCopy) = (storage(value), storage(copy.value))
        for index in 0..<50 {
            value.part.rows[index].isDone.toggle()
            value.names[index] += "!"
            copy.update(to: value)
        }
        #expect(storage(value) == first)
        #expect(storage(copy.value) == firstOfCopy)
        #expect(Set(first).isDisjoint(with: firstOfCopy))
    }

    @Test func `An update says whether a large array has changed`() throws {
        let copy = try #require(SeparateCopy<Value>())
        var value = Self.value(600)
        #expect(!copy.update(to: value))
        #expect(!copy.update(to: value))
        value.count += 1
        value.numbers.append(4)
        #expect(!copy.update(to: value))
        value.part.rows[599].name = "changed"
        #expect(copy.update(to: value))
        #expect(!copy.update(to: value))
        value.names.removeLast()
        #expect(copy.update(to: value))
        value.names = ["few"]
        #expect(!copy.update(to: value))
    }

    @Test func `Only arrays whose elements refer to memory are kept apart`() {
        struct Numbers: Codable {
            var numbers: [Int] = []
            var text = ""
            var lookup: [String: [String]] = [:]
        }
        #expect(SeparateCopy<Numbers>() == nil)
        #expect(SeparateCopy<Int>() == nil)
        #expect(SeparateCopy<[[Int]]>() != nil)
    }

    @Test func `Only another storage of a large array counts as such`() throws {
        let copy = try #require(SeparateCopy<Value>())
        for (count, isLarge) in [(600, true), (20, false)] {
            let old = Self.value(count)
            var new = old
            new.count += 1
            #expect(!copy.hasOtherStorage(old, new))
            new.part.rows[5].isDone = true
            #expect(copy.hasOtherStorage(old, new) == isLarge)
        }
    }
}
