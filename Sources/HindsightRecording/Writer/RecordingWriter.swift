import HindsightTree
import Synchronization

/// What happens behind the dispatching threads: turns states into patches and writes them, in batches. On one thread.
final class RecordingWriter<State: Codable & Sendable> {
    private let output: RecordingFile
    private let journal: Journal
    private let path: String
    private let redactor: Redactor
    private let finder: ChangeFinder<State>
    /// The state after the last action that was looked at.
    private var previous: State?
    private var rule: KeyframeRule
    /// The bytes of the last whole state, for those who ask how much a state may be.
    private let stateBytes: StateBytes

    init(
        _ output: RecordingFile,
        _ journal: Journal,
        redactor: Redactor,
        keyframeFloor: Int,
        stateBytes: StateBytes
    ) {
        self.output = output
        self.journal = journal
        self.stateBytes = stateBytes
        path = output.path
        self.redactor = redactor
        finder = ChangeFinder(redactor: redactor)
        rule = KeyframeRule(floor: keyframeFloor)
    }

    /// Works until there is no more work, and ends the recording.
    ///
    /// - Parameter report: Told of a failure that is met here, once the recording has ended.
    func run(_ line: WorkLine<Work<State>>, report: (RecordingError) -> Void) {
        defer { line.told() }
        var failure: RecordingError?
        var isOurs = false
        while let batch = line.next() {
            if failure == nil {
                do {
                    try write(batch)
                } catch {
                    let found = wrapped(error)
                    isOurs = line.fail(found)
                    failure = found
                }
            } else {
                // The states are not known any more, but the actions are.
                keepActions(of: batch)
            }
            line.finish()
        }
        if let failure = line.failureSoFar ?? failure {
            output.abandon(because: failure.summary, journal)
            line.conclude(.stopped(failure))
            if isOurs { report(failure) }
            return
        }
        do {
            try output.close()
            journal.remove()
            line.conclude(.closed)
        } catch {
            let failure = wrapped(error)
            line.conclude(.stopped(failure))
            report(failure)
        }
    }

    private func wrapped(_ error: any Error) -> RecordingError {
        var wrapped = error as? RecordingError ?? RecordingError(.stopped, cause: error)
        wrapped.file = wrapped.file ?? path
        return wrapped
    }

    // MARK: A batch

    /// Writes a batch. Where something about it cannot be written, its actions are written all the same.
    private func write(_ batch: [Work<State>]) throws {
        var rows: [RecordingFile.Row] = []
        var journalEnd: UInt64?
        var written = 0
        do {
            for (index, work) in batch.enumerated() {
                switch work {
                case .start(let reducers, let state, let text):
                    previous = state
                    keep(text.utf8.count)
                    try output.begin(reducers: reducers, state: text)
                case .action(let action, let deed, let end):
                    do {
                        rows.append(RecordingFile.Row(action: action, effect: try effect(of: deed, action.seq)))
                        journalEnd = end
                    } catch {
                        // What came before is sound.
                        try write(rows, journalEnd)
                        written = index
                        throw error
                    }
                }
            }
            try write(rows, journalEnd)
        } catch {
            keepActions(of: Array(batch[written...]))
            throw error
        }
    }

    private func write(_ rows: [RecordingFile.Row], _ journalEnd: UInt64?) throws {
        guard let journalEnd else { return }
        try output.write(rows)
        journal.forget(upTo: journalEnd)
    }

    /// Writes actions without what they did. Where that fails, they and all that come after stay in the journal, so that
    /// the recording has no gap.
    private func keepActions(of batch: [Work<State>]) {
        if output.isBroken { return }
        var rows: [RecordingFile.Row] = []
        var journalEnd: UInt64?
        for case .action(let action, let deed, let end) in batch {
            rows.append(RecordingFile.Row(action: action, duration: deed.duration))
            journalEnd = end
        }
        do {
            try write(rows, journalEnd)
        } catch {
            output.isBroken = true
        }
    }

    /// Works out what an action did; `nil` where it never finished.
    private func effect(of deed: Deed<State>, _ seq: Int) throws -> RecordingFile.Effect? {
        switch deed {
        case .unfinished:
            return nil
        case .changes(let steps, let keyframe):
            if let keyframe { keep(keyframe.utf8.count) }
            return RecordingFile.Effect(steps, keyframe: keyframe)
        case .states(let states):
            var steps: [TimedPatch] = []
            steps.reserveCapacity(states.count)
            for (state, duration) in states {
                let patch = try changes(to: state, seq, reducer: steps.count + 1)
                steps.append(TimedPatch(duration: duration, patch: patch))
            }
            return try withKeyframe(RecordingFile.Effect(steps), seq)
        case .travel(let state):
            let patch = try changes(to: state, seq, reducer: nil)
            return try withKeyframe(RecordingFile.Effect([TimedPatch(duration: nil, patch: patch)]), seq)
        }
    }

    private func changes(to state: State, _ seq: Int, reducer: Int?) throws -> Patch {
        guard let previous else { return Patch() }
        let patch = try naming(path, seq, reducer: reducer, redactor) {
            try finder.patch(from: previous, to: state)
        }
        self.previous = state
        return patch
    }

    private func withKeyframe(_ effect: RecordingFile.Effect, _ seq: Int) throws -> RecordingFile.Effect {
        guard rule.isDue(after: effect.operationBytes), let previous else { return effect }
        var effect = effect
        let text = try naming(path, seq, redactor) { try NodeEncoder(redactor: redactor).encode(previous).json }
        keep(text.utf8.count)
        effect.keyframe = text
        return effect
    }

    private func keep(_ bytes: Int) {
        rule.keep(bytes)
        stateBytes.set(bytes)
    }
}

extension Deed {
    /// The time of all its reducers; `nil` where it never finished.
    var duration: Int64? {
        switch self {
        case .unfinished: nil
        case .travel: 0
        case .states(let states): states.reduce(0) { $0 + $1.duration }
        case .changes(let steps, _): steps.reduce(0) { $0 + ($1.duration ?? 0) }
        }
    }
}

/// The bytes of the last whole state as text: what the writer knows and the dispatching threads ask.
final class StateBytes: Sendable {
    private let bytes = Atomic(0)

    func set(_ count: Int) { bytes.store(count, ordering: .relaxed) }
    var count: Int { bytes.load(ordering: .relaxed) }
}

/// Runs what encodes a state, and says of which action and reducer it is.
func naming<Result>(
    _ path: String,
    _ seq: Int,
    reducer: Int? = nil,
    _ redactor: Redactor,
    _ body: () throws -> Result
) throws -> Result {
    do {
        return try body()
    } catch {
        var wrapped = RecordingError(.unencodableState, file: path, cause: error)
        wrapped.seq = seq
        wrapped.reducer = reducer
        wrapped.path = (error as? TreeError)?.path
        throw wrapped.withoutValues(redactor)
    }
}
