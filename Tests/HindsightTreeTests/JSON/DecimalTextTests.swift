import Foundation
import Testing

@testable import HindsightTree

@Suite struct DecimalTextTests {
    @Test(arguments: [
        ("2e1", "20"), ("15e2", "1500"), ("1e4", "10000"), ("-1e4", "-10000"), ("0e5", "0"), ("12.50", "12.50"),
        ("20", "20"),
        ("2e30", "2" + String(repeating: "0", count: 30)), ("2e31", "2e31"), ("1e+16", "1e+16"), ("5e-324", "5e-324"),
        ("1.5e3", "1.5e3"), ("1E4", "1E4"), ("e5", "e5"),
    ])
    func `decimals are written in plain notation, and doubles stay unchanged`(literal: String, plain: String) {
        #expect(DecimalText.plain(literal) == plain)
    }

    @Test(arguments: ["1e-9223372036854775808", "1e9223372036854775807", "1e-1000", "1e", "1e99999999999999999999"])
    func `no decimal has such an exponent`(literal: String) {
        #expect(DecimalText.value(from: literal) == nil)
    }

    @Test func `readable JSON has plain decimals at every depth, and exact JSON keeps the scale`() throws {
        let prices = ["total": Decimal(20), "limit": Decimal(sign: .minus, exponent: 3, significand: 15)]
        let node = try NodeEncoder().encode([prices])
        #expect(node.plainJSON(indent: 0) == "[\n{\n\"limit\": -15000,\n\"total\": 20\n}\n]")
        #expect(try NodeDecoder().decode([[String: Decimal]].self, from: Node(json: node.prettyJSON())) == [prices])
        #expect(try Node(json: node.prettyJSON()) == node)
    }
}
