import HindsightRecorder
import HindsightRecording
import HindsightTree

/// Runs lists of a recording's actions on a recorded state, over and over.
///
/// Reducers run as in a ``Replayer``, without a search for changes. The actions are decoded once, and the state is
/// copied, or decoded each time if it may hold class instances.
package final class Laboratory {
    /// What has become of a list.
    package enum Outcome: Sendable, Hashable {
        /// All actions have run.
        case ran
        /// An action does not decode.
        case undecodable
    }

    /// Called before each action and each reducer, with the number of the action in its list, from 1.
    package var watch: ((ReplayPoint) -> Void)?

    private let replayer: Replayer
    private let base: any SavedState
    private let reducerCount: Int

    /// The decoded actions, by their numbers in the recording.
    private var recorded: [Int: [any DecodedAction]] = [:]
    /// The decoded actions with other payloads.
    private var changed: [String: any DecodedAction] = [:]
    /// The most changed payloads to keep.
    private static let maxChanged = 1000

    /// - Parameters:
    ///   - recording: A recording of the app.
    ///   - app: The app whose reducers run.
    ///   - base: The position on whose state each list runs.
    /// - Throws: The errors of `Replayer.init(of:by:from:runningUnfinished:)`.
    package init(of recording: Recording, by app: ReplayableApp, from base: Recording.Position) throws {
        replayer = try Replayer(of: recording, by: app, from: base, runningUnfinished: true)
        self.base = try replayer.machine.save()
        reducerCount = app.reducers.count
    }

    /// Decodes recorded actions, so that later runs do not. ``watch`` gets the number 0 meanwhile.
    ///
    /// - Throws: The errors of ``Replayer/next()``.
    package func read(_ seqs: some Sequence<Int>) throws {
        watch?(ReplayPoint(seq: 0, reducer: 0, phase: .decoding))
        for seq in seqs where recorded[seq] == nil {
            recorded[seq] = try replayer.presentActions(of: seq) { try replayer.machine.decode($0) }
        }
    }

    /// The payload that a recorded action has today; `nil` if it is none, or several.
    ///
    /// - Throws: The errors of ``Replayer/next()``.
    package func payload(of seq: Int) throws -> Node? {
        let actions = try replayer.presentActions(of: seq) { $0 }
        return actions.count == 1 ? actions[0] : nil
    }

    /// Whether the state after the last run is the recorded one at a position; `nil` if that cannot be said.
    ///
    /// - Throws: The errors of ``Replayer/next()``.
    package func matches(_ position: Recording.Position) throws -> Bool? {
        guard replayer.readsRecordedForm, replayer.recording.absence(at: position) == nil,
            replayer.recording.doubtfulStates(at: position) == nil, replayer.recording.redaction.states.isEmpty
        else { return nil }
        return try replayer.recordedState(at: position).isEquivalent(to: state())
    }

    /// Runs a list of actions.
    ///
    /// - Parameter beforeLast: Called before the last of them.
    /// - Throws: The errors of ``Replayer/next()``, and of `beforeLast`.
    package func run(_ list: [LogShrinker.Entry], beforeLast: () throws -> Void = {}) throws -> Outcome {
        let machine = replayer.machine
        var actions: [[any DecodedAction]] = []
        actions.reserveCapacity(list.count)
        for (index, entry) in list.enumerated() {
            guard let payload = entry.payload else {
                if recorded[entry.seq] == nil { try read(CollectionOfOne(entry.seq)) }
                actions.append(recorded[entry.seq] ?? [])
                continue
            }
            watch?(ReplayPoint(seq: index + 1, reducer: 0, phase: .decoding))
            guard let action = changedAction(payload) else { return .undecodable }
            actions.append([action])
        }
        try machine.restore(base)
        for (index, parts) in actions.enumerated() {
            if index == actions.count - 1 { try beforeLast() }
            watch?(ReplayPoint(seq: index + 1, reducer: 0, phase: .decoding))
            for part in parts {
                machine.prepare(part)
                for reducer in 0..<reducerCount {
                    watch?(ReplayPoint(seq: index + 1, reducer: reducer + 1, phase: .reducing))
                    machine.run(reducer)
                }
            }
        }
        return .ran
    }

    /// The state after the last run. Costs encoding it.
    ///
    /// - Throws: `TreeError` if it cannot be encoded.
    package func state() throws -> Node { try replayer.machine.state() }

    private func changedAction(_ payload: String) -> (any DecodedAction)? {
        if let action = changed[payload] { return action }
        do {
            // What a recorder would write again as something else is not the action that the list shows.
            let node = try Node(json: payload)
            let action = try replayer.machine.decode(node)
            guard try replayer.app.writes(node) else { return nil }
            if changed.count >= Self.maxChanged { changed = [:] }
            changed[payload] = action
            return action
        } catch {
            return nil
        }
    }
}

extension ReplayableApp {
    /// Whether a recorder writes the action that a node decodes to as that node.
    fileprivate func writes(_ action: Node) throws -> Bool {
        func written<App: TypedApp>(_ app: App) throws -> Node { try app.actions.described(action, hiding: nil).node }
        return try written(typed) == action
    }
}
