import Foundation
import HindsightStore

extension CheckoutState {
    /// Adds up the cart: goods, discount, wrapping, shipping, and tax by class.
    ///
    /// The discount is spread over the tax classes by their goods; wrapping and shipping have the standard rate.
    func totals() -> Totals {
        var totals = Totals()
        totals.goods = cart.goods
        totals.wrapping = Decimal(cents: 250) * Decimal(cart.giftWrapped.count)
        totals.shipping = shipping.cost
        switch coupons.applied {
        case .percent(_, let off): totals.discount = (totals.goods * Decimal(off) / 100).roundedToCents
        case .amount(_, let off, let least): totals.discount = totals.goods < least ? 0 : min(off, totals.goods)
        case .freeShipping: totals.shipping = 0
        case nil: break
        }
        var goods: [TaxClass: Decimal] = [:]
        for line in cart.lines {
            goods[stock[line.sku]?.tax ?? .standard, default: 0] += line.price * Decimal(line.quantity)
        }
        var tax: Decimal = 0
        for taxClass in TaxClass.allCases {
            var net = goods[taxClass] ?? 0
            if totals.goods > 0 { net -= totals.discount * net / totals.goods }
            if taxClass == .standard { net += totals.wrapping + totals.shipping }
            guard net > 0 else { continue }
            totals.tax[taxClass] = (net * taxClass.rate).roundedToCents
            tax += totals.tax[taxClass] ?? 0
        }
        totals.gross = totals.goods - totals.discount + totals.wrapping + totals.shipping + tax
        return totals
    }
}

/// Logs every action, including refused ones, and updates the checksum of the log.
let audit = Reducer<CheckoutState, any CheckoutAction>("audit") { state, action in
    let entry = Audit.Entry(what: "\(type(of: action))", gross: state.cart.totals.gross, refusal: state.problem)
    state.audit.entries.append(entry)
    if entry.refusal != nil { state.audit.refusals &+= 1 }
    for byte in "\(entry.what) \(entry.gross)".utf8 {
        state.audit.seal = (state.audit.seal ^ UInt64(byte)) &* 0x100_0000_01B3
    }
}
