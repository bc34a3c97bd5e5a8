import Foundation

/// The state of a shop's checkout: nested values, optionals, amounts, sets, and dictionaries with other keys than
/// strings.
public struct CheckoutState: Codable, Sendable, Equatable {
    public var stock: [SKU: Shelf] = [:]
    public var cart = Cart()
    public var coupons = Coupons()
    public var shipping = Shipping()
    public var payments: [UUID: Payment] = [:]
    public var audit = Audit()
    /// Why the last action was refused, as a text for the customer.
    public var problem: String?

    public init() {}
}

/// An article's number.
public struct SKU: RawRepresentable, Codable, Sendable, Hashable {
    public let rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }
}

/// An article and its quantities.
public struct Shelf: Codable, Sendable, Equatable {
    public var name: String
    /// The net price of one piece.
    public var price: Decimal
    public var tax: TaxClass
    /// The weight of one piece in kilograms.
    public var weight: Double
    public var available: Int
    public var reserved = 0
    public var sold = 0
}

public enum TaxClass: String, Codable, Sendable, CaseIterable {
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

public struct Cart: Codable, Sendable, Equatable {
    public var lines: [Line] = []
    public var giftWrapped: Set<SKU> = []
    public var totals = Totals()

    public struct Line: Codable, Sendable, Equatable {
        public let sku: SKU
        public var quantity: Int
        /// The net price of one piece when the line was added.
        public let price: Decimal
    }
}

public struct Totals: Codable, Sendable, Equatable {
    public var goods: Decimal = 0
    public var discount: Decimal = 0
    public var wrapping: Decimal = 0
    public var shipping: Decimal = 0
    public var tax: [TaxClass: Decimal] = [:]
    public var gross: Decimal = 0
}

public struct Coupons: Codable, Sendable, Equatable {
    public var applied: Coupon?
    /// The redeemed codes. Each is valid for one order.
    public var spent: Set<String> = []
}

/// A reduction of the price.
public enum Coupon: Codable, Sendable, Equatable {
    case percent(code: String, off: Int)
    case amount(code: String, off: Decimal, from: Decimal)
    case freeShipping(code: String)
}

public struct Shipping: Codable, Sendable, Equatable {
    public var address: Address?
    public var method: Method?
    /// The weight of all articles in the cart in kilograms.
    public var weight = 0.0
    public var cost: Decimal = 0

    public struct Address: Codable, Sendable, Equatable {
        public let name: String
        public let street: String
        public let city: String
        public let postcode: String
        public var country: String?
    }

    public enum Method: String, Codable, Sendable {
        case pickup, standard, express
    }
}

public struct Payment: Codable, Sendable, Equatable {
    public let means: Means
    public let amount: Decimal
    public let at: Date
    public var refunded: Decimal = 0

    public enum Means: Codable, Sendable, Equatable {
        case card(lastDigits: String)
        case voucher(code: String)
        case invoice
    }
}

/// The log of all actions.
public struct Audit: Codable, Sendable, Equatable {
    public var entries: [Entry] = []
    public var refusals = 0
    /// A running checksum of the entries.
    public var seal: UInt64 = 0xCBF2_9CE4_8422_2325

    public struct Entry: Codable, Sendable, Equatable {
        public let what: String
        public let gross: Decimal
        public var refusal: String?
    }
}
