extension AsyncSequence where Self: Sendable, Element: Sendable {
    /// The values of this sequence and another one, in the order in which they come.
    ///
    /// Ends when both have ended, and fails when one fails. While the consumer is busy, each sequence waits with one
    /// value.
    public func merge<Other: AsyncSequence<Element, Failure> & Sendable>(
        with other: Other
    ) -> some AsyncSequence<Element, Failure> & Sendable {
        OperatorSequence<Merging<Element>, Failure>(
            machine: Merging(sources: 2),
            workers: [Self.merging(self, 0), Self.merging(other, 1)]
        )
    }

    /// The values of this sequence and two others, in the order in which they come.
    ///
    /// Ends when all have ended, and fails when one fails. While the consumer is busy, each sequence waits with one
    /// value.
    public func merge<
        Second: AsyncSequence<Element, Failure> & Sendable,
        Third: AsyncSequence<Element, Failure> & Sendable
    >(
        with second: Second,
        _ third: Third
    ) -> some AsyncSequence<Element, Failure> & Sendable {
        OperatorSequence<Merging<Element>, Failure>(
            machine: Merging(sources: 3),
            workers: [Self.merging(self, 0), Self.merging(second, 1), Self.merging(third, 2)]
        )
    }

    /// Pairs each new value of this sequence or another one with the other's latest.
    ///
    /// ```swift
    /// for await (name, isOnline) in store.values(\.name).combineLatest(network.values(\.isOnline)) { … }
    /// ```
    ///
    /// Begins when both have given a value. Ends when both have ended, or when one has ended without a value, and fails
    /// when one fails. While the consumer is busy, each sequence waits with one value.
    ///
    /// Two values of *one* store come one after the other even if one action changes both; to see them together, follow
    /// a ``DerivedSelector`` of both.
    public func combineLatest<Other: AsyncSequence & Sendable>(
        _ other: Other
    ) -> some AsyncSequence<(Element, Other.Element), Failure> & Sendable
    where Other.Element: Sendable, Other.Failure == Failure {
        typealias Machine = CombiningLatest<Element, Other.Element>
        return OperatorSequence<Machine, Failure>(
            machine: Machine(),
            workers: [
                OperatorStorage.source(
                    self,
                    worker: 0,
                    arrived: { $0.arrived(.first($1)) },
                    finished: { $0.finished(0) }
                ),
                OperatorStorage.source(
                    other,
                    worker: 1,
                    arrived: { $0.arrived(.second($1)) },
                    finished: { $0.finished(1) }
                ),
            ]
        )
    }

    private static func merging<Base: AsyncSequence<Element, Failure> & Sendable>(
        _ base: Base,
        _ source: Int
    ) -> OperatorStorage<Merging<Element>, Failure>.Worker {
        OperatorStorage.source(
            base,
            worker: source,
            arrived: { $0.arrived($1, from: source) },
            finished: { $0.finished() }
        )
    }
}
