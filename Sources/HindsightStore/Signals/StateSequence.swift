/// Which values a stream keeps for a consumer that is slower than its store.
///
/// ```swift
/// for await count in store.observe(\.count).values.buffering(.unbounded) { log(count) }
/// ```
public enum StateBuffering: Sendable, Hashable {
    /// The newest values, up to a number. Drops older ones.
    case newest(Int)
    /// The oldest values, up to a number. Drops newer ones, even the last.
    case oldest(Int)
    /// All values. Memory grows without bound if the consumer stays slower.
    case unbounded
}

/// A value of a store as a stream: the present value, then each changed one.
///
/// ```swift
/// for await name in store.observe(\.name).values {
///     print(name)
/// }
/// ```
///
/// Each iteration subscribes on its own when it begins. It ends when its task is cancelled, or when the store is gone
/// and the consumer has received the buffered values. The stream does not keep its store alive.
///
/// **Backpressure.** The store never waits. While the consumer is busy, the stream keeps the newest value for it;
/// ``buffering(_:)`` sets another policy. The consumer never receives the same value twice in a row, as decided by its
/// `==`, nor an older value after a newer one.
///
/// For operators such as `debounce` or `combineLatest`, use those of ``StateSignal``, or Apple's
/// swift-async-algorithms.
public struct StateSequence<Value: Sendable>: AsyncSequence, Sendable {
    public typealias Element = Value
    public typealias Failure = Never

    fileprivate let signal: StateSignal<Value>
    fileprivate var buffering = StateBuffering.newest(1)

    /// The same stream with another buffering policy.
    public func buffering(_ buffering: StateBuffering) -> StateSequence {
        StateSequence(signal: signal, buffering: buffering)
    }

    public func makeAsyncIterator() -> Iterator {
        let (stream, continuation) = AsyncStream.makeStream(of: Value.self, bufferingPolicy: policy)
        let end = EndOfSource { continuation.finish() }
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

    /// One iteration. Releasing it ends the subscription.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var base: AsyncStream<Value>.Iterator
        fileprivate let token: SubscriptionToken
        fileprivate let isSame: (@Sendable (Value, Value) -> Bool)?
        fileprivate var last: Value?

        public mutating func next(isolation actor: isolated (any Actor)?) async -> Value? {
            while let value = await base.next(isolation: actor) {
                // A value may have changed and changed back while the consumer was busy.
                if let isSame, let last, isSame(last, value) { continue }
                last = value
                return value
            }
            token.end(waits: false)
            return nil
        }

        public mutating func next() async -> Value? {
            await next(isolation: nil)
        }
    }
}

extension StateSignal {
    /// This signal as an asynchronous sequence. It ends when the stores of the signal are gone and the consumer has
    /// received the last value.
    public var values: StateSequence<Value> { StateSequence(signal: self) }
}
