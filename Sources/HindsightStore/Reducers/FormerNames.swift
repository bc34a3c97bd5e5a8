/// The names that a reducer, or a prefix of reducers, had before: `"sum"` or `["sum", "total"]`.
public struct FormerNames: Sendable, Hashable, ExpressibleByStringLiteral, ExpressibleByArrayLiteral {
    /// The names, in any order.
    public let names: [String]

    @inlinable
    public init(stringLiteral name: String) {
        names = [name]
    }

    @inlinable
    public init(arrayLiteral names: String...) {
        self.names = names
    }
}
