import Foundation
import Testing

@testable import HindsightTree

/// Every kind of value that the codec preserves, through a node and through JSON text.
@Suite struct RoundTripTests {
    /// Encodes, writes, reads and decodes, compares by `isSame`, and returns the JSON.
    private func expectKept<T: Codable>(
        _ value: T,
        json expected: String? = nil,
        sourceLocation: SourceLocation = #_sourceLocation,
        isSame: (T, T) -> Bool
    ) throws {
        let node = try NodeEncoder().encode(value)
        let json = node.json
        let encoder = TextEncoder()
        #expect(try encoder.encode(value) == node.outline, sourceLocation: sourceLocation)
        #expect(encoder.text == json, sourceLocation: sourceLocation)
        if let expected { #expect(json == expected, sourceLocation: sourceLocation) }
        let read = try Node(json: json)
        #expect(read == node, sourceLocation: sourceLocation)
        let again = try NodeDecoder().decode(T.self, from: read)
        #expect(isSame(value, again), "\(value) came back as \(again) from \(json)", sourceLocation: sourceLocation)
    }

    private func expectKept<T: Codable & Equatable>(
        _ value: T,
        json expected: String? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        try expectKept(value, json: expected, sourceLocation: sourceLocation) { $0 == $1 }
    }

    @Test func `Integers of every width keep their extremes`() throws {
        try expectKept(Int.min, json: "-9223372036854775808")
        try expectKept(Int.max)
        try expectKept(Int8.min, json: "-128")
        try expectKept(Int16.max)
        try expectKept(Int32.min)
        try expectKept(Int64.min)
        try expectKept(UInt8.max)
        try expectKept(UInt16.max)
        try expectKept(UInt32.max)
        try expectKept(UInt64.max, json: "18446744073709551615")
        try expectKept(UInt.max)
        try expectKept(Int128.min, json: "-170141183460469231731687303715884105728")
        try expectKept(Int128.max)
        try expectKept(UInt128.max, json: "340282366920938463463374607431768211455")
        try expectKept(UInt128(5), json: "5")
    }

    @Test(
        arguments: [
            (0.0, "0.0"), (-0.0, "-0.0"), (1, "1.0"), (0.1, "0.1"), (.leastNonzeroMagnitude, "5e-324"),
            (.greatestFiniteMagnitude, "1.7976931348623157e+308"), (.infinity, "\"inf\""), (-.infinity, "\"-inf\""),
            (.nan, "\"nan\""), (Double(bitPattern: 0x7FF8_0000_0000_BEEF), "\"nan:0x7ff800000000beef\""),
            (Double(bitPattern: 0xFFF8_0000_0000_0000), "\"nan:0xfff8000000000000\""),
            (Double(bitPattern: 0x7FF0_0000_0000_0001), "\"nan:0x7ff0000000000001\""), (123_456_789.123_456_79, nil),
        ] as [(Double, String?)]
    )
    func `Doubles keep their bits`(value: Double, json: String?) throws {
        try expectKept(value, json: json) { $0.bitPattern == $1.bitPattern }
        try expectKept([value], json: json.map { "[\($0)]" }) { $0[0].bitPattern == $1[0].bitPattern }
    }

    @Test func `Floats are written as floats`() throws {
        try expectKept(Float(0.1), json: "0.1")
        try expectKept(Float.leastNonzeroMagnitude)
        try expectKept(Float.greatestFiniteMagnitude)
        try expectKept(Float(bitPattern: 0x7FC0_BEEF), json: "\"nan:0x7fc0beef\"") { $0.bitPattern == $1.bitPattern }
    }

    /// Bit patterns of each width: signaling NaNs, payloads, signs, zeros, infinities and values between.
    private static let patterns: [UInt64] = [
        0x7FF0_0000_0000_0001, 0xFFF4_0000_0000_BEEF, 0x7FF8_0000_0000_0000, 0xFFF0_0000_0000_0000, 1 << 63, 1, 0,
    ]

    @Test func `Floating-point numbers of every width keep every bit, including signaling NaNs`() throws {
        for pattern in Self.patterns {
            try expectKept(Double(bitPattern: pattern)) { $0.bitPattern == $1.bitPattern }
            let half = UInt32(truncatingIfNeeded: pattern >> 32) | UInt32(truncatingIfNeeded: pattern)
            try expectKept(Float(bitPattern: half)) { $0.bitPattern == $1.bitPattern }
            try expectKept([String: Float?](dictionaryLiteral: ("a", Float(bitPattern: half)))) {
                $0["a"]??.bitPattern == $1["a"]??.bitPattern
            }
        }
        try expectKept(Float(bitPattern: 0x7FA0_0001)) { $0.bitPattern == $1.bitPattern }
        #if !((os(macOS) || targetEnvironment(macCatalyst)) && arch(x86_64))
            struct Small: Codable {
                var value: Float16
                var more: [Float16?]
            }
            for pattern in UInt16.min...UInt16.max {
                let value = Float16(bitPattern: pattern)
                let node = try NodeEncoder().encode(Small(value: value, more: [value, nil]))
                let again = try NodeDecoder().decode(Small.self, from: try Node(json: node.json))
                guard again.value.bitPattern == pattern, again.more[0]?.bitPattern == pattern else {
                    Issue.record("\(String(pattern, radix: 16)) came back as \(again) from \(node.json)")
                    break
                }
            }
            // The form of earlier versions.
            let old = try NodeDecoder().decode(Float16.self, from: .string("nan:0x7fe00000"))
            #expect(old.bitPattern == Float16(Float(bitPattern: 0x7FE0_0000)).bitPattern)
            #expect(try NodeDecoder().decode(Float16.self, from: 65_504) == Float16.greatestFiniteMagnitude)
            for tooLarge in [.int(70_000), .int(-70_000), .number("70000.0")] as [Node] {
                #expect(throws: TreeError.self) { try NodeDecoder().decode(Float16.self, from: tooLarge) }
            }
        #endif
    }

    @Test(arguments: [
        "12.50", "0", "0.00", "-3", "1e20", "99999999999999999999999999999999999999", "0.00000001", "-0.10",
    ])
    func `Decimals keep all digits and their scale`(text: String) throws {
        let value = try #require(Decimal(string: text))
        try expectKept(value) { left, right in
            withUnsafeBytes(of: left) { left in withUnsafeBytes(of: right) { left.elementsEqual($0) } }
        }
        try expectKept(value * Decimal(sign: .plus, exponent: -3, significand: 1)) { left, right in
            withUnsafeBytes(of: left) { left in withUnsafeBytes(of: right) { left.elementsEqual($0) } }
        }
    }

    @Test func `Decimals that are NaN round-trip`() throws {
        try expectKept(Decimal.nan) { $0.isNaN && $1.isNaN }
        try expectKept(Decimal.greatestFiniteMagnitude)
        try expectKept(Decimal.leastFiniteMagnitude)
    }

    @Test(
        arguments: [
            (0, "\"2001-01-01T00:00:00Z\""), (0.5, "\"2001-01-01T00:00:00.5Z\""),
            (-1.25, "\"2000-12-31T23:59:58.75Z\""),
            (785_603_760.123_456_7, nil), (-63_113_903_999, nil), (252_423_993_599, "\"9999-12-31T23:59:59Z\""),
            (1e300, "1e+300"), (-1e-17, "-1e-17"), (.infinity, "\"inf\""), (.nan, "\"nan\""), (-0.0, "-0.0"),
            (68_169_600, "\"2003-03-01T00:00:00Z\""), (97_200_000 + 1e-6, nil),
        ] as [(Double, String?)]
    )
    func `Dates keep their bits`(seconds: Double, json: String?) throws {
        try expectKept(Date(timeIntervalSinceReferenceDate: seconds), json: json) {
            $0.timeIntervalSinceReferenceDate.bitPattern == $1.timeIntervalSinceReferenceDate.bitPattern
        }
    }

    @Test func `Date texts agree with Foundation's formatter`() throws {
        // From 1601 on: before 1582, Foundation uses the Julian calendar, and ISO 8601 does not.
        for seconds in stride(from: -12_600_000_000.0, to: 252_000_000_000, by: 86_400 * 997 + 12_345) {
            let date = Date(timeIntervalSinceReferenceDate: seconds)
            let node = try NodeEncoder().encode(date)
            #expect(node == .string(date.ISO8601Format()))
        }
    }

    @Test func `Data, URLs and UUIDs are text`() throws {
        try expectKept(Data([0, 1, 254, 255]), json: #"{"$data":"AAH+/w=="}"#)
        try expectKept(Data(), json: #"{"$data":""}"#)
        let url = try #require(URL(string: "https://example.com/a%20b?q=%C3%A9#f"))
        try expectKept(url, json: #""https://example.com/a%20b?q=%C3%A9#f""#)
        let relative = try #require(URL(string: "../b", relativeTo: url))
        try expectKept(relative) { (left: URL, right: URL) -> Bool in
            left == right && left.baseURL == right.baseURL && left.relativeString == right.relativeString
        }
        try expectKept(URL(fileURLWithPath: "/tmp/ä b/"))
        try expectKept(UUID())
    }

    private static let texts: [String] = [
        "", "\0", "a\0b", "\u{1}\u{1f}\u{7f}\u{9b}", "é", "e\u{301}", "👩‍👩‍👧", "\u{2028}\u{feff}\u{202e}", "\"\\/",
    ]

    @Test(arguments: texts)
    func `Strings keep their scalars`(text: String) throws {
        try expectKept(text) { $0.unicodeScalars.elementsEqual($1.unicodeScalars) }
        try expectKept([text: text]) { (left: [String: String], right: [String: String]) -> Bool in
            guard let left = left.keys.first, let right = right.keys.first else { return false }
            return left.unicodeScalars.elementsEqual(right.unicodeScalars)
        }
    }

    struct Depths: Codable, Equatable {
        var one: Int?
        var two: Int??
        var three: Int???
        var list: [Int?]
        var lists: [[Int??]?]
        var map: [String: Int?]
    }

    @Test func `nil is kept at every depth`() throws {
        let one: Int? = nil
        let two: Int?? = one
        let twos: [Int??] = [nil, two, 1]
        let threes: [Int???] = [nil, twos[0], twos[1], 2]
        let lists: [[Int??]?] = [nil, twos, []]
        let map: [String: Int?] = ["a": one, "b": 1]
        for two in twos {
            for three in threes {
                try expectKept(Depths(one: one, two: two, three: three, list: [nil, 1], lists: lists, map: map))
                try expectKept([three])
                try expectKept(three)
            }
        }
        try expectKept(twos[1], json: #"{"$some":null}"#)
        try expectKept(threes[2], json: #"{"$some":{"$some":null}}"#)
    }

    struct Nothing: Codable, Equatable {
        init() {}
        init(from decoder: any Decoder) throws {
            guard try decoder.singleValueContainer().decodeNil() else {
                throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "not null"))
            }
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encodeNil()
        }
    }

    @Test func `A value that encodes as null is not taken for nil`() throws {
        struct Holder: Codable, Equatable {
            var here: Nothing?
            var gone: Nothing?
        }
        try expectKept(Holder(here: Nothing(), gone: nil), json: #"{"here":{"$some":null}}"#)
        try expectKept([Nothing(), nil, Nothing()] as [Nothing?])
    }

    struct ExplicitNull: Codable, Equatable {
        var value: Int?
        var isThere = true
        enum CodingKeys: String, CodingKey { case value }
        init(value: Int?, isThere: Bool) { (self.value, self.isThere) = (value, isThere) }
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            isThere = container.contains(.value)
            value =
                try isThere && !container.decodeNil(forKey: .value) ? container.decode(Int.self, forKey: .value) : nil
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            if isThere { try container.encode(value, forKey: .value) }
        }
    }

    @Test func `A missing key is not an explicit null`() throws {
        try expectKept(ExplicitNull(value: nil, isThere: true), json: #"{"value":null}"#)
        try expectKept(ExplicitNull(value: nil, isThere: false), json: "{}")
    }

    indirect enum Expression: Codable, Equatable {
        case zero
        case number(Int)
        case sum(Expression, Expression)
        case named(name: String, of: Expression?)
    }

    @Test func `Enums with and without payloads round-trip, including indirect ones`() throws {
        try expectKept(Expression.zero, json: #"{"zero":{}}"#)
        try expectKept(Expression.sum(.number(1), .named(name: "x", of: nil)))
        try expectKept(Expression.named(name: "y", of: .sum(.zero, .zero)))
    }

    enum Size: String, Codable, CaseIterable { case small, large }
    enum Level: Int, Codable { case low = 1, high }
    struct Point: Codable, Hashable { var x: Int; var y: Int }
    enum Key: Codable, Hashable { case plain, number(Int) }

    @Test func `Dictionaries with all kinds of keys round-trip in order`() throws {
        try expectKept(["b": 1, "a": 2], json: #"{"a":2,"b":1}"#)
        try expectKept([2: "b", 10: "a"], json: #"{"10":"a","2":"b"}"#)
        try expectKept([UInt64.max: true], json: #"{"18446744073709551615":true}"#)
        try expectKept([Size.small: 1, .large: 2], json: #"{"large":2,"small":1}"#)
        try expectKept([Level.high: 1, .low: 2], json: "[[1,2],[2,1]]")
        try expectKept(
            [Point(x: 1, y: 2): "p", Point(x: 0, y: 9): "q"],
            json: #"[[{"x":0,"y":9},"q"],[{"x":1,"y":2},"p"]]"#
        )
        try expectKept([Key.plain: 1, .number(3): 2])
        try expectKept([UUID(): 1, UUID(): 2])
        try expectKept([Date(timeIntervalSinceReferenceDate: 1): 1])
        try expectKept([true: 1, false: 0])
        try expectKept([1.5: 1, .infinity: 2])
        try expectKept([String: Int](), json: "{}")
        try expectKept([Point: Int]())
        try expectKept(["$some": 1], json: #"{"$$some":1}"#)
        try expectKept(["$some": 1] as [String: Int]?)
        try expectKept(["$$some": nil] as [String: Int?]?)
        try expectKept(["$data": "x"])
    }

    @Test func `Sets round-trip in order, including nested ones`() throws {
        try expectKept(Set([10, 2, -1]), json: "[-1,2,10]")
        try expectKept(Set([Set(["b", "a"]), Set([])]), json: #"[[],["a","b"]]"#)
        try expectKept([Set([1.5, -0.5])], json: "[[-0.5,1.5]]")
        try expectKept(Set(["e\u{301}"])) { $0.first!.unicodeScalars.elementsEqual($1.first!.unicodeScalars) }
    }

    class Animal: Codable {
        var name: String
        init(name: String) { self.name = name }
    }
    final class Dog: Animal {
        var tricks: [String]
        init(name: String, tricks: [String]) {
            self.tricks = tricks
            super.init(name: name)
        }
        enum CodingKeys: CodingKey { case tricks }
        required init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            tricks = try container.decode([String].self, forKey: .tricks)
            try super.init(from: container.superDecoder())
        }
        override func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(tricks, forKey: .tricks)
            try super.encode(to: container.superEncoder())
        }
    }

    @Test func `Classes with a super encoder round-trip`() throws {
        try expectKept(Dog(name: "Rex", tricks: ["sit"]), json: #"{"tricks":["sit"],"super":{"name":"Rex"}}"#) {
            (one: Dog, other: Dog) in one.name == other.name && one.tricks == other.tricks
        }
    }

    struct Nested: Codable, Equatable {
        var matrix: [[Int]] = [[1, 2], [], [3]]
        var label = "m"
        enum Outer: CodingKey { case inner, rows }
        enum Inner: CodingKey { case label }
        init() {}
        init(from decoder: any Decoder) throws {
            let outer = try decoder.container(keyedBy: Outer.self)
            label = try outer.nestedContainer(keyedBy: Inner.self, forKey: .inner).decode(String.self, forKey: .label)
            var rows = try outer.nestedUnkeyedContainer(forKey: .rows)
            matrix = []
            while !rows.isAtEnd {
                var row = try rows.nestedUnkeyedContainer()
                var numbers: [Int] = []
                while !row.isAtEnd { numbers.append(try row.decode(Int.self)) }
                matrix.append(numbers)
            }
        }
        func encode(to encoder: any Encoder) throws {
            var outer = encoder.container(keyedBy: Outer.self)
            var rows = outer.nestedUnkeyedContainer(forKey: .rows)
            var inner = outer.nestedContainer(keyedBy: Inner.self, forKey: .inner)
            for numbers in matrix {
                var row = rows.nestedUnkeyedContainer()
                for number in numbers { try row.encode(number) }
            }
            try inner.encode(label, forKey: .label)
        }
    }

    @Test func `Nested containers may be filled in any order`() throws {
        try expectKept(Nested(), json: #"{"rows":[[1,2],[],[3]],"inner":{"label":"m"}}"#)
    }

    struct Empty: Codable, Equatable {}

    @Test func `Empty containers stay empty containers`() throws {
        try expectKept(Empty(), json: "{}")
        try expectKept([Int](), json: "[]")
        try expectKept([[Empty]]())
        try expectKept([Empty(), Empty()], json: "[{},{}]")
        try expectKept("")
    }

    @Test func `Ranges, durations and other standard types round-trip`() throws {
        try expectKept(1..<5)
        try expectKept(Duration.seconds(1.5))
        try expectKept(ContiguousArray([1, 2]), json: "[1,2]")
        try expectKept(DateComponents(year: 2026, month: 2))
        try expectKept(IndexSet([1, 2, 9]))
        try expectKept(Locale(identifier: "de_CH"))
    }

    struct WithoutKey: Hashable, Codable {
        var id: Int
        var hidden: Int
        enum CodingKeys: CodingKey { case id }
        init(id: Int, hidden: Int) { (self.id, self.hidden) = (id, hidden) }
        init(from decoder: any Decoder) throws {
            (id, hidden) = (try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .id), 0)
        }
    }

    @Test func `Ambiguous values throw an error with the path`() throws {
        let twins: Set = [WithoutKey(id: 1, hidden: 1), WithoutKey(id: 1, hidden: 2)]
        let error = #expect(throws: TreeError.self) { try NodeEncoder().encode(["users": ["set": twins]]) }
        #expect(error?.path?.description == "/users/set")
        #expect(error?.code == .notEncodable)
    }
}
