import HindsightSupport

extension StateSignal {
    /// Combines the values of this signal and others into one signal, in the order in which they arrive.
    public func merge(with others: StateSignal...) -> StateSignal {
        let signals = [self] + others
        return StateSignal(topics: topics, isSame: nil) { receive in
            let emitter = SerialEmitter(receive)
            let end = EndOfSource { emitter.finish() }
            let tokens = signals.enumerated().map { source, signal in
                signal.start { value in
                    withExtendedLifetime(end) {
                        emitter.post(value, from: source)
                        emitter.drain()
                    }
                }
            }
            return SubscriptionToken { waits in
                for token in tokens { token.end(waits: waits) }
                emitter.close()
            }
        }
    }

    /// Pairs each new value of this signal or another one with the other's latest.
    ///
    /// The first pair is that of the two present values. If one action changes two values of the *same* store, the
    /// signal emits two pairs. To receive them as one, follow a ``DerivedSelector`` of both.
    public func combineLatest<Other: Sendable>(_ other: StateSignal<Other>) -> StateSignal<(Value, Other)> {
        StateSignal<(Value, Other)>(topics: topics, isSame: nil) { receive in
            let emitter = SerialEmitter(receive)
            let pair = LatestPair<Value, Other>(emitter)
            let tokens = [
                start { value in pair.change { $0.0 = value } },
                other.start { value in pair.change { $0.1 = value } },
            ]
            return SubscriptionToken { waits in
                for token in tokens { token.end(waits: waits) }
                emitter.close()
            }
        }
    }
}

/// The latest values of two signals.
private final class LatestPair<First: Sendable, Second: Sendable>: Sendable {
    private let values = Locked<(First?, Second?)>((nil, nil))
    private let emitter: SerialEmitter<(First, Second)>

    // Only the closures of the two sources retain this object.
    deinit { emitter.finish() }

    init(_ emitter: SerialEmitter<(First, Second)>) {
        self.emitter = emitter
    }

    func change(_ body: (inout (First?, Second?)) -> Void) {
        var replaced: (First, Second)?
        let old = values.withLock { values in
            let old = values
            body(&values)
            // Posted within the lock, so that pairs keep their order.
            if let first = values.0, let second = values.1 { replaced = emitter.post((first, second)) }
            return old
        }
        emitter.drain()
        // Released only now: the end of a value may dispatch.
        withExtendedLifetime((old, replaced)) {}
    }
}
