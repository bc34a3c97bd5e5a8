extension AsyncSequence {
    /// Leaves out values that equal the one before, by their own `==`.
    ///
    /// Keeps one value. A store's ``StateSequence`` has no duplicates already; what was made of it by `map` may have.
    public func removeDuplicates() -> AsyncDistinctSequence<Self>
    where Element: Equatable & SendableMetatype {
        AsyncDistinctSequence(self) { $0 == $1 }
    }

    /// Leaves out values that are the same as the one before.
    ///
    /// ```swift
    /// store.values(\.user).removeDuplicates { $0.id == $1.id }
    /// ```
    ///
    /// - Parameter isSame: Whether two values that follow one another are the same.
    public func removeDuplicates(
        by isSame: @escaping @Sendable (Element, Element) -> Bool
    ) -> AsyncDistinctSequence<Self> {
        AsyncDistinctSequence(self, isSame)
    }
}

/// A sequence without values that are the same as the one before.
///
/// ```swift
/// let initials = store.values(\.name).map { $0.prefix(1) }.removeDuplicates()
/// ```
public struct AsyncDistinctSequence<Base: AsyncSequence>: AsyncSequence {
    public typealias Element = Base.Element
    public typealias Failure = Base.Failure

    private let base: Base
    private let isSame: @Sendable (Element, Element) -> Bool

    init(_ base: Base, _ isSame: @escaping @Sendable (Element, Element) -> Bool) {
        self.base = base
        self.isSame = isSame
    }

    public func makeAsyncIterator() -> Iterator {
        Iterator(base: base.makeAsyncIterator(), isSame: isSame)
    }

    public struct Iterator: AsyncIteratorProtocol {
        var base: Base.AsyncIterator
        let isSame: @Sendable (Element, Element) -> Bool
        private var last: Element?

        init(base: Base.AsyncIterator, isSame: @escaping @Sendable (Element, Element) -> Bool) {
            self.base = base
            self.isSame = isSame
        }

        public mutating func next(isolation actor: isolated (any Actor)?) async throws(Failure) -> Element? {
            while let value = try await base.next(isolation: actor) {
                if let last, isSame(last, value) { continue }
                last = value
                return value
            }
            return nil
        }

        public mutating func next() async throws(Failure) -> Element? {
            try await next(isolation: nil)
        }
    }
}

extension AsyncDistinctSequence: Sendable where Base: Sendable {}
