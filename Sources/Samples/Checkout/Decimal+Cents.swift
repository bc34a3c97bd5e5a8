import Foundation

extension Decimal {
    /// Creates an exact amount: `Decimal(cents: 1999)` is 19.99. A literal would be rounded to a `Double`.
    init(cents: Int) {
        self.init(sign: cents < 0 ? .minus : .plus, exponent: -2, significand: Decimal(cents.magnitude))
    }

    /// This amount rounded to cents, with halves away from zero.
    var roundedToCents: Decimal {
        var amount = self
        var rounded = Decimal()
        NSDecimalRound(&rounded, &amount, 2, .plain)
        return rounded
    }
}
