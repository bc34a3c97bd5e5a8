import Foundation

/// An action of a customer or of the shop. Each is a separate type.
package protocol CheckoutAction: Codable, Sendable {
    /// Why the action is refused, as a text for the customer; `nil` if it is accepted.
    func problem(in state: CheckoutState) -> String?
}

/// Adds pieces of an article to the cart.
package struct AddLine: CheckoutAction {
    package let sku: SKU
    package let quantity: Int

    package func problem(in state: CheckoutState) -> String? {
        state.problemOfChanging
            ?? (quantity > 0 ? nil : "The quantity must be at least 1.")
            ?? state.problemOfReserving(quantity, of: sku)
    }
}

/// Sets the quantity of an article in the cart; 0 removes it.
package struct ChangeQuantity: CheckoutAction {
    package let sku: SKU
    package let quantity: Int

    package func problem(in state: CheckoutState) -> String? {
        if let problem = state.problemOfChanging { return problem }
        guard let line = state.line(of: sku) else { return "\(sku.rawValue) is not in the cart." }
        guard quantity >= 0 else { return "The quantity must not be negative." }
        return quantity <= line.quantity ? nil : state.problemOfReserving(quantity &- line.quantity, of: sku)
    }
}

/// Sets whether an article in the cart is wrapped as a gift.
package struct WrapAsGift: CheckoutAction {
    package let sku: SKU
    package let wrap: Bool

    package func problem(in state: CheckoutState) -> String? {
        state.problemOfChanging ?? (state.line(of: sku) == nil ? "\(sku.rawValue) is not in the cart." : nil)
    }
}

/// Applies a coupon instead of the previous one. Without a code, removes it.
package struct ApplyCoupon: CheckoutAction {
    package let code: String?

    package func problem(in state: CheckoutState) -> String? {
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
package struct SetAddress: CheckoutAction {
    package let address: Shipping.Address

    package func problem(in state: CheckoutState) -> String? {
        state.problemOfChanging ?? (address.postcode.isEmpty ? "The postcode is missing." : nil)
    }
}

/// Sets the shipping method of the parcel.
package struct ChooseShipping: CheckoutAction {
    package let method: Shipping.Method

    package func problem(in state: CheckoutState) -> String? {
        if let problem = state.problemOfChanging { return problem }
        return method != .pickup && state.shipping.address == nil ? "Where shall it go? The address is missing." : nil
    }
}

/// Pays all or part of the amount due.
package struct Pay: CheckoutAction {
    package let id: UUID
    package let means: Payment.Means
    package let amount: Decimal
    package let at: Date

    package func problem(in state: CheckoutState) -> String? {
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
package struct Refund: CheckoutAction {
    package let payment: UUID
    package let amount: Decimal
    package let reason: String?

    package func problem(in state: CheckoutState) -> String? {
        guard let payment = state.payments[payment] else { return "There is no such payment." }
        guard amount > 0 else { return "The amount must be more than nothing." }
        let left = payment.amount - payment.refunded
        return amount <= left ? nil : "Only \(left) is left of that payment."
    }
}

/// Begins a new order, unless the previous one is paid in part.
package struct StartOver: CheckoutAction {
    package func problem(in state: CheckoutState) -> String? {
        state.isPartlyPaid ? "A part is paid already: pay the rest or have it refunded first." : nil
    }
}

/// Adds pieces of an article to its shelf.
package struct Restock: CheckoutAction {
    package let sku: SKU
    package let quantity: Int

    package func problem(in state: CheckoutState) -> String? {
        guard let shelf = state.stock[sku] else { return "There is no article \(sku.rawValue)." }
        guard (1...10_000).contains(quantity) else { return "A delivery has 1 to 10000 pieces." }
        return shelf.available <= 1_000_000 ? nil : "The shelf is full."
    }
}
