import Foundation

@testable import HindsightTree

/// A state with all kinds of values, with random contents and random changes.
struct RandomState: Codable, Equatable {
    struct Item: Codable, Equatable {
        var id: Int
        var title: String
        var done: Bool
        var tags: [String]
        var due: Date?
        var price: Decimal
        var level: UInt8
        var weight: Float
    }
    enum Screen: Codable, Equatable {
        case home
        case item(id: Int, tab: String?)
        case stack([Screen])
        indirect case over(Screen, of: Screen)
    }
    enum Size: String, Codable, CaseIterable { case small, medium, large }
    struct Place: Codable, Hashable {
        var x: Int8
        var y: Int64
    }
    struct Wrapped: Codable, Equatable {
        var value: [Int]?
        init(value: [Int]?) { self.value = value }
        init(from decoder: any Decoder) throws { value = try decoder.singleValueContainer().decode([Int]?.self) }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(value)
        }
    }

    var counter = 0
    var big: UInt64 = .max
    var ratio = 0.5
    var text = ""
    var items: [Item] = []
    var screen = Screen.home
    var maybe: Int??
    var maybeWrapped: Wrapped?
    var names: [String: String] = [:]
    var stock: [Size: Int] = [:]
    var places: [Place: [String]] = [:]
    var levels: [Int: Item] = [:]
    var chosen: Set<String> = []
    var points: Set<Place> = []
    var blob = Data()
    var matrix: [[Double]] = []
    var optionals: [Int?] = []
    var contiguous: ContiguousArray<Int16> = []
    var range = 0..<1
    var link: URL?
    var flags = [Bool]()
}

extension RandomState {
    static func random(using random: inout some RandomNumberGenerator) -> RandomState {
        var state = RandomState()
        for _ in 0..<60 { state.change(using: &random) }
        return state
    }

    /// One random change, in place as a reducer makes it.
    mutating func change(using random: inout some RandomNumberGenerator) {
        switch Int.random(in: 0..<24, using: &random) {
        case 0: counter &+= Int.random(in: -2...2, using: &random)
        case 1: big = .random(in: 0 ... .max, using: &random)
        case 2:
            ratio = [.nan, -0.0, 0, .infinity, Double(bitPattern: 0x7FF8_0000_0000_0001), 0.1].randomElement(
                using: &random
            )!
        case 3: edit(&text, using: &random)
        case 4: items.insert(.random(using: &random), at: Int.random(in: 0...items.count, using: &random))
        case 5: if let index = items.indices.randomElement(using: &random) { items.remove(at: index) }
        case 6: if let index = items.indices.randomElement(using: &random) { items[index].change(using: &random) }
        case 7: for index in items.indices { items[index].done.toggle() }
        case 8: items.shuffle(using: &random)
        case 9: if !items.isEmpty { items.append(items.removeFirst()) }
        case 10: screen = .random(depth: 3, using: &random)
        case 11: maybe = [nil, .some(nil), .some(.some(1))].randomElement(using: &random)!
        case 12:
            maybeWrapped = [nil, Wrapped(value: nil), Wrapped(value: []), Wrapped(value: [1])].randomElement(
                using: &random
            )!
        case 13:
            names[["a", "b", "é", "e\u{301}", "$some", "$data", "~/"].randomElement(using: &random)!] = word(
                using: &random
            )
        case 14: names[names.keys.randomElement(using: &random) ?? ""] = nil
        case 15: stock[Size.allCases.randomElement(using: &random)!] = [nil, 1, 2].randomElement(using: &random)!
        case 16: places[Place(x: .random(in: -3...3, using: &random), y: 7), default: []].append(word(using: &random))
        case 17:
            levels[.random(in: 0..<20, using: &random)] = Bool.random(using: &random) ? .random(using: &random) : nil
        case 18: if chosen.remove(word(using: &random)) == nil { chosen.insert(word(using: &random)) }
        case 19: points.insert(Place(x: .random(in: -9...9, using: &random), y: .random(in: 0...3, using: &random)))
        case 20: blob.insert(.random(in: 0...255, using: &random), at: Int.random(in: 0...blob.count, using: &random))
        case 21:
            if Bool.random(using: &random) { matrix.append([]) }
            if let row = matrix.indices.randomElement(using: &random) {
                matrix[row].append(.random(in: 0..<1, using: &random))
            }
            optionals.append(Bool.random(using: &random) ? nil : 3)
        case 22:
            contiguous.append(.random(in: 0...9, using: &random))
            range = 0..<Int.random(in: 0...9, using: &random)
            link = Bool.random(using: &random) ? nil : URL(string: "https://example.com/\(word(using: &random))")
        default:
            flags = (0..<Int.random(in: 0...40, using: &random)).map { _ in Bool.random(using: &random) }
        }
    }

    private func edit(_ text: inout String, using random: inout some RandomNumberGenerator) {
        let places = Array(text.unicodeScalars.indices) + [text.endIndex]
        let start = places.randomElement(using: &random)!
        let end = places.filter { $0 >= start }.prefix(6).randomElement(using: &random)!
        text.unicodeScalars.replaceSubrange(start..<end, with: word(using: &random).unicodeScalars)
    }
}

extension RandomState.Item {
    static func random(using random: inout some RandomNumberGenerator) -> RandomState.Item {
        RandomState.Item(
            id: .random(in: 0...999, using: &random),
            title: word(using: &random),
            done: .random(using: &random),
            tags: (0..<Int.random(in: 0...3, using: &random)).map { _ in word(using: &random) },
            due: Bool.random(using: &random)
                ? nil : Date(timeIntervalSinceReferenceDate: .random(in: -1e9...1e9, using: &random)),
            price: Decimal(sign: .plus, exponent: -2, significand: Decimal(Int.random(in: 0...9999, using: &random))),
            level: .random(in: 0...3, using: &random),
            weight: .random(in: 0...1, using: &random)
        )
    }

    mutating func change(using random: inout some RandomNumberGenerator) {
        switch Int.random(in: 0..<4, using: &random) {
        case 0: done.toggle()
        case 1: title += word(using: &random)
        case 2: due = due == nil ? Date(timeIntervalSinceReferenceDate: 5) : nil
        default: tags.append(word(using: &random))
        }
    }
}

extension RandomState.Screen {
    static func random(depth: Int, using random: inout some RandomNumberGenerator) -> RandomState.Screen {
        switch Int.random(in: 0..<(depth == 0 ? 2 : 4), using: &random) {
        case 0: .home
        case 1: .item(id: .random(in: 0...3, using: &random), tab: Bool.random(using: &random) ? nil : "info")
        case 2: .stack((0..<2).map { _ in .random(depth: depth - 1, using: &random) })
        default: .over(.random(depth: depth - 1, using: &random), of: .random(depth: depth - 1, using: &random))
        }
    }
}

private func word(using random: inout some RandomNumberGenerator) -> String {
    let words = [
        "", "a", "é", "e\u{301}", "\u{301}", "👩‍👧", "\0", "\n", "\u{1b}[31m", "a longer piece of text with words in it",
        String(repeating: "lorem ipsum dolor ", count: 12), "\"quoted\"", "line\nline\nline\n",
    ]
    return words.randomElement(using: &random)!
}
