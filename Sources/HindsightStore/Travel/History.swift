/// How much of its past a store keeps.
///
/// ```swift
/// let store = Store(initial: AppState(), reducer: appReducer, history: .last(actions: 100, reducers: 10))
/// ```
///
/// Each state that is kept costs the store a copy of what the next reducer changes, so none is by default.
public struct HistoryLimit: Sendable {
    /// How many actions' states are kept; less than none is none.
    public var actions: Int
    /// How many single reducers' states are kept; less than none is none.
    public var reducers: Int

    /// Keeps nothing.
    public static var none: HistoryLimit { HistoryLimit(actions: 0, reducers: 0) }

    /// Keeps the states after the last `actions` actions and after the last `reducers` single reducers.
    public static func last(actions: Int, reducers: Int = 0) -> HistoryLimit {
        HistoryLimit(actions: max(0, actions), reducers: max(0, reducers))
    }
}

/// An action that was reduced, or a travel in time, and the state after it.
///
/// ```swift
/// for record in store.history where !record.isTravel {
///     let action = record.action.map { "\($0)" } ?? "start"
///     print(record.seq, action, record.state.count)
/// }
/// ```
public struct HistoryRecord<State: Sendable, Action: Sendable>: Sendable {
    public let seq: Int
    /// `nil` for the initial state, whose `seq` is 0, and for time travel.
    public let action: Action?
    /// For time travel, the `seq` of the record to which the store travelled; `nil` where that was a given state.
    public let travelledTo: Int?
    public let state: State

    /// Whether the state was set by time travel instead of being reduced.
    public var isTravel: Bool { action == nil && seq > 0 }
}

/// A reducer that ran, and the state after it.
///
/// ```swift
/// for step in store.microHistory { print("\(step.seq).\(step.reducer) \(step.name): \(step.state.count)") }
/// ```
public struct MicroHistoryRecord<State: Sendable>: Sendable {
    public let seq: Int
    /// The reducer's number, from 1.
    public let reducer: Int
    /// The reducer's name.
    public let name: String
    public let state: State
}

/// The past that a store keeps.
struct History<State: Sendable, Action: Sendable> {
    private(set) var records: Recent<HistoryRecord<State, Action>>
    private(set) var steps: Recent<MicroHistoryRecord<State>>

    init(limit: HistoryLimit, initial: State) {
        // The initial state is one more than the actions; a limit of `Int.max` has no room for it, nor need of it.
        records = Recent(limit: limit.actions > 0 ? max(limit.actions, limit.actions &+ 1) : 0)
        steps = Recent(limit: max(0, limit.reducers))
        records.append(HistoryRecord(seq: 0, action: nil, travelledTo: nil, state: initial))
    }

    var isOff: Bool { records.limit == 0 && steps.limit == 0 }

    mutating func add(_ action: Action, context: ActionContext, state: UnsafeMutablePointer<State>) {
        if records.limit == 0 { return }
        records.append(HistoryRecord(seq: context.seq, action: action, travelledTo: nil, state: state.pointee))
    }

    mutating func add(travelTo destination: Int?, seq: Int, state: UnsafeMutablePointer<State>) {
        if records.limit == 0 { return }
        records.append(HistoryRecord(seq: seq, action: nil, travelledTo: destination, state: state.pointee))
    }

    mutating func add(step reducer: Int, named name: String, seq: Int, state: UnsafeMutablePointer<State>) {
        if steps.limit == 0 { return }
        steps.append(MicroHistoryRecord(seq: seq, reducer: reducer, name: name, state: state.pointee))
    }
}

/// The last few of many elements.
struct Recent<Element> {
    let limit: Int
    private var elements: [Element] = []
    private var start = 0

    init(limit: Int) { self.limit = limit }

    /// Adds an element, in place of the oldest where the limit is reached.
    mutating func append(_ element: Element) {
        if limit == 0 { return }
        if elements.count < limit {
            elements.append(element)
        } else {
            elements[start] = element
            start = (start + 1) % limit
        }
    }

    /// Some element that fits.
    func first(where fits: (Element) -> Bool) -> Element? { elements.first(where: fits) }

    /// From the oldest to the newest.
    var all: [Element] { Array(elements[start...] + elements[..<start]) }
}

extension Store {
    /// The states after the last actions, oldest first, as many as the store was made to keep.
    public var history: [HistoryRecord<State, Action>] {
        lock.withLock { past.records.all }
    }

    /// The states after the last single reducers, oldest first, as many as the store was made to keep.
    public var microHistory: [MicroHistoryRecord<State>] {
        lock.withLock { past.steps.all }
    }
}
