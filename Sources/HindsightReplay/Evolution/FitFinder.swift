import HindsightRecorder
import HindsightRecording
import HindsightTree

extension ReplayableApp {
    /// Finds out whether the app's types can read a recording, without running a reducer.
    ///
    /// It decodes every action, and every state if all of them together are small. Of a larger recording it decodes the
    /// first, the last and each whole state of the file, and some of the others, evenly spread. If a migration applies, it
    /// migrates every state, because a migration may fail on any, and reads what changed in it.
    ///
    /// - Parameters:
    ///   - bytes: How much of the other states it decodes, in bytes of their JSON; at most 10,000 states.
    ///   - progress: Called with the number of each action that was read.
    /// - Throws: `RecordingError` if the recording cannot be read, and the errors of `progress`. What does not fit is a
    ///   result, not an error.
    package func fit(
        of recording: Recording,
        decodingAtMost bytes: Int = 8 << 20,
        progress: (Int) throws -> Void = { _ in }
    ) throws -> Fit {
        var finder = FitFinder(recording, self, bytes)
        try finder.find(progress)
        return finder.fit
    }
}

/// Collects what does not fit.
private struct FitFinder {
    private(set) var fit: Fit
    private let recording: Recording
    private let app: ReplayableApp
    private let line: MigrationLine
    /// The size of the states that are decoded beside the whole ones, in bytes of their JSON.
    private let mostBytes: Int
    private var keys: DictionaryKeys
    /// The index of each problem and field by its key.
    private var known: [String: Int] = [:]
    /// The first actions that are descriptions.
    private var descriptions: [Int] = []
    /// Whether this build has one of the action types.
    private var hasKnownType = false

    /// The position at which each problem was counted last.
    private var counted: [Int: Recording.Position?] = [:]

    /// The number of states that are decoded beside the whole ones.
    private static let mostStates = 10_000
    /// The number of problems, and of fields, that are listed.
    private static let most = 1000

    init(_ recording: Recording, _ app: ReplayableApp, _ mostBytes: Int) {
        (self.recording, self.app, self.mostBytes) = (recording, app, mostBytes)
        line = MigrationLine(recording, app)
        keys = DictionaryKeys(app)
        fit = Fit(recordedSchema: recording.app.schema, schema: app.schema)
    }

    mutating func find(_ progress: (Int) throws -> Void) throws {
        fit.reducers = ReducerChanges(of: app, since: recording)
        guard recording.app.name == app.name else {
            let names = (Node.string(recording.app.name).json, Node.string(app.name).json)
            return add(Fit.Problem(reason: "the recording is of the app \(names.0), not of \(names.1)"))
        }
        (fit.notCodable, descriptions) = try recording.descriptions(atMost: Self.most)
        if !recording.typesOfDescribedStates.isEmpty { return }
        var form: RecordedForm
        do {
            form = try RecordedForm(of: recording, by: app)
        } catch let error as MigrationError {
            return add(Fit.Problem(reason: error.reason))
        }
        fit.migrations = form.schemas
        try findStates(&form)
        try findActions(form, progress)
    }

    // MARK: States

    /// Whether the recording has the state that the app had after an action.
    private func isKnown(_ seq: Int) -> Bool {
        if let run = recording.skippedRun(with: seq), run.upperBound != seq { return false }
        return recording.doubtfulStates(at: Recording.Position(seq: seq)) == nil
    }

