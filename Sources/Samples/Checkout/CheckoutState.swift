import Foundation

/// The state of a shop's checkout: nested values, optionals, amounts, sets, and dictionaries with other keys than
/// strings.
package struct CheckoutState: Codable, Sendable, Equatable {
    package var stock: [SKU: Shelf] = [:]
    package var cart = Cart()
    package var coupons = Coupons()
    package var shipping = Shipping()
    package var payments: [UUID: Payment] = [:]
    package var audit = Audit()
    /// Why the last action was refused, as a text for the customer.
    package var problem: String?

    package init() {}
}

/// An article's number.
package struct SKU: RawRepresentable, Codable, Sendable, Hashable {
    package let rawValue: String

    package init(rawValue: String) {
        self.rawValue = rawValue
    }
}

/// An article and its quantities.
package struct Shelf: Codable, Sendable, Equatable {
    package var name: String
    /// The net price of one piece.
    package var price: Decimal
    package var tax: TaxClass
    /// The weight of one piece in kilograms.
    package var weight: Double
    package var available: Int
    package var reserved = 0
    package var sold = 0
}

package enum TaxClass: String, Codable, Sendable, CaseIterable {
    case standard, reduced, exempt

    /// The tax on an amount of 1.
    var rate: Decimal {
        switch self {
        case .standard: Decimal(cents: 19)
        case .reduced: Decimal(cents: 7)
        case .exempt: 0
        }
    }
}

package struct Cart: Codable, Sendable, Equatable {
    package var lines: [Line] = []
    package var giftWrapped: Set<SKU> = []
    package var totals = Totals()

    package struct Line: Codable, Sendable, Equatable {
        package let sku: SKU
        package var quantity: Int
        /// The net price of one piece when the line was added.
        package let price: Decimal
    }
}

package struct Totals: Codable, Sendable, Equatable {
    package var goods: Decimal = 0
    package var discount: Decimal = 0
    package var wrapping: Decimal = 0
    package var shipping: Decimal = 0
    package var tax: [TaxClass: Decimal] = [:]
    package var gross: Decimal = 0
}

package struct Coupons: Codable, Sendable, Equatable {
    package var applied: Coupon?
    /// The redeemed codes. Each is valid for one order.
    package var spent: Set<String> = []
}

/// A reduction of the price.
package enum Coupon: Codable, Sendable, Equatable {
    case percent(code: String, off: Int)
    case amount(code: String, off: Decimal, from: Decimal)
    case freeShipping(code: String)
}

package struct Shipping: Codable, Sendable, Equatable {
    package var address: Address?
    package var method: Method?
    /// The weight of all articles in the cart in kilograms.
    package var weight = 0.0
    package var cost: Decimal = 0

    package struct Address: Codable, Sendable, Equatable {
        package let name: String
        package let street: String
        package let city: String
        package let postcode: String
        package var country: String?
    }

    package enum Method: String, Codable, Sendable {
        case pickup, standard, express
    }
}

package struct Payment: Codable, Sendable, Equatable {
    package let means: Means
    package let amount: Decimal
    package let at: Date
    package var refunded: Decimal = 0

    package enum Means: Codable, Sendable, Equatable {
        case card(lastDigits: String)
        case voucher(code: String)
        case invoice
    }
}

/// The log of all actions.
package struct Audit: Codable, Sendable, Equatable {
    package var entries: [Entry] = []
    package var refusals = 0
    /// A running checksum of the entries.
    package var seal: UInt64 = 0xCBF2_9CE4_8422_2325

    package struct Entry: Codable, Sendable, Equatable {
        package let what: String
        package let gross: Decimal
        package var refusal: String?
    }
}
