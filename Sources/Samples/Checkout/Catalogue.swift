import Foundation

extension CheckoutState {
    /// The state of the shop when it opens.
    package static var open: CheckoutState {
        var state = CheckoutState()
        state.stock = [
            SKU("TEA-001"): Shelf(
                name: "Sencha 玉露, 100 g",
                price: Decimal(cents: 1290),
                tax: .reduced,
                weight: 0.1,
                available: 40
            ),
            SKU("CUP-014"): Shelf(
                name: "Cup «Søstrene»",
                price: Decimal(cents: 850),
                tax: .standard,
                weight: 0.31,
                available: 12
            ),
            SKU("POT-002"): Shelf(
                name: "Cast iron pot",
                price: Decimal(cents: 6499),
                tax: .standard,
                weight: 1.85,
                available: 3
            ),
            SKU("BOOK-77"): Shelf(
                name: "Le thé, c’est la vie",
                price: Decimal(cents: 1805),
                tax: .reduced,
                weight: 0.42,
                available: 5
            ),
            SKU("CARD-50"): Shelf(
                name: "Gift card 🎁",
                price: Decimal(cents: 5000),
                tax: .exempt,
                weight: 0,
                available: 1000
            ),
        ]
        return state
    }
}

extension SKU {
    init(_ rawValue: String) {
        self.init(rawValue: rawValue)
    }
}

extension Coupon {
    /// The coupons that the shop issued.
    static let known: [Coupon] = [
        .percent(code: "WELCOME10", off: 10),
        .percent(code: "ÉTÉ25", off: 25),
        .amount(code: "FIVER", off: Decimal(cents: 500), from: Decimal(cents: 3000)),
        .freeShipping(code: "POST🕊"),
    ]

    var code: String {
        switch self {
        case .percent(let code, _), .amount(let code, _, _), .freeShipping(let code): code
        }
    }
}

extension Shipping.Method {
    /// The price of sending a parcel of `weight` kilograms.
    func cost(weight: Double) -> Decimal {
        let heavy = weight > 2
        return switch self {
        case .pickup: 0
        case .standard: Decimal(cents: heavy ? 690 : 490)
        case .express: Decimal(cents: heavy ? 1990 : 1290)
        }
    }
}
