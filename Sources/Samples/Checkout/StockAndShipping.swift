import Foundation

/// Updates the available, reserved and sold quantities of articles.
///
/// It must run before the cart changes, because it reads the previous quantities.
func reduceStock(_ state: inout CheckoutState, _ action: any CheckoutAction) {
    switch action {
    case let action as AddLine:
        state.stock[action.sku]?.reserve(action.quantity)
    case let action as ChangeQuantity:
        guard let line = state.line(of: action.sku) else { return }
        state.stock[action.sku]?.reserve(action.quantity &- line.quantity)
    case let action as Pay where action.amount >= state.due:
        for line in state.cart.lines {
            state.stock[line.sku]?.sell(line.quantity)
        }
    case is StartOver where !state.isPaid:
        for line in state.cart.lines {
            state.stock[line.sku]?.reserve(0 &- line.quantity)
        }
    case let action as Restock:
        state.stock[action.sku]?.available += action.quantity
    default:
        break
    }
}

extension Shelf {
    /// Reserves articles, or releases them if `quantity` is negative.
    fileprivate mutating func reserve(_ quantity: Int) {
        available &-= quantity
        reserved &+= quantity
    }

    fileprivate mutating func sell(_ quantity: Int) {
        reserved &-= quantity
        sold &+= quantity
    }
}

func reduceShipping(_ state: inout CheckoutState, _ action: any CheckoutAction) {
    switch action {
    case let action as SetAddress: state.shipping.address = action.address
    case let action as ChooseShipping: state.shipping.method = action.method
    case is StartOver: state.shipping.method = nil
    default: break
    }
    state.shipping.weight = state.cart.lines.reduce(0) { weight, line in
        weight + (state.stock[line.sku]?.weight ?? 0) * Double(line.quantity)
    }
    state.shipping.cost = state.shipping.method?.cost(weight: state.shipping.weight) ?? 0
}