    private mutating func findStates(_ form: inout RecordedForm) throws {
        let states = recording.start.seq...recording.end.seq
        let kept = try (recording.wholeStates() + [states.lowerBound, states.upperBound]).filter(isKnown)
        let sizes = try kept.map { try recording.state(at: Recording.Position(seq: $0)).json.utf8.count }
        // An element may come and go between any two states.
        let count = min(Self.mostStates, mostBytes / max(1, sizes.max() ?? 0) + 1)
        let distance = (states.count - 1) / count + 1
        var whole = Set(stride(from: states.lowerBound, through: states.upperBound, by: distance))
        whole.formUnion(kept)
        // A replay goes on with these.
        whole.formUnion(descriptions.filter(states.contains))
        fit.allStates = distance == 1
        // A migration may fail on any state.
        let all = form.schemas.isEmpty ? whole.sorted() : Array(states)
        let cursor = try StateCursor(on: recording, at: recording.start)
        var last: Node?
        for seq in all {
            if !isKnown(seq) { continue }
            let position = Recording.Position(seq: seq)
            try cursor.move(to: position)
            var state = cursor.state
            if whole.contains(seq) { fit.decodedStates += 1 }
            do {
                state = try form.migrated(state)
                let before = last.take()
                if !whole.contains(seq), let before, app.readsChanges(from: before, to: state) {
                    last = state
                    continue
                }
                state = try form.readable(state)
                last = state
                if !whole.contains(seq) { continue }
                try form.findUnread(in: state, readAs: try app.typed.reencoded(state, form.redactor))
            } catch {
                let problem = Fit.Problem(
                    path: (error as? TreeError)?.path ?? (error as? MigrationError)?.path,
                    position: position,
                    reason: Self.reason(error),
                    migration: line.remedy(for: error, in: state)
                )
                add(problem, at: problem.path.map { keys.generalized($0, in: state) })
                continue
            }
            for path in form.unread { addUnread(Fit.Field(path: path)) }
            for change in form.changed {
                let problem = Fit.Problem(
                    path: change.path,
                    position: position,
                    reason: "this build reads the value as another one",
                    migration: line.conversion(of: keys.generalized(change.path, in: state))
                )
                add(problem, at: keys.generalized(change.path, in: state))
            }
            for suspect in form.suspects {
                let unread = suspect.isMoved ? "\(suspect.unread)" : suspect.unread.components.last ?? ""
                let verb =
                    suspect.isMoved
                    ? "is not read, as if it had been moved" : "beside it is not read, as if it had been renamed"
                let name = Node.string(suspect.target.components.last ?? "").json
                let problem = Fit.Problem(
                    path: suspect.target,
                    position: position,
                    reason: "the field \(name) is missing, and \(Node.string(unread).json) \(verb)",
                    migration: line.remedy(for: suspect, in: state)
                )
                add(problem)
            }
        }
        fit.conversions = form.conversions
        fit.defaults = form.defaults.map { Fit.Default(path: $0.path, value: $0.value) }
    }

    // MARK: Actions

    private mutating func findActions(_ form: RecordedForm, _ progress: (Int) throws -> Void) throws {
        try recording.forEachAction(after: recording.start.seq) { action in
            if let payload = action.replayable { check(payload, of: action, form) }
            try progress(action.seq)
        }
        noteWrapping()
    }

    /// Replaces the problems of all action types by one if this build has none of them.
    private mutating func noteWrapping() {
        let types = fit.problems.compactMap(\.action)
        guard !hasKnownType, types.count > 1 else { return }
        fit.problems.removeAll { $0.action != nil }
        let names = types.prefix(3).joined(separator: ", ") + (types.count > 3 ? " and \(types.count - 3) more" : "")
        let problem = Fit.Problem(
            reason: "this build has none of its action types (\(names)), "
                + "as if they were inside a case of another enum now",
            migration: line.line("wrapActions(in: \"…\")")
        )
        fit.problems.append(problem)
    }

    private mutating func check(_ recorded: Node, of action: RecordedAction, _ form: RecordedForm) {
        let position = Recording.Position(seq: action.seq)
        do {
            for part in try form.actions(recorded) {
                let name = ([part.soleMember?.key ?? action.type] + part.nestedCases).joined(separator: ".")
                if part.hasUnlabelledPayload, known["unlabelled " + name] == nil, fit.unlabelled.count < Self.most {
                    known["unlabelled " + name] = fit.unlabelled.count
                    fit.unlabelled.append(name)
                }
                check(part, name, position)
            }
        } catch {
            let path = (error as? MigrationError)?.path
            add(Fit.Problem(action: action.type, path: path, position: position, reason: Self.reason(error)))
        }
    }

