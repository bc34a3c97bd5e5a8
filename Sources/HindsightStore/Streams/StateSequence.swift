/// How many values wait for a consumer that is slower than they come.
///
/// ```swift
/// for await count in store.values(\.count).buffering(.unbounded) { log(count) }
/// ```
public enum StateBuffering: Sendable, Hashable {
    /// The newest so many; older ones are left out.
    case newest(Int)
    /// The oldest so many; newer ones are left out, also the last one.
    case oldest(Int)
    /// All of them. Memory grows as long as the consumer is too slow.
    case unbounded
}

/// A value of a store as a stream: the present value, then each changed one.
///
/// ```swift
/// for await name in store.values(\.name) {
///     print(name)
/// }
/// ```
///
/// Each iteration subscribes on its own when it begins. It ends when the store is gone, after the values that wait, or
/// when its task is cancelled. The stream does not keep its store alive.
///
/// **Back-pressure.** The store never waits. While the consumer is busy, the newest value alone is kept for it;
/// ``buffering(_:)`` chooses otherwise. The consumer never gets the same value twice in a row, by its own `==`, nor an
/// older value after a newer one.
public struct StateSequence<Value: Sendable>: AsyncSequence, Sendable {
    public typealias Element = Value
    public typealias Failure = Never

    private let signal: StateSignal<Value>
    private var buffering = StateBuffering.newest(1)

    init(_ signal: StateSignal<Value>) {
        self.signal = signal
    }

    /// The same stream with another way to wait for a slow consumer.
    public func buffering(_ buffering: StateBuffering) -> StateSequence {
        var sequence = self
        sequence.buffering = buffering
        return sequence
    }

    public func makeAsyncIterator() -> Iterator {
        let (stream, continuation) = AsyncStream.makeStream(of: Value.self, bufferingPolicy: policy)
        let end = EndOfStream { continuation.finish() }
        let token = signal.start { value in
            withExtendedLifetime(end) { _ = continuation.yield(value) }
        }
        return Iterator(base: stream.makeAsyncIterator(), token: token, isSame: signal.isSame)
    }

    private var policy: AsyncStream<Value>.Continuation.BufferingPolicy {
        switch buffering {
        case .newest(let count): .bufferingNewest(count)
        case .oldest(let count): .bufferingOldest(count)
        case .unbounded: .unbounded
        }
    }

    /// Gives one iteration's values. Dropping it ends the subscription.
    public struct Iterator: AsyncIteratorProtocol {
        private var base: AsyncStream<Value>.Iterator
        private let token: Subscription
        private let isSame: (@Sendable (Value, Value) -> Bool)?
        private var last: Value?

        fileprivate init(
            base: AsyncStream<Value>.Iterator,
            token: Subscription,
            isSame: (@Sendable (Value, Value) -> Bool)?
        ) {
            self.base = base
            self.token = token
            self.isSame = isSame
        }

        public mutating func next(isolation actor: isolated (any Actor)?) async -> Value? {
            while let value = await base.next(isolation: actor) {
                // A value may have changed and changed back while the consumer was busy.
                if let isSame, let last, isSame(last, value) { continue }
                last = value
                return value
            }
            token.cancel()
            return nil
        }

        public mutating func next() async -> Value? {
            await next(isolation: nil)
        }
    }
}

/// Ends a stream when whoever could add to it has let go of it: when its store is gone, or its subscription has ended.
private final class EndOfStream: Sendable {
    private let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    deinit { body() }
}

extension Store {
    /// One property as a stream: the present value, then each changed one, by its own `==`.
    ///
    /// - Parameter value: The stored or computed property.
    public func values<Value: Equatable & Sendable>(
        _ value: KeyPath<State, Value> & Sendable
    ) -> StateSequence<Value> {
        StateSequence(observe(value))
    }

    /// One property that cannot be compared, as a stream: the present value, then its value after every action.
    public func values<Value: Sendable>(_ value: KeyPath<State, Value> & Sendable) -> StateSequence<Value> {
        StateSequence(observe(value))
    }

    /// What a selector makes of the state, as a stream: the present value, then each changed one, by its own `==`.
    public func values<Selector: StateSelector>(_ selector: Selector) -> StateSequence<Selector.Output>
    where Selector.Input == State, Selector.Output: Equatable & Sendable {
        StateSequence(observe(selector))
    }
}

extension StateSignal {
    /// This signal as a stream, for code that waits for its values.
    public var values: StateSequence<Value> { StateSequence(self) }
}
