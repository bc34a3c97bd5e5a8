import Foundation
import Testing

@testable import HindsightCLI

@Suite struct SwiftExpressionTests {
    private enum Level: String { case low, `default` }
    private indirect enum Shape {
        case dot
        case _hidden
        case circle(radius: Double)
        case pair(Shape, Shape)
        case named(name: String, level: Level?)
        case list([Int8], [String: Bool])
        case structure(Point)
        case id(UUID, at: Date)
        case nested(Int??)
        case filter(Filter?)
        case spoken(Spoken)
        case `init`(`self`: Int, `let`: Int)
        case reflected(Reflected)
    }
    private struct Point { var x = 1 }
    private struct Custom: CustomStringConvertible { var description: String { ".evil" } }
    private enum Filter { case none, some, all }
    private enum Spoken: CustomDebugStringConvertible {
        case loud
        var debugDescription: String { "quiet" }
    }
    private struct Reflected: CustomReflectable {
        var customMirror: Mirror { Mirror(self, children: ["z": 1, "a": 2], displayStyle: .dictionary) }
    }
    private enum Described: CustomStringConvertible {
        case one
        var description: String { "another name" }
    }

    @Test func `Values are written as the expressions that make them`() {
        let id = UUID()
        let cases: [(Any, String?)] = [
            (Shape.dot, ".dot"), (Shape._hidden, "._hidden"), (Level.default, ".default"),
            (Shape.circle(radius: 1e300), ".circle(radius: 1e+300)"),
            (Shape.circle(radius: -0.0), ".circle(radius: -0.0)"), (Shape.circle(radius: .nan), nil),
            (Shape.pair(.dot, .circle(radius: 2)), ".pair(.dot, .circle(radius: 2.0))"),
            (
                Shape.named(name: "a\"\\\n\u{0}é👍\u{301}", level: nil),
                #".named(name: "a\"\\\n\u{0}é\u{1f44d}\u{301}", level: nil)"#
            ),
            (Shape.named(name: "", level: .low), #".named(name: "", level: .low)"#),
            (Shape.list([-128, 127], ["b": true, "a": false]), #".list([-128, 127], ["a": false, "b": true])"#),
            (Shape.list([], [:]), ".list([], [:])"), (Shape.structure(Point()), nil), (Custom(), nil),
            (Described.one, nil),
            (
                Shape.id(id, at: Date(timeIntervalSinceReferenceDate: 0.1)),
                #".id(UUID(uuidString: "\#(id)")!, at: Date(timeIntervalSinceReferenceDate: 0.1))"#
            ),
            (Date(timeIntervalSinceReferenceDate: -.infinity), nil),
            (Shape.filter(Filter.none), nil), (Shape.filter(Filter.some), nil), (Shape.filter(.all), ".filter(.all)"),
            (Filter.none, ".none"), (Decimal(-125) / 10, #"Decimal(string: "-12.5")!"#), (Decimal.nan, nil),
            (Shape.spoken(.loud), nil), (Shape.reflected(Reflected()), nil),
            (Shape.`init`(self: 1, let: 2), ".`init`(self: 1, `let`: 2)"), (UInt64.max, "18446744073709551615"),
            (Shape.nested(.some(nil)), nil), (Optional(3) as Any, "3"),
        ]
        for (value, expected) in cases { #expect(SwiftExpression.text(of: value) == expected) }
        #expect(SwiftExpression.raw(##"{"a":"#"}"##) == ###"##"{"a":"#"}"##"###)
        // A mark after the sign makes one character with it, and the compiler still ends the literal there.
        #expect(SwiftExpression.raw("\"#\u{301}") == "##\"\"#\u{301}\"##")
    }
}
