/// How many past states a store keeps.
///
/// ```swift
/// let store = Store(initial: AppState(), reducer: appReducer, history: .last(actions: 100, reducers: 10))
/// ```
///
/// A kept state makes the next reducer copy what it changes, so a store keeps none by default.
public struct HistoryLimit: Sendable {
    /// The number of actions to keep, each with the state after it. Negative numbers count as 0.
    public var actions: Int
    /// The number of reducer runs to keep, each with the state after it. Negative numbers count as 0.
    public var reducers: Int

    /// Keeps nothing.
    public static var none: HistoryLimit { HistoryLimit(actions: 0, reducers: 0) }

    /// Keeps the states after the last `actions` actions, and after the last `reducers` reducer runs.
    public static func last(actions: Int, reducers: Int = 0) -> HistoryLimit {
        HistoryLimit(actions: max(0, actions), reducers: max(0, reducers))
    }
}

/// An action or a time travel, and the state after it.
///
/// ```swift
/// for record in store.history where !record.isTravel {
///     let action = record.action.map { "\($0)" } ?? "start"
///     print(record.seq, action, record.state.count)
/// }
/// ```
public struct HistoryRecord<StateValue: Sendable, ActionValue: Sendable>: Sendable {
    public let seq: Int
    /// `nil` for the initial state, whose `seq` is 0, and for time travel.
    public let action: ActionValue?
    /// For time travel, the `seq` of the record to which the store travelled; `nil` if the caller gave the state.
    public let travelledTo: Int?
    public let state: StateValue

    /// Whether time travel set the state, instead of the reducers.
    public var isTravel: Bool { action == nil && seq > 0 }
}

/// One run of one reducer, and the state after it.
///
/// ```swift
/// for step in store.microHistory { print("\(step.seq).\(step.reducer) \(step.name): \(step.state.count)") }
/// ```
public struct MicroHistoryRecord<StateValue: Sendable>: Sendable {
    public let seq: Int
    /// The reducer's number, from 1.
    public let reducer: Int
    /// The reducer's name.
    public let name: String
    public let state: StateValue
}

/// The records that a store keeps.
struct HistoryBuffer<StateValue: Sendable, ActionValue: Sendable> {
    var records: RingBuffer<HistoryRecord<StateValue, ActionValue>>
    var steps: RingBuffer<MicroHistoryRecord<StateValue>>

    init(limit: HistoryLimit, initial: StateValue) {
        // One more for the initial state, unless the limit is `Int.max`.
        records = RingBuffer(limit: limit.actions > 0 ? max(limit.actions, limit.actions &+ 1) : 0)
        steps = RingBuffer(limit: max(0, limit.reducers))
        var first = HistoryRecord<StateValue, ActionValue>(seq: 0, action: nil, travelledTo: nil, state: initial)
        records.append(&first)
    }

    var keepsRecords: Bool { records.limit > 0 }
    var keepsSteps: Bool { steps.limit > 0 }
    var isOff: Bool { !keepsRecords && !keepsSteps }
}

/// The last elements of a sequence, up to a limit.
struct RingBuffer<Element> {
    let limit: Int
    private var elements: [Element] = []
    private var start = 0

    init(limit: Int) { self.limit = limit }

    /// Adds an element. If the buffer is full, exchanges it for the oldest. Release that after this call: that may run
    /// the app's code, which may read the history.
    ///
    /// Without an optional result: the code is not specialized for `Element`, and would look up the optional's type at
    /// run time.
    mutating func append(_ element: inout Element) {
        if limit == 0 { return }
        if elements.count < limit { return elements.append(element) }
        swap(&elements[start], &element)
        start = (start + 1) % limit
    }

    /// Returns an element that satisfies the predicate, in no particular order.
    func first(where predicate: (Element) -> Bool) -> Element? { elements.first(where: predicate) }

    /// All elements, from the oldest to the newest.
    var all: [Element] { Array(elements[start...] + elements[..<start]) }
}