    private mutating func check(_ part: Node, _ name: String, _ position: Recording.Position) {
        do {
            let comparison = FieldComparison(part, try app.typed.reencoded(action: part))
            hasKnownType = true
            for path in comparison.onlyRecorded { addUnread(Fit.Field(action: name, path: path)) }
        } catch {
            let type = part.soleMember?.key ?? name
            var problem = Fit.Problem(action: name, position: position, reason: Self.reason(error))
            problem.migration = line.remedy(for: error, inAction: part, ofType: type)
            if line.isUnknown(type, error) {
                problem.action = type
                problem.reason = "this build has no action type of that name"
            } else {
                hasKnownType = true
                problem.path = (error as? TreeError)?.path
            }
            add(problem)
        }
    }

    // MARK: Collecting

    private static func reason(_ error: any Error) -> String {
        switch error {
        case let error as TreeError: error.reason
        case let error as MigrationError: error.operation == nil ? error.reason : "\(error)"
        default: "\(error)"
        }
    }

    /// - Parameter place: The generalized path; `nil` if it is that of the problem.
    private mutating func add(_ problem: Fit.Problem, at place: NodePath? = nil) {
        let key = "problem \(problem.action ?? "") \((place ?? problem.path)?.pattern ?? problem.reason)"
        if let index = known[key] {
            if counted[index] != problem.position { fit.problems[index].count += 1 }
            counted[index] = problem.position
        } else if fit.problems.count < Self.most {
            known[key] = fit.problems.count
            counted[fit.problems.count] = problem.position
            fit.problems.append(problem)
        }
    }

    private mutating func addUnread(_ field: Fit.Field) {
        let key = "unread \(field.action ?? "") \(field.path.pattern)"
        guard known[key] == nil, fit.unread.count < Self.most else { return }
        known[key] = fit.unread.count
        fit.unread.append(field)
    }
}

extension ReplayableApp {
    /// Whether today's types read what differs in a state from another one, which they read. Costs what differs, and one
    /// walk over both.
    fileprivate func readsChanges(from old: Node, to new: Node) -> Bool {
        let places = Patch(from: old, to: new).operations.flatMap { operation in
            guard case .splice(let path, let at, _, let insert) = operation else { return [operation.path] }
            return insert.indices.map { path.appending(String(at + $0)) }
        }
        return (try? checkDecodes(new.excerpt(around: places.map { $0.components[...] }))) != nil
    }
}

extension Node {
    /// The node in which arrays and objects that are large have only the elements and members around the places.
    fileprivate func excerpt(around places: [ArraySlice<String>]) -> Node {
        if places.contains(where: \.isEmpty) { return self }
        let inside = Dictionary(grouping: places) { $0.first ?? "" }.mapValues { $0.map { $0.dropFirst() } }
        let most = 64
        switch self {
        case .object(let members):
            let kept = members.count > most ? members.filter { inside[$0.key] != nil } : members
            return .object(kept.map { Node.Member($0.key, $0.value.excerpt(around: inside[$0.key] ?? [])) })
        case .array(let elements):
            let kept = elements.count > most ? inside.keys.compactMap(Int.init).sorted() : Array(elements.indices)
            return .array(
                kept.filter(elements.indices.contains).map { elements[$0].excerpt(around: inside[String($0)] ?? []) }
            )
        default:
            return self
        }
    }

    /// Whether the payload of the innermost case has a value without a label.
    fileprivate var hasUnlabelledPayload: Bool {
        guard case .object(let payload)? = soleMember?.value else { return false }
        if payload.count == 1, payload[0].key == "_0", payload[0].value.enumCase(isPayload: true) != nil {
            return payload[0].value.hasUnlabelledPayload
        }
        return payload.contains { $0.key.isPayloadPosition } || soleMember?.value.hasUnlabelledPayload == true
    }
}
