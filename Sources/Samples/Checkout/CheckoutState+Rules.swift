import Foundation

extension Cart {
    /// The net price of all lines.
    var goods: Decimal {
        lines.reduce(0) { $0 + $1.price * Decimal($1.quantity) }
    }
}

extension CheckoutState {
    /// The sum of all payments for this order, including refunded ones.
    var charged: Decimal {
        payments.values.reduce(0) { $0 + $1.amount }
    }

    /// The amount that remains to be paid.
    var due: Decimal { cart.totals.gross - charged }

    var isPaid: Bool { !cart.lines.isEmpty && due <= 0 }

    /// Whether the order is paid in part, and not all of that was refunded.
    var isPartlyPaid: Bool { !isPaid && payments.values.contains { $0.refunded < $0.amount } }

    func line(of sku: SKU) -> Cart.Line? {
        cart.lines.first { $0.sku == sku }
    }

    /// Why the order can no longer be changed; `nil` if it can.
    var problemOfChanging: String? {
        payments.isEmpty ? nil : "The order is being paid and cannot be changed any more."
    }

    func problemOfReserving(_ quantity: Int, of sku: SKU) -> String? {
        guard let shelf = stock[sku] else { return "There is no article \(sku.rawValue)." }
        return quantity <= shelf.available ? nil : "Only \(shelf.available) of “\(shelf.name)” are left."
    }
}
