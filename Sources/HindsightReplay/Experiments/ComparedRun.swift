import HindsightRecording
import HindsightTree

/// A run of the recorded actions that holds what each reducer, or each action, changes against another run.
///
/// Where they differ, it goes on from the state of the other run, so each step has the same input in both.
package final class ComparedRun {
    /// What is compared.
    package enum Unit {
        /// What each reducer changes. Both runs must have the same reducers. Passes actions that do not decode.
        case step
        /// What all reducers of an action change. Also runs the action in which the recorded process ended.
        case action
    }

    /// A step that changes something else than in the other run.
    package struct Difference: Codable, Sendable {
        package let seq: Int
        /// The number of the step in the run, from 1.
        package let step: Int
        /// The number of the reducer, from 1. Of an action, that of the last one that changed the place; 0 if none did.
        package let reducer: Int
        /// The first place at which the states after it differ.
        package let path: String
        /// The same with `*` for indices and keys that are no identifiers.
        package let pattern: String
        /// The value there in the other run and in this one; `nil` if there is none.
        package let (expected, actual): (Node?, Node?)

        /// What differences have in common that are alike: the reducer, and like places.
        package struct Kind: Hashable {
            let reducer: Int
            let pattern: String
        }

        package var kind: Kind { Kind(reducer: reducer, pattern: pattern) }
    }

    private let replayer: Replayer
    /// The number of steps that have run.
    private var steps = 0
    /// The steps after which to decode the state again, in order. Two runs that decode it after the same steps have the
    /// same order in sets and dictionaries, which depends on how they came to be.
    package var decodingAfter: ArraySlice<Int> = []
    /// Called before each point is reached. Its cost adds to that of each step.
    package var watch: ((ReplayPoint) -> Void)? {
        get { replayer.watch }
        set { replayer.watch = newValue }
    }

    /// The most differences to find: each costs the whole state. The run ends at the last of them.
    package var maxDifferences = Int.max
    private var differences = 0
    /// Whether the run has ended before the last action.
    package var isCut: Bool { differences >= maxDifferences }

    /// The current or the last action; `nil` before the first.
    package var record: RecordedAction? { replayer.record }

    /// The errors of the actions that do not decode. The run goes on from the recorded states after them.
    package private(set) var undecodable: [RecordingError] = []

    private let unit: Unit

    /// - Throws: The errors of `Replayer.init(of:by:from:runningUnfinished:)`.
    package init(of recording: Recording, by app: ReplayableApp, unit: Unit = .step) throws {
        replayer = try Replayer(of: recording, by: app, runningUnfinished: true)
        self.unit = unit
    }

    /// Runs all actions that have a payload. Costs a replay, and the whole state for each difference.
    ///
    /// - Parameters:
    ///   - other: Returns what the other run has changed in each step, one after another, as the JSON of a patch; `nil`
    ///     if there is no other run, or it has ended.
    ///   - body: Gets the same of this run. If actions are compared, the first text is the state at the start.
    ///   - found: Gets each difference.
    /// - Returns: The number of actions that have run.
    /// - Throws: The errors of ``Replayer/next()``, and of the closures.
    package func run(
        against other: (() -> String?)?,
        _ body: (String) throws -> Void = { _ in },
        found: (Difference) throws -> Void = { _ in }
    ) throws -> Int {
        /// Passes a text of this run on, and returns that of the other run if it is another one.
        func otherText(than text: String) throws -> String? {
            try body(text)
            return other?().flatMap { $0 == text ? nil : $0 }
        }
        func end(_ part: [ReplayedStep]) throws {
            steps += 1
            let patch = Patch(part.flatMap(\.patch.operations))
            let expected = try otherText(than: patch.isEmpty ? "" : patch.json)
            let places = try expected.map { try differences(of: part, patch, from: $0) } ?? []
            if !places.isEmpty {
                differences += 1
                for place in places { try found(place) }
            } else if decodingAfter.first == steps {
                try replayer.machine.load(replayer.machine.state())
            }
            if decodingAfter.first == steps { decodingAfter.removeFirst() }
        }
        if unit == .action {
            // Two builds may read the state at the start differently.
            let start = try replayer.machine.state()
            let expected = try otherText(than: start.json).map { try Node(json: $0) }
            if let difference = expected?.firstDifference(from: start) {
                try found(self.difference(difference, of: []))
            }
        }
        var count = 0
        let last = unit == .action ? replayer.end : Recording.Position(seq: replayer.recording.lastFinished)
        /// Passes an action that the other run has passed, too: the steps of the two would not be the same ones.
        func pass(_ error: RecordingError) throws {
            if try otherText(than: Self.passed) != nil { throw error }
        }
        while !isCut, let record = try enterAction(upTo: last, passing: pass) {
            // An action in which the process ended, and that was not recorded as a value: no state after it is known.
            if record.replayable == nil, record.seq > replayer.recording.lastFinished { break }
            if try replayer.skipGap(to: Recording.Position(seq: record.seq)) { continue }
            count += 1
            var pending: [ReplayedStep] = []
            while let step = try replayer.runReducer() {
                pending.append(step)
                guard unit == .step else { continue }
                try end(pending)
                pending = []
            }
            if unit == .action { try end(pending) }
        }
        return count
    }

    /// Runs the action in which the recorded process ended, after ``run(against:_:found:)`` and without a comparison.
    ///
    /// - Returns: Whether it has run: `false` if there is none, or it cannot run.
    /// - Throws: `RecordingError` with the code `undecodableAction`; `ReplayError` with the code `unencodableState`.
    package func runUnfinished() throws -> Bool {
        guard !isCut, let record = try replayer.enterAction(upTo: replayer.end), record.replayable != nil else {
            return false
        }
        var hasRun = false
        while try replayer.runReducer() != nil { hasRun = true }
        return hasRun
    }

    /// The text of an action that does not decode, in place of those of its steps.
    private static let passed = "does not decode"

    /// The next action that is to run. If steps are compared, passes those that do not decode.
    private func enterAction(
        upTo limit: Recording.Position,
        passing pass: (RecordingError) throws -> Void = { _ in }
    ) throws -> RecordedAction? {
        while true {
            do {
                return try replayer.enterAction(upTo: limit)
            } catch let error as RecordingError where error.code == .undecodableAction && unit == .step {
                guard try replayer.passUndecodable(error) else { return nil }
                try pass(error)
                undecodable.append(error)
            }
        }
    }

    /// Compares the states that two patches lead to, and goes on from the state of the other run if they differ.
    ///
    /// - Returns: Where they differ: the first place of a step, or one place of each kind of an action.
    private func differences(of part: [ReplayedStep], _ patch: Patch, from text: String) throws -> [Difference] {
        let actual = try replayer.machine.state()
        var expected = actual
        try patch.undo(on: &expected)
        do {
            if !text.isEmpty { try Patch(json: text).apply(to: &expected) }
        } catch {
            guard unit == .action else { throw error }
            // The other build has another form of the state, so this one goes on from its own.
            return [difference(NodeDifference(path: error.path ?? NodePath()), of: part)]
        }
        guard let first = expected.firstDifference(from: actual) else { return [] }
        do {
            try replayer.machine.load(expected)
        } catch {
            // Likewise: the state of the other build need not decode.
            guard unit == .action else { throw error }
        }
        guard unit == .action else { return [difference(first, of: part)] }
        var patterns: Set<String> = []
        return Patch(from: expected, to: actual, ignoringMemberOrder: true).operations.compactMap { operation in
            let path = operation.path
            let (left, right) = (expected[path], actual[path])
            var found = NodeDifference(path: path, left: left, right: right)
            if let left, let right, let inner = left.firstDifference(from: right, at: path) { found = inner }
            let place = difference(found, of: part)
            return patterns.insert(place.pattern).inserted ? place : nil
        }
    }

    private func difference(_ found: NodeDifference, of part: [ReplayedStep]) -> Difference {
        var pattern = found.path.generalized
        // A key that only one of them has may be made in the reducer.
        if unit == .step, found.left == nil || found.right == nil, !pattern.components.isEmpty {
            pattern.components[pattern.components.count - 1] = "*"
        }
        let writer = part.last { $0.patch.touches(found.path) }
        return Difference(
            seq: replayer.seq,
            step: steps,
            reducer: unit == .step ? part.last?.reducer ?? 0 : writer?.reducer ?? 0,
            path: found.path.description,
            pattern: pattern.description,
            expected: found.left,
            actual: found.right
        )
    }
}
