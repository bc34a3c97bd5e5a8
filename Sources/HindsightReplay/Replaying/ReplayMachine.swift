import HindsightRecorder
import HindsightStore
import HindsightTree

/// An app's reducers and a state, with their types erased. It knows neither recordings nor positions.
///
/// It has no store, so it runs no middleware, no effects and no subscribers.
protocol ReplayMachine: AnyObject {
    /// Makes a recorded state the current one.
    func load(_ state: Node) throws
    /// Makes a recorded action the current one.
    func prepare(_ action: Node) throws
    /// Runs the reducer at `index` of the app's list on the current state and action.
    func run(_ index: Int)
    /// Runs the reducer at `index` of the app's list and finds its changes.
    ///
    /// - Parameter reduced: Called after the reducer, before the search for changes.
    func runFindingChanges(_ index: Int, reduced: () -> Void) throws -> Patch
    /// Runs the last reducer again on a copy of its input, and finds its changes. Keeps the current state.
    func changesOfRunningAgain() throws -> Patch
    /// Whether the last reducer gives different values at a place if it runs several times on equal values at other
    /// addresses.
    func resultsElsewhereDiffer(_ times: Int, at path: NodePath) throws -> Bool
    /// The state that the first `count` reducers make of another state and action. Keeps the current ones.
    ///
    /// - Throws: The errors of the codecs: the state or the action may not decode.
    func result(ofFirst count: Int, on state: Node, _ action: Node) throws -> Node
    /// The current state.
    func state() throws -> Node

    /// Decodes an action, to be made the current one several times.
    func decode(_ action: Node) throws -> any DecodedAction
    /// Makes an action the current one. The machine must have decoded it.
    func prepare(_ action: any DecodedAction)
    /// Keeps the current state, to come back to it.
    func save() throws -> any SavedState
    /// Makes a state the current one that the machine has saved.
    func restore(_ state: any SavedState) throws
    /// The current state, given a saved one and its node. Costs comparing what they do not share, or encoding if they may
    /// hold class instances.
    func state(since saved: any SavedState, _ node: Node) throws -> Node
}

/// An action of the app, for ``ReplayMachine/prepare(_:)``.
protocol DecodedAction {}
/// A state of the app, for ``ReplayMachine/restore(_:)``.
package protocol SavedState {}

final class TypedMachine<StateValue: Codable & Sendable, ActionValue: Sendable>: ReplayMachine {
    private typealias Reduce = @Sendable (inout StateValue, ActionValue) -> Void
    /// The reducers. The type of an array's elements would be looked up at each step. Sound: initialized in `init`, and
    /// not changed before `deinit`.
    private let reducers: UnsafeMutableBufferPointer<Reduce>
    private let actions: ActionCodec<ActionValue>
    /// Redacts today's states like the recorded ones.
    private let redactor: Redactor?
    private let changes: ChangeFinder<StateValue>
    /// Whether `changes` follows the current state.
    private var isFollowed = false
    // Slots instead of optionals, whose types would be looked up at each step. A stored state would be copied each time
    // that it is passed on.
    private let current = Slot<StateValue>()
    private let action = Slot<ActionValue>()
    /// The same as a node.
    private var actionNode: Node?
    /// The state before the last reducer.
    private let previous = Slot<StateValue>()
    /// The index of the last reducer.
    private var previousIndex = 0
    /// The same state as a node, if states hold class instances.
    private var previousNode: Node?

    init(
        initial: StateValue,
        reducer: Reducer<StateValue, ActionValue>,
        actions: ActionCodec<ActionValue>,
        redactor: Redactor?
    ) {
        self.redactor = redactor
        changes = ChangeFinder(redactor: redactor)
        reducers = .allocate(capacity: reducer.leaves.count)
        _ = reducers.initialize(from: reducer.leaves.map(\.reduce))
        self.actions = actions
        current.set(initial)
    }

    deinit {
        reducers.deinitialize()
        reducers.deallocate()
    }

    func load(_ state: Node) throws {
        current.set(try NodeDecoder().decode(StateValue.self, from: state))
        previous.clear()
        isFollowed = false
    }

    func prepare(_ action: Node) throws {
        self.action.set(try actions.decode(action))
        actionNode = action
    }

    func run(_ index: Int) {
        guard action.isSet else { return }
        // A second reference to the state would make every change copy it.
        previous.clear()
        changes.stopFollowing()
        isFollowed = false
        reducers[index](&current.pointer.pointee, action.pointer.pointee)
    }

    func runFindingChanges(_ index: Int, reduced: () -> Void) throws -> Patch {
        guard action.isSet else { return Patch() }
        if !isFollowed { try changes.follow(from: current.pointer.pointee) }
        isFollowed = true
        previousNode = changes.lastNode
        previous.set(current.pointer.pointee)
        previousIndex = index
        reducers[index](&current.pointer.pointee, action.pointer.pointee)
        reduced()
        return try changes.patch(to: current.pointer.pointee)
    }

