import Foundation
import HindsightTree
import Testing

/// The documentation's examples, verbatim.
@Suite struct DocumentationTests {
    struct Cart: Codable, Equatable {
        var lines: [String]
        var total: Decimal
    }

    @Test func `The examples on the landing page print the documented output`() throws {
        let cart = Cart(lines: ["tea"], total: 13)
        let node = try NodeEncoder().encode(cart)
        #expect(node.json == #"{"lines":["tea"],"total":13}"#)
        let copy = try NodeDecoder().decode(Cart.self, from: node)
        #expect(copy == cart)

        var changed = cart
        changed.lines.append("spoon")
        let patch = try ChangeFinder<Cart>().patch(from: cart, to: changed)
        #expect(patch.json == #"[{"op":"splice","path":"/lines","at":1,"remove":[],"insert":["spoon"]}]"#)

        var state = node
        try patch.apply(to: &state)
        #expect(state == (try NodeEncoder().encode(changed)))
        try patch.undo(on: &state)
        #expect(state == node)
    }
}
