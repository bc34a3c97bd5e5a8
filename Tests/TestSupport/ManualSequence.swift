/// A sequence whose values a test provides, one at a time. It ends when its consumer is cancelled.
public final class ManualSequence<Element: Sendable>: AsyncSequence, AsyncIteratorProtocol, Sendable {
    private struct State {
        var values: [Element] = []
        var consumer: CheckedContinuation<Element?, Never>?
        var isCancelled = false
    }

    private let state = Guarded(State())

    public init() {}

    public func makeAsyncIterator() -> ManualSequence { self }

    public func next() async throws -> Element? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { (consumer: CheckedContinuation<Element?, Never>) in
                state.withLock { state in
                    if state.isCancelled {
                        consumer.resume(returning: nil)
                    } else if state.values.isEmpty {
                        state.consumer = consumer
                    } else {
                        consumer.resume(returning: state.values.removeFirst())
                    }
                }
            }
        } onCancel: {
            let consumer = state.withLock { state in
                state.isCancelled = true
                return state.consumer.take()
            }
            consumer?.resume(returning: nil)
        }
    }

    /// Provides a value to the consumer, now or when it asks for one.
    public func give(_ value: Element) {
        let consumer = state.withLock { state in
            if state.consumer == nil { state.values.append(value) }
            return state.consumer.take()
        }
        consumer?.resume(returning: value)
    }
}
