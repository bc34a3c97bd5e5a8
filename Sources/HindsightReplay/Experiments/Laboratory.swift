import HindsightRecorder
import HindsightRecording
import HindsightTree

/// Runs lists of a recording's actions on a recorded state, over and over.
///
/// Reducers run as in a ``Replayer``, without a search for changes. The actions are decoded once, and the state is
/// copied, or decoded each time if it may hold class instances.
package final class Laboratory {
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
    /// - Throws: The errors of `Replayer.init(of:by:from:runningUnfinished:)`; ``ReplayError`` with the code `earlierForm`
    ///   if the recording has an earlier form than today's types.
    package init(of recording: Recording, by app: ReplayableApp, from base: Recording.Position) throws {
        replayer = try Replayer(of: recording, by: app, from: base, runningUnfinished: true)
        try replayer.requireCurrentForm()
        self.base = try replayer.machine.save()
        reducerCount = app.reducers.count
    }

    /// Decodes recorded actions, so that later runs do not. ``watch`` gets the number 0 meanwhile.
    ///
    /// - Throws: The errors of ``Replayer/next()``.
    package func read(_ seqs: some Sequence<Int>) throws {
        for seq in seqs where recorded[seq] == nil {
            // Each point is another one, which says that the process gets on.
            watch?(ReplayPoint(seq: 0, reducer: seq % 1000, phase: .decoding))
            recorded[seq] = try replayer.presentActions(of: seq) { try replayer.machine.decode($0) }
        }
    }

    /// Decodes recorded actions as ``read(_:)`` does, and passes those that do not decode.
    ///
    /// - Returns: The error of the last of them; `nil` if all decode.
    /// - Throws: The errors of ``Replayer/next()`` but that.
    package func lastUndecodable(of seqs: [Int]) throws -> RecordingError? {
        var last: RecordingError?
        for seq in seqs {
            do {
                try read(CollectionOfOne(seq))
            } catch let error as RecordingError where error.code == .undecodableAction {
                last = error
            }
        }
        return last
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
        guard replayer.readsRecordedForm, replayer.form.unread.isEmpty, replayer.recording.absence(at: position) == nil,
            replayer.recording.doubtfulStates(at: position) == nil, replayer.recording.redaction.states.isEmpty
        else { return nil }
        return try replayer.recordedState(at: position).isEquivalent(to: state())
    }

    /// Runs a list of actions.
    ///
    /// - Parameter beforeLast: Called before the last of them.
    /// - Returns: Whether they have run: `false` if one of them does not decode.
    /// - Throws: The errors of ``Replayer/next()``, and of `beforeLast`.
    package func run(_ list: [LogShrinker.Entry], beforeLast: () throws -> Void = {}) throws -> Bool {
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
            guard let action = changedAction(payload) else { return false }
            actions.append([action])
        }
        try machine.restore(base)
        for (index, parts) in actions.enumerated() {
            if index == actions.count - 1 { try beforeLast() }
            run(parts, number: index + 1)
        }
        return true
    }

    // MARK: Leaving out

    /// The states of a run of ``whole``, by the number of actions before them, in order.
    private var saved: [(count: Int, state: any SavedState)] = []
    /// The state at its end.
    private var end: (state: any SavedState, node: Node)?
    /// The last state on the way without one action, and the index of that action.
    private var savedWithout: (index: Int, count: Int, state: any SavedState)?
    /// The actions from which ``state(without:)`` leaves some out.
    private var whole: [[any DecodedAction]] = []
    /// The most states to save on the way.
    private static let maxSaved = 64

    /// Runs a list of recorded actions, and keeps some states on the way, from which ``state(without:)`` goes on. Keeping
    /// a state costs encoding it if it may hold class instances.
    ///
    /// - Returns: The state at the end.
    /// - Throws: The errors of ``Replayer/next()``.
    package func runWhole(_ seqs: [Int]) throws -> Node {
        try begin(seqs)
        saved = [(0, base)]
        savedWithout = nil
        let machine = replayer.machine
        let stride = max(1, seqs.count / Self.maxSaved)
        for index in whole.indices {
            run(index)
            guard (index + 1).isMultiple(of: stride) else { continue }
            let state = try machine.save()
            saved.append((index + 1, state))
            // Runs without some actions go on from the same copy of class instances.
            try machine.restore(state)
        }
        let node = try machine.state()
        end = (try machine.save(), node)
        return node
    }

    /// The state after the list of ``runWhole(_:)`` without some of its actions, given by their sorted indices.
    ///
    /// **Cost.** Running the actions after the last state that was kept before the first of them, and comparing the state
    /// with that of the whole run. If the list before left out the same first action, only those from the second one on
    /// run.
    ///
    /// - Throws: The errors of ``Replayer/next()``.
    package func state(without indices: [Int]) throws -> Node {
        guard let end else { preconditionFailure("the whole list has not run") }
        let machine = replayer.machine
        let first = indices.first ?? whole.count
        let second = indices.dropFirst().first
        var start = saved.last { $0.count <= first } ?? (0, base)
        if let savedWithout, let second, savedWithout.index == first, savedWithout.count <= second {
            start = (savedWithout.count, savedWithout.state)
        }
        try machine.restore(start.state)
        var left = indices.drop { $0 < start.count }
        for index in start.count..<whole.count {
            if index == second, index > start.count {
                let state = try machine.save()
                savedWithout = (first, index, state)
                try machine.restore(state)
            }
            if left.first == index { left.removeFirst() } else { run(index) }
        }
        return try machine.state(since: end.state, end.node)
    }

    /// Goes to the first state of a list of recorded actions, for ``run(_:)``.
    ///
    /// - Throws: The errors of ``Replayer/next()``.
    package func begin(_ seqs: [Int]) throws {
        try read(seqs)
        whole = seqs.map { recorded[$0] ?? [] }
        try replayer.machine.restore(base)
    }

    /// Keeps the present state, to come back to it. Costs encoding it.
    ///
    /// - Throws: `TreeError` if it cannot be encoded.
    package func keep() throws -> any SavedState { try replayer.machine.save() }

    /// Makes a kept state the present one.
    ///
    /// - Throws: The app's error of decoding, if the state may hold class instances.
    package func restore(_ kept: any SavedState) throws { try replayer.machine.restore(kept) }

    /// Runs an action of the list on the present state, given by its index.
    package func run(_ index: Int) { run(whole[index], number: index + 1) }

    private func run(_ parts: [any DecodedAction], number: Int) {
        watch?(ReplayPoint(seq: number, reducer: 0, phase: .decoding))
        for part in parts {
            replayer.machine.prepare(part)
            for reducer in 0..<reducerCount {
                watch?(ReplayPoint(seq: number, reducer: reducer + 1, phase: .reducing))
                replayer.machine.run(reducer)
            }
        }
    }

    // MARK: States

    /// The state after the last run. Costs encoding it.
    ///
    /// - Throws: `TreeError` if it cannot be encoded.
    package func state() throws -> Node { try replayer.machine.state() }

    private func changedAction(_ payload: String) -> (any DecodedAction)? {
        if let action = changed[payload] { return action }
        // What a recorder would write again as something else is not the action that the list shows.
        guard let node = try? Node(json: payload), let action = try? replayer.machine.decode(node),
            (try? replayer.app.writes(node)) == true
        else { return nil }
        if changed.count >= Self.maxChanged { changed = [:] }
        changed[payload] = action
        return action
    }
}

extension ReplayableApp {
    /// Whether a recorder writes the action that a node decodes to as that node.
    func writes(_ action: Node) throws -> Bool { try typed.described(action, hiding: nil).node == action }
}
