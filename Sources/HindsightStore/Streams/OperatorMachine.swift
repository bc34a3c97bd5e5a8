/// What an asynchronous operator decides, as a value: it knows no tasks, no locks and no clocks.
///
/// Workers, counted from 0, bring it what happens; ``OperatorStorage`` runs them and asks what may go out.
protocol OperatorMachine<Output>: Sendable {
    associatedtype Output: Sendable

    /// Gives the next value that may go out, once.
    mutating func take() -> Output?

    /// Whether nothing will go out any more.
    var isDone: Bool { get }

    /// Whether a worker that has brought something may go on, or waits.
    func mayGoOn(_ worker: Int) -> Bool
}

/// An operator that decides by time.
///
/// Its first worker brings values, which it never keeps waiting; its second sleeps until ``deadline``.
protocol TimedMachine<Output, Instant>: OperatorMachine {
    associatedtype Instant: InstantProtocol

    /// When it wants to be woken, if it does. Moves to later times only.
    var deadline: Instant? { get }

    mutating func arrived(_ value: Output, at now: Instant)
    mutating func woken(at now: Instant)
    mutating func finished()
}

extension TimedMachine {
    func mayGoOn(_ worker: Int) -> Bool { worker == 0 || deadline != nil }
}
