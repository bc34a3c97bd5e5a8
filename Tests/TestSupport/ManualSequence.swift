/// A sequence whose values a test gives, one at a time.
///
/// ``send(_:)`` comes back when the consumer asks for the next value or has gone: what it does with this one is done.
public final class ManualSequence<Element: Sendable>: AsyncSequence, AsyncIteratorProtocol, Sendable {
    public typealias Failure = any Error

    private enum Event: Sendable {
        case value(Element)
        case end
        case failure(any Error)
    }

    private struct State {
        var events: [Event] = []
        var consumer: CheckedContinuation<Event, Never>?
        var senders: [CheckedContinuation<Void, Never>] = []
        var watchers: [CheckedContinuation<Void, Never>] = []
        var isCancelled = false
    }

    private let state = Guarded(State())

    public init() {}

    public func makeAsyncIterator() -> ManualSequence { self }

    public func next() async throws -> Element? {
        let event = await withTaskCancellationHandler {
            await withCheckedContinuation { (consumer: CheckedContinuation<Event, Never>) in
                let senders: [CheckedContinuation<Void, Never>] = state.withLock { state in
                    if state.isCancelled {
                        consumer.resume(returning: .end)
                    } else if state.events.isEmpty {
                        state.consumer = consumer
                        defer { state.senders = [] }
                        return state.senders
                    } else {
                        consumer.resume(returning: state.events.removeFirst())
                    }
                    return []
                }
                senders.forEach { $0.resume() }
            }
        } onCancel: {
            let (consumer, senders) = state.withLock { state in
                state.isCancelled = true
                defer {
                    state.consumer = nil
                    state.senders = []
                    state.watchers = []
                }
                return (state.consumer, state.senders + state.watchers)
            }
            consumer?.resume(returning: .end)
            senders.forEach { $0.resume() }
        }
        switch event {
        case .value(let value): return value
        case .end: return nil
        case .failure(let error): throw error
        }
    }

    /// Gives a value, and waits until the consumer asks for the next one.
    public func send(_ value: Element) async {
        give(.value(value))
        await withCheckedContinuation { (sender: CheckedContinuation<Void, Never>) in
            state.withLock { state in
                if state.isCancelled || (state.consumer != nil && state.events.isEmpty) {
                    sender.resume()
                } else {
                    state.senders.append(sender)
                }
            }
        }
    }

    /// Gives a value without waiting.
    public func give(_ value: Element) { give(.value(value)) }

    /// Ends the sequence after the values that were given.
    public func finish() { give(.end) }

    /// Fails after the values that were given.
    public func fail(_ error: any Error) { give(.failure(error)) }

    /// Waits until the consumer was cancelled.
    public func waitUntilCancelled() async {
        await withCheckedContinuation { (watcher: CheckedContinuation<Void, Never>) in
            state.withLock { state in
                if state.isCancelled {
                    watcher.resume()
                } else {
                    state.watchers.append(watcher)
                }
            }
        }
    }

    private func give(_ event: Event) {
        let consumer = state.withLock { state in
            guard let consumer = state.consumer else {
                state.events.append(event)
                return CheckedContinuation<Event, Never>?.none
            }
            state.consumer = nil
            return consumer
        }
        consumer?.resume(returning: event)
    }
}
