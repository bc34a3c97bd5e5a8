import Foundation
import HindsightStore

/// The reducers of the checkout. Each handles its part of the same action.
///
/// The order matters: `problem` checks an action before anything changes, and the others ignore a refused action.
/// `cart.totals` adds up the results of the reducers before it, and `audit` writes down the outcome.
package let checkoutReducer: Reducer<CheckoutState, any CheckoutAction> = .combine(
    problem,
    accepted("stock", reduceStock),
    .combine(
        accepted("lines", reduceLines),
        accepted("gifts", reduceGifts)
    ).prefixed(with: "cart"),
    accepted("coupons", reduceCoupons),
    accepted("shipping", reduceShipping),
    accepted("totals") { state, _ in state.cart.totals = state.totals() }.prefixed(with: "cart"),
    accepted("payment", reducePayments),
    audit
)

private let problem = Reducer<CheckoutState, any CheckoutAction>("problem") { state, action in
    state.problem = action.problem(in: state)
}

/// A reducer of actions that were not refused.
private func accepted(
    _ name: String,
    _ reduce: @escaping @Sendable (inout CheckoutState, any CheckoutAction) -> Void
) -> Reducer<CheckoutState, any CheckoutAction> {
    Reducer(name) { state, action in
        if state.problem == nil { reduce(&state, action) }
    }
}

private func reduceLines(_ state: inout CheckoutState, _ action: any CheckoutAction) {
    switch action {
    case let action as AddLine:
        if let index = state.cart.lines.firstIndex(where: { $0.sku == action.sku }) {
            state.cart.lines[index].quantity &+= action.quantity
        } else if let price = state.stock[action.sku]?.price {
            state.cart.lines.append(Cart.Line(sku: action.sku, quantity: action.quantity, price: price))
        }
    case let action as ChangeQuantity:
        guard let index = state.cart.lines.firstIndex(where: { $0.sku == action.sku }) else { return }
        if action.quantity == 0 {
            state.cart.lines.remove(at: index)
        } else {
            state.cart.lines[index].quantity = action.quantity
        }
    case is StartOver:
        state.cart.lines = []
    default:
        break
    }
}

private func reduceGifts(_ state: inout CheckoutState, _ action: any CheckoutAction) {
    switch action {
    case let action as WrapAsGift:
        if action.wrap {
            state.cart.giftWrapped.insert(action.sku)
        } else {
            state.cart.giftWrapped.remove(action.sku)
        }
    case let action as ChangeQuantity where action.quantity == 0:
        state.cart.giftWrapped.remove(action.sku)
    case is StartOver:
        state.cart.giftWrapped = []
    default:
        break
    }
}

private func reduceCoupons(_ state: inout CheckoutState, _ action: any CheckoutAction) {
    switch action {
    case let action as ApplyCoupon:
        state.coupons.applied = Coupon.known.first { $0.code == action.code }
    case let action as Pay where action.amount >= state.due:
        if let coupon = state.coupons.applied { state.coupons.spent.insert(coupon.code) }
    case is StartOver:
        state.coupons.applied = nil
    default:
        break
    }
}

private func reducePayments(_ state: inout CheckoutState, _ action: any CheckoutAction) {
    switch action {
    case let action as Pay:
        state.payments[action.id] = Payment(means: action.means, amount: action.amount, at: action.at)
    case let action as Refund:
        state.payments[action.payment]?.refunded += action.amount
    case is StartOver:
        state.payments = [:]
    default:
        break
    }
}
