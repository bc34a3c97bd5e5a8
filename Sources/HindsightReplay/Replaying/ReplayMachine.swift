import HindsightRecorder
import HindsightRecording
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
    /// Whether the last reducer gives different states if it runs several times on equal values at other addresses.
    func resultsElsewhereDiffer(_ times: Int) throws -> Bool
    /// The current state.
    func state() throws -> Node
}

final class TypedMachine<StateValue: Codable & Sendable, ActionValue: Sendable>: ReplayMachine {
    private let leaves: [Reducer<StateValue, ActionValue>.Leaf]
    private let actions: ActionCodec<ActionValue>
    /// Redacts today's states like the recorded ones.
    private let redactor: Redactor?
    private let changes: ChangeFinder<StateValue>
    /// Whether `changes` follows the current state.
    private var isFollowed = false
    private var current: StateValue
    private var action: ActionValue?
    /// The same as a node.
    private var actionNode: Node?
    /// The state before the last reducer, and the index of that reducer.
    private var previous: (state: StateValue, index: Int)?
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
        leaves = reducer.leaves
        self.actions = actions
        current = initial
    }

    func load(_ state: Node) throws {
        current = try NodeDecoder().decode(StateValue.self, from: state)
        previous = nil
        isFollowed = false
    }

    func prepare(_ action: Node) throws {
        self.action = try actions.decode(action)
        actionNode = action
    }

    func run(_ index: Int) {
        guard let action else { return }
        // A second reference to the state would make every change copy it.
        previous = nil
        changes.stopFollowing()
        isFollowed = false
        leaves[index].reduce(&current, action)
    }

    func runFindingChanges(_ index: Int, reduced: () -> Void) throws -> Patch {
        guard let action else { return Patch() }
        if !isFollowed { try changes.follow(from: current) }
        isFollowed = true
        previousNode = changes.lastNode
        previous = (current, index)
        leaves[index].reduce(&current, action)
        reduced()
        return try changes.patch(to: current)
    }

    func changesOfRunningAgain() throws -> Patch {
        guard let action, let previous else { return Patch() }
        if let previousNode {
            // The old state shares its instances with the current one, so they have changed.
            var state = try NodeDecoder().decode(StateValue.self, from: previousNode)
            leaves[previous.index].reduce(&state, action)
            return Patch(from: previousNode, to: try NodeEncoder(redactor: redactor).encode(state))
        }
        var state = previous.state
        leaves[previous.index].reduce(&state, action)
        return try changes.patch(from: previous.state, to: state)
    }

    func resultsElsewhereDiffer(_ times: Int) throws -> Bool {
        guard let actionNode, let previous else { return false }
        // Placeholders alone would change the results.
        if previousNode != nil, redactor != nil { return false }
        let before = try previousNode ?? NodeEncoder().encode(previous.state)
        var first: Node?
        // Values that stay alive prevent the reuse of their addresses.
        var kept: [StateValue] = []
        var blocks: [[UInt8]] = []
        for _ in 0..<times {
            var state = try NodeDecoder().decode(StateValue.self, from: before)
            kept.append(state)
            blocks += stride(from: 16, through: 4096, by: 16).map { [UInt8](repeating: 0, count: $0) }
            leaves[previous.index].reduce(&state, try actions.decode(actionNode))
            let after = try NodeEncoder().encode(state)
            guard let first else {
                first = after
                continue
            }
            if !after.isEquivalent(to: first) { return true }
        }
        return false
    }

    func state() throws -> Node {
        try NodeEncoder(redactor: redactor).encode(current)
    }
}

extension ReplayableApp {
    /// Creates a machine with the app's reducers.
    func makeMachine(_ redactor: Redactor?) -> any ReplayMachine {
        func make<App: TypedApp>(_ app: App) -> any ReplayMachine {
            TypedMachine(initial: app.initial, reducer: app.reducer, actions: app.actions, redactor: redactor)
        }
        return make(typed)
    }
}
