import HindsightStore
import Testing

// The documentation's examples, verbatim.

private struct Cart: Sendable {
    var prices: [Int] = []
    var total = 0
}

private enum CartAction: Sendable { case add(Int) }
private struct Shop: Sendable { var cart: Cart? = Cart() }

private enum Renaming {
    static func make() -> [Reducer<Cart, CartAction>] {
        let totals = Reducer<Cart, CartAction>("totals", formerly: "sum") { cart, _ in
            cart.total = cart.prices.reduce(0, +)
        }
        let cart = Reducer.combine(items, totals)
        let basket = cart.prefixed(with: "basket", formerly: "cart")
        return [totals, basket]
    }

    static let items = Reducer<Cart, CartAction>("items") { cart, action in
        if case .add(let price) = action { cart.prices.append(price) }
    }
}

@Suite struct FormerNamesTests {
    @Test func `A renamed reducer keeps its former name, and works as before`() {
        let totals = Renaming.make()[0]
        #expect(totals.leaves.map(\.name) == ["totals"])
        #expect(totals.leaves.map(\.formerNames) == [["sum"]])
        var cart = Cart()
        Renaming.make()[1].reduce(&cart, .add(3))
        #expect(cart.total == 3)
    }

    @Test func `A reducer may have had several names`() {
        let total = Reducer<Cart, CartAction>("total", formerly: ["sum", "totals"]) { cart, _ in
            cart.total = cart.prices.reduce(0, +)
        }
        #expect(total.leaves[0].formerNames == ["sum", "totals"])
    }

    @Test func `A former prefix stands before each name that a reducer has or had`() {
        let basket = Renaming.make()[1]
        #expect(basket.leaves.map(\.name) == ["basket.items", "basket.totals"])
        #expect(
            basket.leaves.map(\.formerNames) == [["cart.items"], ["basket.sum", "cart.totals", "cart.sum"]]
        )
    }

    @Test func `An empty former prefix is none, and prefixes stack`() {
        let items = Renaming.items.prefixed(with: "cart", formerly: "").prefixed(with: "shop", formerly: ["store", ""])
        #expect(items.leaves.map(\.name) == ["shop.cart.items"])
        #expect(
            items.leaves[0].formerNames == [
                "shop.items", "store.cart.items", "store.items", "cart.items", "items",
            ]
        )
    }

    @Test func `Lifting and combining keep former names`() {
        let lifted = Renaming.make()[0].optional().lift(state: \Shop.cart)
        let leaves = Reducer.combine(lifted, lifted.lift(action: { (action: CartAction) in action })).leaves
        #expect(leaves.map(\.formerNames) == [["sum"], ["sum"]])
        #expect(Renaming.items.leaves[0].formerNames.isEmpty)
    }

    @Test func `Each kind of reducer takes former names`() {
        let returning = Reducer<Int, CartAction>.returning("a", formerly: ["b", "c"]) { count, _ in count + 1 }
        let typed = Reducer<Int, any Sendable>("a", formerly: "b", on: Int.self) { $0 += $1 }
        #expect(returning.leaves[0].formerNames == ["b", "c"])
        #expect(typed.leaves[0].formerNames == ["b"])
        var count = 1
        returning.reduce(&count, .add(1))
        typed.reduce(&count, 5)
        typed.reduce(&count, "5")
        #expect(count == 7)
    }
}