    func changesOfRunningAgain() throws -> Patch {
        guard action.isSet, previous.isSet else { return Patch() }
        if let previousNode {
            // The old state shares its instances with the current one, so they have changed.
            var state = try NodeDecoder().decode(StateValue.self, from: previousNode)
            reducers[previousIndex](&state, action.pointer.pointee)
            return Patch(from: previousNode, to: try NodeEncoder(redactor: redactor).encode(state))
        }
        var state = previous.pointer.pointee
        reducers[previousIndex](&state, action.pointer.pointee)
        return try changes.patch(from: previous.pointer.pointee, to: state)
    }

    func resultsElsewhereDiffer(_ times: Int, at path: NodePath) throws -> Bool {
        guard let actionNode, previous.isSet else { return false }
        // Placeholders alone would change the results.
        if previousNode != nil, redactor != nil { return false }
        let before = try previousNode ?? NodeEncoder().encode(previous.pointer.pointee)
        var first: Node??
        // Values that stay alive prevent the reuse of their addresses.
        var kept: [StateValue] = []
        var blocks: [[UInt8]] = []
        for _ in 0..<times {
            var state = try NodeDecoder().decode(StateValue.self, from: before)
            kept.append(state)
            blocks += stride(from: 16, through: 4096, by: 16).map { [UInt8](repeating: 0, count: $0) }
            reducers[previousIndex](&state, try actions.decode(actionNode))
            let value = try NodeEncoder().encode(state)[path]
            guard let first else {
                first = .some(value)
                continue
            }
            let isSame = if let first, let value { value.isEquivalent(to: first) } else { value == first }
            if !isSame { return true }
        }
        return false
    }

    func result(ofFirst count: Int, on state: Node, _ action: Node) throws -> Node {
        var value = try NodeDecoder().decode(StateValue.self, from: state)
        let action = try actions.decode(action)
        for reduce in reducers.prefix(count) { reduce(&value, action) }
        return try NodeEncoder().encode(value)
    }

    func state() throws -> Node {
        try NodeEncoder(redactor: redactor).encode(current.pointer.pointee)
    }

    private struct Decoded: DecodedAction {
        let action: ActionValue
    }

    private enum Saved: SavedState {
        case value(StateValue)
        /// A state that may hold class instances, which the next run changes.
        case node(Node)
    }

    func decode(_ action: Node) throws -> any DecodedAction { Decoded(action: try actions.decode(action)) }

    func prepare(_ action: any DecodedAction) {
        guard let decoded = action as? Decoded else { preconditionFailure("an action of another machine") }
        self.action.set(decoded.action)
        actionNode = nil
    }

    func save() throws -> any SavedState {
        let finder = ChangeFinder<StateValue>()
        try finder.follow(from: current.pointer.pointee, lookingForInstances: true)
        if finder.holdsInstances { return Saved.node(try NodeEncoder().encode(current.pointer.pointee)) }
        return Saved.value(current.pointer.pointee)
    }

    func restore(_ state: any SavedState) throws {
        switch state as? Saved {
        case .value(let value):
            current.set(value)
            previous.clear()
            isFollowed = false
            changes.stopFollowing()
        case .node(let node): try load(node)
        case nil: preconditionFailure("a state of another machine")
        }
    }

    func state(since saved: any SavedState, _ node: Node) throws -> Node {
        guard case .value(let value)? = saved as? Saved else { return try state() }
        var node = node
        let finder = ChangeFinder<StateValue>(redactor: redactor)
        try finder.patch(from: value, to: current.pointer.pointee).apply(to: &node)
        return node
    }
}

/// A value that may be missing, at one address.
///
/// Sound: the memory is initialized exactly while `isSet`.
final class Slot<Value> {
    let pointer = UnsafeMutablePointer<Value>.allocate(capacity: 1)
    private(set) var isSet = false

    func set(_ value: Value) {
        if isSet { pointer.pointee = value } else { pointer.initialize(to: value) }
        isSet = true
    }

    func clear() {
        if isSet { pointer.deinitialize(count: 1) }
        isSet = false
    }

    deinit {
        clear()
        pointer.deallocate()
    }
}

extension ReplayableApp {
    /// Looks up what a replay needs of the app's types, without running code of the app. The first time may cost a
    /// millisecond, later ones microseconds.
    package func lookUpTypes() { _ = typed.makeMachine(nil) }
}

extension TypedApp {
    /// Creates a machine with the app's reducers.
    func makeMachine(_ redactor: Redactor?) -> any ReplayMachine {
        TypedMachine(initial: initial, reducer: reducer, actions: actions, redactor: redactor)
    }
}
