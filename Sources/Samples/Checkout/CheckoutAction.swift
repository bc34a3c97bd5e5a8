import Foundation

/// An action of a customer or of the shop. Each is a separate type.
public protocol CheckoutAction: Codable, Sendable {
    /// Why the action is refused, as a text for the customer; `nil` if it is accepted.
    func problem(in state: CheckoutState) -> String?
}

/// Adds pieces of an article to the cart.
public struct AddLine: CheckoutAction {
    public let sku: SKU
    public let quantity: Int

    public func problem(in state: CheckoutState) -> String? {
        state.problemOfChanging
            ?? (quantity > 0 ? nil : "The quantity must be at least 1.")
            ?? state.problemOfReserving(quantity, of: sku)
    }
}

/// Sets the quantity of an article in the cart; 0 removes it.
public struct ChangeQuantity: CheckoutAction {
    public let sku: SKU
    public let quantity: Int

    public func problem(in state: CheckoutState) -> String? {
        if let problem = state.problemOfChanging { return problem }
        guard let line = state.line(of: sku) else { return "\(sku.rawValue) is not in the cart." }
        guard quantity >= 0 else { return "The quantity must not be negative." }
        return quantity <= line.quantity ? nil : state.problemOfReserving(quantity &- line.quantity, of: sku)
    }
}

/// Sets whether an article in the cart is wrapped as a gift.
public struct WrapAsGift: CheckoutAction {
    public let sku: SKU
    public let wrap: Bool

    public func problem(in state: CheckoutState) -> String? {
        state.problemOfChanging ?? (state.line(of: sku) == nil ? "\(sku.rawValue) is not in the cart." : nil)
    }
}

/// Applies a coupon instead of the previous one. Without a code, removes it.
public struct ApplyCoupon: CheckoutAction {
    public let code: String?

    public func problem(in state: CheckoutState) -> String? {
        if let problem = state.problemOfChanging { return problem }
        guard let code else { return nil }
        guard let coupon = Coupon.known.first(where: { $0.code == code }) else { return "There is no coupon \(code)." }
        if state.coupons.spent.contains(code) { return "The coupon \(code) is spent." }
        if case .amount(_, _, let least) = coupon, state.cart.goods < least {
            return "The coupon \(code) is good from \(least) on."
        }
        return nil
    }
}

/// Sets the address of the parcel.
public struct SetAddress: CheckoutAction {
    public let address: Shipping.Address

    public func problem(in state: CheckoutState) -> String? {
        state.problemOfChanging ?? (address.postcode.isEmpty ? "The postcode is missing." : nil)
    }
}

/// Sets the shipping method of the parcel.
public struct ChooseShipping: CheckoutAction {
    public let method: Shipping.Method

    public func problem(in state: CheckoutState) -> String? {
        if let problem = state.problemOfChanging { return problem }
        return method != .pickup && state.shipping.address == nil ? "Where shall it go? The address is missing." : nil
    }
}

/// Pays all or part of the amount due.
public struct Pay: CheckoutAction {
    public let id: UUID
    public let means: Payment.Means
    public let amount: Decimal
    public let at: Date

    public func problem(in state: CheckoutState) -> String? {
        if state.cart.lines.isEmpty { return "The cart is empty." }
        if state.shipping.method == nil { return "How shall it be sent? The shipping is missing." }
        if state.payments[id] != nil { return "This payment was made already." }
        if !(amount > 0) { return "The amount must be more than nothing." }
        if amount > state.due { return "Only \(state.due) is due." }
        if case .card(let digits) = means, digits.utf8.count != 4 { return "The card was declined." }
        return nil
    }
}

/// Refunds all or part of a payment.
public struct Refund: CheckoutAction {
    public let payment: UUID
    public let amount: Decimal
    public let reason: String?

    public func problem(in state: CheckoutState) -> String? {
        guard let payment = state.payments[payment] else { return "There is no such payment." }
        guard amount > 0 else { return "The amount must be more than nothing." }
        let left = payment.amount - payment.refunded
        return amount <= left ? nil : "Only \(left) is left of that payment."
    }
}

/// Begins a new order, unless the previous one is paid in part.
public struct StartOver: CheckoutAction {
    public func problem(in state: CheckoutState) -> String? {
        state.isPartlyPaid ? "A part is paid already: pay the rest or have it refunded first." : nil
    }
}

/// Adds pieces of an article to its shelf.
public struct Restock: CheckoutAction {
    public let sku: SKU
    public let quantity: Int

    public func problem(in state: CheckoutState) -> String? {
        guard let shelf = state.stock[sku] else { return "There is no article \(sku.rawValue)." }
        guard (1...10_000).contains(quantity) else { return "A delivery has 1 to 10000 pieces." }
        return shelf.available <= 1_000_000 ? nil : "The shelf is full."
    }
}
