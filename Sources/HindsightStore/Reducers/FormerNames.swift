/// The names that a reducer, or a prefix of reducers, had before, as a literal of one or several.
///
/// ```swift
/// let total = Reducer<Cart, CartAction>("total", formerly: ["sum", "totals"]) { cart, _ in
///     cart.total = cart.prices.reduce(0, +)
/// }
/// ```
public struct FormerNames: Sendable, Hashable, ExpressibleByStringLiteral, ExpressibleByArrayLiteral {
    /// The names, in any order.
    @usableFromInline let names: [String]

    @inlinable
    public init(stringLiteral name: String) {
        names = [name]
    }

    @inlinable
    public init(arrayLiteral names: String...) {
        self.names = names
    }
}
