import Foundation
import HindsightCLI
import HindsightRecorder
import HindsightReplay
import HindsightStore
import Samples

// The tool of the sample app `checkout` with two changes, for the page "A crash, found in five minutes":
//
// - `cart.lines` keeps a line whose quantity is set to 0. This is the bug.
// - `cart.totals` divides the discount by the quantity of each line. This crashes, some actions later.
//
// With CHECKOUT=fixed, `cart.lines` is the sample's. `audit` keeps the last hundred entries, so that long sessions are quick.

private let isFixed = ProcessInfo.processInfo.environment["CHECKOUT"] == "fixed"

private func changed(_ leaf: Reducer<CheckoutState, any CheckoutAction>.Leaf)
    -> Reducer<CheckoutState, any CheckoutAction>
{
    Reducer(leaf.name) { state, action in
        if leaf.name == "cart.lines", !isFixed, state.problem == nil, let change = action as? ChangeQuantity,
            let index = state.cart.lines.firstIndex(where: { $0.sku == change.sku })
        {
            state.cart.lines[index].quantity = change.quantity
            return
        }
        leaf.reduce(&state, action)
        if leaf.name == "cart.totals", state.problem == nil {
            for line in state.cart.lines { _ = discountOfOnePiece(of: line, in: state.cart.totals) }
        }
        if leaf.name == "audit" { state.audit.entries.removeFirst(max(0, state.audit.entries.count - 100)) }
    }
}

/// The discount of one piece of a line, in cents.
@inline(never) private func discountOfOnePiece(of line: Cart.Line, in totals: Totals) -> Int {
    guard totals.discount > 0 else { return 0 }
    let cents = NSDecimalNumber(decimal: totals.discount * 100).intValue
    return cents / line.quantity
}

let app = ReplayableApp(
    "checkout",
    version: "1.1",
    initial: CheckoutState.open,
    reducer: .combine(checkoutReducer.leaves.map(changed)),
    actions: checkoutActions.codec
)
HindsightTool.run(app)
