/// Holds an app's state, and lets nothing but dispatched actions change it.
///
/// ```swift
/// let store = Store(initial: AppState(), reducer: appReducer, middleware: [logging, recorder.middleware])
/// let token = store.subscribe(\.count) { print("count is", $0) }
/// store.dispatch(.increment)
/// ```
///
/// **Order.** `dispatch` → middleware, the first outermost → each leaf of the reducer, in place → subscribers, in the
/// order in which they subscribed → middleware unwinds. When `dispatch` returns, its action has been reduced.
///
/// **Threads.** Any thread may dispatch; there is one total order of actions. Dispatches of other threads wait.
///
/// **Re-entrancy.** In middleware, `dispatch` runs at once and knows its parent. In a subscriber it runs after the
/// round of notifications is over, first come first served. In a reducer it is a programmer's error.
///
/// **Cost.** State is changed in place; it is copied only where somebody keeps a copy.
public final class Store<State: Sendable, Action: Sendable>: @unchecked Sendable {
    // Sound: everything mutable below is touched only while `lock` is held.
    private let lock = RecursiveLock()
    private let leaves: [Reducer<State, Action>.Leaf]
    private let observers: [any ReductionObserver<State, Action>]
    private var chain: Middleware<State, Action>.Next?

    private var current: State
    private var phase = Phase.idle
    private var lastSeq = 0
    private var innermost: Passage?
    private var waiting: [Waiting] = []
    private var isServingWaiting = false
    private var subscribers: [Subscriber] = []
    private var lastSubscriber = 0

    private enum Phase { case idle, reducing, notifying }

    /// An action's way through the middleware: what nested dispatches need to know about it.
    private final class Passage {
        let parent: Passage?
        let origin: Origin
        var seq: Int?
        var reducedBefore: [Int] = []

        init(parent: Passage?, origin: Origin) {
            self.parent = parent
            self.origin = origin
        }
    }

    /// An action that a subscriber dispatched: it runs when the round of notifications is over.
    private struct Waiting {
        let action: Action
        let origin: Origin
        let cause: Passage?
    }

    private struct Subscriber {
        let id: Int
        let tell: (State) -> Void
    }

    /// Creates a store.
    ///
    /// - Parameters:
    ///   - initial: The state before the first action.
    ///   - reducer: What actions do. Two leaves of one name are told apart as `name` and `name#2`.
    ///   - middleware: Layers around the reducer, the first outermost.
    public init(
        initial: State,
        reducer: Reducer<State, Action>,
        middleware: [Middleware<State, Action>] = []
    ) {
        current = initial
        leaves = reducer.leaves
        observers = middleware.compactMap(\.observer)

        let bodies = middleware.compactMap(\.body)
        if !bodies.isEmpty {
            let getState: @Sendable () -> State = { [weak self] in
                guard let self else { return initial }
                return self.state
            }
            let dispatch = Dispatch<Action> { [weak self] action, origin in self?.dispatch(action, from: origin) }
            var next: Middleware<State, Action>.Next = { [weak self] action in self?.enterDoor(action) }
            for body in bodies.reversed() {
                next = body(getState, dispatch)(next)
            }
            chain = next
        }

        let names = Self.uniqueNames(of: reducer)
        for observer in observers {
            observer.storeStarted(initial: initial, reducers: names)
        }
    }

    /// The state as it is now. Reading it copies nothing until one of the two copies changes.
    public var state: State {
        lock.withLock {
            precondition(
                phase != .reducing,
                "A reducer read its store's state. Use the state that the reducer is given."
            )
            return current
        }
    }

    /// Dispatches an action: runs it through the middleware and the reducers, and tells the subscribers.
    ///
    /// - Parameters:
    ///   - action: What happened.
    ///   - fileID: The caller's file; recordings show it.
    ///   - line: The caller's line.
    public func dispatch(_ action: Action, fileID: String = #fileID, line: Int = #line) {
        dispatch(action, from: Origin(file: fileID, line: line))
    }

    /// Dispatches an action whose origin is not the calling line, such as one that was read from a file.
    public func dispatch(_ action: Action, from origin: Origin) {
        lock.lock()
        defer { lock.unlock() }
        switch phase {
        case .idle:
            pass(action, from: origin, within: innermost)
        case .notifying:
            waiting.append(Waiting(action: action, origin: origin, cause: innermost))
        case .reducing:
            preconditionFailure(
                """
                A reducer dispatched an action (\(origin)). Reducers only change their state: change it there directly, \
                or dispatch from middleware once the action that starts it has passed.
                """
            )
        }
    }

