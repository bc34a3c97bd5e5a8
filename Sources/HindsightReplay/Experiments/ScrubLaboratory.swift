import HindsightFormat
import HindsightRecorder
import HindsightRecording
import HindsightTree

/// Runs the actions of a recording with placeholders for values, and holds what reducers write against the run without.
package final class ScrubLaboratory {
    /// Where a run with placeholders is another one.
    package struct Mismatch: Codable, Sendable, Hashable {
        /// The number of the action; that of the start for the first state.
        package let seq: Int
        /// The number of the reducer; 0 if none ran.
        package let reducer: Int
        package let kind: Kind

        /// What is otherwise.
        package enum Kind: String, Codable, Sendable {
            /// A value does not decode, or would be recorded as another one.
            case type
            /// A reducer writes other places.
            case reducer
            /// A reducer ends the process.
            case crash
            /// The action in which the recorded process ended does not end this one, or in another way.
            case survival
        }

        package init(seq: Int, reducer: Int = 0, _ kind: Kind) {
            (self.seq, self.reducer, self.kind) = (seq, reducer, kind)
        }
    }

    /// The values of the recording.
    package let placeholders: Placeholders
    /// Called before each point is reached.
    package var watch: ((ReplayPoint) -> Void)?

    private let recording: Recording
    private let app: ReplayableApp
    private let machine: any ReplayMachine
    private let initial: Placeholders.Source
    private let actions: [RecordedAction]
    /// Their payloads, and that of ``fatal``.
    private var payloads: [Int: Placeholders.Source] = [:]
    /// The action in which the recorded process ended.
    private let fatal: RecordedAction?
    /// What each reducer does in each action, without placeholders.
    private var marks: [[String]] = []
    private var hasRun = false

    /// The number of the action in which the recorded process ended; `nil` if there is none.
    package var fatalSeq: Int? { fatal?.seq }

    /// - Parameters:
    ///   - isKept: Whether values at a path must stay.
    ///   - seed: Decides the placeholders.
    /// - Throws: The errors of `Replayer.init(of:by:from:runningUnfinished:)`; ``ReplayError`` with the code
    ///   `earlierForm`; `RecordingError` with the code `unwritable` if it has an action that cannot run.
    package init(
        of recording: Recording,
        by app: ReplayableApp,
        keeping isKept: @escaping (NodePath) -> Bool,
        seed: UInt64
    ) throws {
        (self.recording, self.app) = (recording, app)
        let replayer = try Replayer(of: recording, by: app, runningUnfinished: true)
        let file = recording.url.relativePath
        try replayer.requireCurrentForm()
        // Where it ended is told by the number of a reducer.
        if case .crashed = recording.ending, recording.reducers != app.reducers {
            throw RecordingError(
                .unwritable,
                file: file,
                reason: "it ended in a crash, and this build has other reducers",
                remedy: "Use the build that recorded it."
            )
        }
        machine = replayer.machine
        let state = try machine.state()
        initial = Placeholders.Source(state, dictionaries: app.typed.dictionaries(in: state))
        var actions: [RecordedAction] = []
        var fatal: RecordedAction?
        try recording.forEachAction(after: recording.start.seq) { action in
            guard action.replayable != nil else {
                let what = action.isTravel ? "is time travel" : "was not recorded as a value"
                throw RecordingError(
                    .unwritable,
                    file: file,
                    reason: "action \(action.seq) \(what), so it does not show what depends on a value",
                    remedy: "`cut` gives the part before or after it."
                )
            }
            if action.seq <= recording.lastFinished { actions.append(action) } else { fatal = action }
        }
        (self.actions, self.fatal) = (actions, fatal)
        for action in actions + [fatal].compactMap({ $0 }) {
            guard let payload = action.payload else { continue }
            let dictionaries = app.typed.dictionaries(inAction: payload)
            payloads[action.seq] = Placeholders.Source(payload, dictionaries: dictionaries)
        }
        let redacted = recording.redaction
        let (states, inActions) = (try RedactionMask(redacted.states), try RedactionMask(redacted.actions))
        placeholders = Placeholders(
            of: initial,
            payloads.sorted { $0.key < $1.key }.map(\.value),
            keeping: { path, _ in isKept(path) },
            redacted: { path, isInAction in (isInAction ? inActions : states).hides(path) },
            seed: seed
        )
    }

    /// Runs all actions with some placeholders. The first run must have none: the others are held against it.
    ///
    /// - Parameters:
    ///   - isActive: Whether to use each placeholder.
    ///   - crashing: Whether to run the action in which the recorded process ended, too.
    /// - Returns: The first difference; `nil` if there is none.
    package func run(_ isActive: [Bool], crashing: Bool) throws -> Mismatch? {
        let isFirst = !hasRun
        hasRun = true
        watch?(ReplayPoint(seq: recording.start.seq, reducer: 0, phase: .decoding))
        let start = placeholders.applied(to: initial, isActive)
        let none = Mismatch(seq: recording.start.seq, .type)
        do {
            try machine.load(start)
            guard try machine.state().isEquivalent(to: start) else { return none }
        } catch {
            if isFirst { throw error }
            return none
        }
        var (step, state) = (0, start)
        for action in actions {
            guard try prepare(action, isActive, isFirst) else { return Mismatch(seq: action.seq, .type) }
            for reducer in app.reducers.indices {
                watch?(ReplayPoint(seq: action.seq, reducer: reducer + 1, phase: .reducing))
                let patch = try machine.runFindingChanges(reducer) {}
                let found = try Self.marks(of: patch, on: &state, placeholders)
                defer { step += 1 }
                if isFirst {
                    marks.append(found)
                } else if found != marks[step] {
                    return Mismatch(seq: action.seq, reducer: reducer + 1, .reducer)
                }
            }
        }
        guard crashing, let fatal else { return nil }
        guard try prepare(fatal, isActive, isFirst) else { return Mismatch(seq: fatal.seq, .type) }
        for reducer in app.reducers.indices {
            watch?(ReplayPoint(seq: fatal.seq, reducer: reducer + 1, phase: .reducing))
            machine.run(reducer)
        }
        // It did not end this process.
        return Mismatch(seq: fatal.seq, .survival)
    }

    /// Makes an action the current one; `false` if it does not decode, or would be recorded as another one.
    private func prepare(_ action: RecordedAction, _ isActive: [Bool], _ isFirst: Bool) throws -> Bool {
        watch?(ReplayPoint(seq: action.seq, reducer: 0, phase: .decoding))
        let recorded = action.payload ?? .null
        let payload = payload(of: action, isActive)
        do {
            try machine.prepare(payload)
            return try payload == recorded || app.writes(payload)
        } catch {
            if isFirst {
                throw MigrationLine(recording, app).failure(
                    for: error,
                    inAction: payload,
                    ofType: action.type,
                    action.seq
                )
            }
            return false
        }
    }

    private func payload(of action: RecordedAction, _ isActive: [Bool]) -> Node {
        payloads[action.seq].map { placeholders.applied(to: $0, isActive) } ?? .null
    }

    /// What a patch does, without values: in any order, as placeholders of keys sort differently. Applies it.
    private static func marks(of patch: Patch, on state: inout Node, _ placeholders: Placeholders) throws -> [String] {
        var run = PatchRun()
        var marks: [String] = []
        for operation in patch.operations {
            let path = placeholders.original(operation.path, in: state).description
            switch operation {
            case .add: marks.append("add \(path)")
            case .remove: marks.append("remove \(path)")
            // Whether a text is edited depends on its letters.
            case .replace, .edit: marks.append("change \(path)")
            case .splice(_, let at, let removed, let inserted):
                marks.append("\(at) \(removed.count) \(inserted.count) \(path)")
            }
            try run.apply(operation, to: &state)
        }
        return marks.sorted()
    }

    // MARK: Writing

    /// Writes the recording with placeholders: its states are those to which the reducers lead.
    ///
    /// Notes, names of threads and tasks, and where the file came from are left out. All times move so that the recording
    /// begins with 2001.
    ///
    /// - Parameter isConfirmed: Whether what was written may be moved to the output.
    /// - Returns: The result of `isConfirmed`.
    /// - Throws: The errors of ``Replayer``; `RecordingError` with the code `unwritable`.
    package func write(
        _ isActive: [Bool],
        to output: String,
        overwrite: Bool,
        if isConfirmed: (Recording) throws -> Bool
    ) throws -> Bool {
        let builder = try RecordingBuilder(from: recording.url.path, to: output, overwrite: overwrite)
        defer { builder.discard() }
        try builder.write { tables in try write(isActive, to: tables) }
        guard try isConfirmed(builder.written()) else { return false }
        try builder.commit(asText: builder.output.hasSuffix(TextForm.suffix))
        return true
    }

    private func write(_ isActive: [Bool], to tables: NewTables) throws {
        let facts = try recording.rawFacts()
        var created = Self.begin
        if case .number(let time)? = facts[Metadata.Key.created] { created = time }
        try machine.load(placeholders.applied(to: initial, isActive))
        var state = try machine.state()
        try tables.begin(reducers: app.reducers, state.json, at: recording.start.seq)
        if let dropped = try recording.lastDropped() {
            // Its time says since when the recording has everything.
            let time = Self.moved(dropped.nanosecondsSinceEpoch, from: created)
            try tables.insert(
                DispatchedAction(seq: dropped.seq, type: dropped.type, payload: nil, at: time),
                duration: nil
            )
        }
        for action in actions {
            let dispatched = dispatched(action, isActive, created)
            try machine.prepare(payload(of: action, isActive))
            let durations = try durations(in: action.seq)
            var steps: [TimedPatch] = []
            for reducer in app.reducers.indices {
                watch?(ReplayPoint(seq: action.seq, reducer: reducer + 1, phase: .reducing))
                let patch = try machine.runFindingChanges(reducer) {}
                try state.apply(patch)
                steps.append(TimedPatch(duration: durations[reducer + 1] ?? 0, patch: patch))
            }
            let duration = action.durationInNanoseconds ?? 0
            try tables.append(dispatched, duration: duration, steps: TimedPatches.write(steps), leadingTo: state)
        }
        if let fatal { try tables.insert(dispatched(fatal, isActive, created), duration: nil) }
        var kept = facts.filter { Self.keptFacts.contains($0.key) }
        for key in [Metadata.Key.created, Metadata.Key.closed] {
            if case .number(let time)? = kept[key] { kept[key] = .number(Self.moved(time, from: created)) }
        }
        kept[Metadata.Key.id] = .text(Metadata.makeID())
        // It names the damaged file.
        if facts[Metadata.Key.salvaged] != nil { kept[Metadata.Key.salvaged] = .text("scrubbed") }
        if case .crashed(let seq, let reducer) = recording.ending {
            kept[Metadata.Key.died] = .text(Recording.Position(seq: seq, reducer: reducer).description)
            // It stands alone: nothing is to be merged.
            kept[Metadata.Key.recovered] = .number(0)
        } else if kept[Metadata.Key.closed] == nil {
            let last = actions.last?.nanosecondsSinceEpoch ?? recording.createdNanoseconds
            kept[Metadata.Key.closed] = .number(Self.moved(last, from: created))
        }
        try tables.finish(kept)
    }

    /// How long each reducer took, by its number; nothing if that was not recorded.
    private func durations(in seq: Int) throws -> [Int: Int64] {
        guard recording.reducers == app.reducers, recording.absence(ofChangesIn: seq) == nil else { return [:] }
        let steps = try recording.steps(of: seq).map { ($0.reducer, $0.durationInNanoseconds) }
        return Dictionary(steps, uniquingKeysWith: { first, _ in first })
    }

    private func dispatched(_ action: RecordedAction, _ isActive: [Bool], _ created: Int64) -> DispatchedAction {
        let whole = action.dispatched
        return DispatchedAction(
            seq: action.seq,
            parent: action.parent,
            type: action.type,
            payload: payload(of: action, isActive).json,
            at: Self.moved(action.nanosecondsSinceEpoch, from: created),
            origin: whole.origin,
            problem: nil,
            thread: ThreadChange(action.thread.map { DispatchingThread(number: $0.number) })
        )
    }

    /// A time in a recording that was created at ``begin``. It is clamped, because times from a file may have any value.
    private static func moved(_ time: Int64, from created: Int64) -> Int64 {
        let (elapsed, isTooLong) = time.subtractingReportingOverflow(created)
        if isTooLong { return time < created ? .min : .max }
        let (moved, isTooLate) = elapsed.addingReportingOverflow(begin)
        return isTooLate ? .max : moved
    }

    /// 2001-01-01, in nanoseconds since 1970.
    private static let begin: Int64 = 978_307_200_000_000_000
    /// What the recording says about itself that no user has written.
    private static let keptFacts: Set<String> = [
        Metadata.Key.app, Metadata.Key.version, Metadata.Key.platform, Metadata.Key.created, Metadata.Key.schema,
        RecordingLimit.Key.actions, RecordingLimit.Key.bytes, RecordingLimit.Key.age, Redaction.Key.patterns,
        Redaction.Key.fields, Redaction.Key.met, Metadata.Key.closed, Metadata.Key.died,
        Metadata.Key.during, Metadata.Key.signal, Metadata.Key.exited,
    ]
}
