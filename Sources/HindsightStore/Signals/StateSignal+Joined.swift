import HindsightSupport

extension StateSignal {
    /// The values of this signal and others, in the order in which they come.
    public func merge(with others: StateSignal...) -> StateSignal {
        let signals = [self] + others
        return StateSignal(isSame: nil) { receive in
            let outlet = Outlet(receive)
            let tokens = signals.enumerated().map { source, signal in
                signal.start { value in
                    outlet.post(value, from: source)
                    outlet.drain()
                }
            }
            return Subscription(
                EndingOnce {
                    for token in tokens { token.cancel() }
                    outlet.close()
                }
            )
        }
    }

    /// Pairs each new value of this signal or another one with the other's latest.
    ///
    /// It begins with the two present values. Two values of *one* store are told one after the other even if one action
    /// changes both; to see them together, follow a ``DerivedSelector`` of both.
    public func combineLatest<Other: Sendable>(_ other: StateSignal<Other>) -> StateSignal<(Value, Other)> {
        StateSignal<(Value, Other)>(isSame: nil) { receive in
            let outlet = Outlet(receive)
            let pair = LatestPair<Value, Other>(outlet)
            let tokens = [
                start { value in pair.change { $0.0 = value } },
                other.start { value in pair.change { $0.1 = value } },
            ]
            return Subscription(
                EndingOnce {
                    for token in tokens { token.cancel() }
                    outlet.close()
                }
            )
        }
    }
}

/// The latest values of two signals.
private final class LatestPair<First: Sendable, Second: Sendable>: Sendable {
    private let values = Locked<(First?, Second?)>((nil, nil))
    private let outlet: Outlet<(First, Second)>

    init(_ outlet: Outlet<(First, Second)>) {
        self.outlet = outlet
    }

    func change(_ body: (inout (First?, Second?)) -> Void) {
        values.withLock { values in
            body(&values)
            // Posted within the lock, so that pairs leave in the order in which they arose.
            if let first = values.0, let second = values.1 { outlet.post((first, second)) }
        }
        outlet.drain()
    }
}