    private func pass(_ action: Action, from origin: Origin, within parent: Passage?) {
        let outer = innermost
        innermost = Passage(parent: parent, origin: origin)
        defer { innermost = outer }
        if let chain {
            chain(action)
        } else {
            enterDoor(action)
        }
    }

    // MARK: The reducers' door

    private func enterDoor(_ action: Action) {
        lock.lock()
        defer { lock.unlock() }
        precondition(phase == .idle, "Middleware let an action through while another one was being reduced.")
        reduce(action)
        notify()
    }

    private func reduce(_ action: Action) {
        lastSeq += 1
        phase = .reducing
        defer { phase = .idle }
        if observers.isEmpty {
            for leaf in leaves {
                leaf.reduce(&current, action)
            }
            return
        }
        let context = makeContext()
        for observer in observers {
            observer.willReduce(action, context: context)
        }
        for (index, leaf) in leaves.enumerated() {
            leaf.reduce(&current, action)
            for observer in observers {
                observer.didRun(reducer: index + 1, state: current)
            }
        }
        for observer in observers {
            observer.didReduce(state: current)
        }
    }

    /// Numbers the innermost action and settles who is whose parent.
    private func makeContext() -> ActionContext {
        // Middleware that calls `next` later, out of any dispatch, lets its action through with no passage.
        guard let passage = innermost else {
            return ActionContext(seq: lastSeq, parent: nil, adopted: [], origin: Origin(file: "", line: 0))
        }
        passage.seq = lastSeq
        var parent: Int?
        var ancestor = passage.parent
        while let candidate = ancestor {
            if let seq = candidate.seq {
                parent = seq
                break
            }
            ancestor = candidate.parent
        }
        if parent == nil {
            passage.parent?.reducedBefore.append(lastSeq)
        }
        return ActionContext(seq: lastSeq, parent: parent, adopted: passage.reducedBefore, origin: passage.origin)
    }

    // MARK: Subscribers

    /// Calls `onChange` with the state after every action.
    ///
    /// - Returns: A token; dropping it ends the subscription.
    public func subscribe(_ onChange: @escaping @Sendable (State) -> Void) -> Subscription {
        add(onChange)
    }

    /// Calls `onChange` with one value of the state whenever an action has changed it.
    ///
    /// - Parameters:
    ///   - value: The stored or computed property to follow.
    ///   - onChange: Called after an action that left the value different, by its own `==`.
    /// - Returns: A token; dropping it ends the subscription.
    public func subscribe<Value: Equatable>(
        _ value: KeyPath<State, Value> & Sendable,
        _ onChange: @escaping @Sendable (Value) -> Void
    ) -> Subscription {
        lock.withLock {
            var last = current[keyPath: value]
            return add { state in
                let now = state[keyPath: value]
                guard now != last else { return }
                last = now
                onChange(now)
            }
        }
    }

    private func add(_ tell: @escaping (State) -> Void) -> Subscription {
        lock.withLock {
            lastSubscriber += 1
            let id = lastSubscriber
            subscribers.append(Subscriber(id: id, tell: tell))
            return Subscription { [weak self] in self?.remove(id) }
        }
    }

    private func remove(_ id: Int) {
        lock.withLock { subscribers.removeAll { $0.id == id } }
    }

    private func notify() {
        if subscribers.isEmpty { return }
        phase = .notifying
        for subscriber in subscribers where subscribers.contains(where: { $0.id == subscriber.id }) {
            subscriber.tell(current)
        }
        phase = .idle
        serveWaiting()
    }

    private func serveWaiting() {
        if isServingWaiting { return }
        isServingWaiting = true
        defer { isServingWaiting = false }
        while !waiting.isEmpty {
            let next = waiting.removeFirst()
            pass(next.action, from: next.origin, within: next.cause)
        }
    }
}

extension Store {
    /// The names of a reducer's leaves in the order in which they run, with `#2`, `#3` … after a name that came before.
    public static func uniqueNames(of reducer: Reducer<State, Action>) -> [String] {
        var seen: Set<String> = []
        return reducer.leaves.map { leaf in
            var name = leaf.name
            var count = 1
            while !seen.insert(name).inserted {
                count += 1
                name = "\(leaf.name)#\(count)"
            }
            return name
        }
    }
}
