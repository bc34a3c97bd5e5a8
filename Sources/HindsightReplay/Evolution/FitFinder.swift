import HindsightRecorder
import HindsightRecording
import HindsightTree

extension ReplayableApp {
    /// Finds out whether the app's types can read a recording, without running a reducer.
    ///
    /// It reads every action, and the first and each other whole state of the file. Costs decoding and encoding these.
    ///
    /// - Parameter progress: Called with the number of each action that was read.
    /// - Throws: `RecordingError` if the recording cannot be read, and the errors of `progress`. What does not fit is a
    ///   result, not an error.
    public func fit(of recording: Recording, progress: (Int) throws -> Void = { _ in }) throws -> Fit {
        var finder = FitFinder(recording, self)
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
    /// The index of each problem and field by its key.
    private var known: [String: Int] = [:]

    /// The number of problems, and of fields, that are listed.
    private static let most = 1000

    init(_ recording: Recording, _ app: ReplayableApp) {
        (self.recording, self.app) = (recording, app)
        line = MigrationLine(recording, app)
        fit = Fit(recordedSchema: recording.app.schema, schema: app.schema)
    }

    mutating func find(_ progress: (Int) throws -> Void) throws {
        compareReducers()
        guard recording.app.name == app.name else {
            let names = (Node.string(recording.app.name).json, Node.string(app.name).json)
            return add(Fit.Problem(reason: "the recording is of the app \(names.0), not of \(names.1)"))
        }
        var form: RecordedForm
        do {
            let redactor = try recording.redaction.stateRedactor()
            form = try RecordedForm(of: recording, by: app, redactor: redactor)
        } catch let error as MigrationError {
            return add(Fit.Problem(reason: error.reason))
        }
        fit.migrations = form.schemas
        try findStates(&form)
        try findActions(form, progress)
    }

    // MARK: States

    private mutating func findStates(_ form: inout RecordedForm) throws {
        for seq in [recording.start.seq] + (try recording.wholeStates()) {
            let position = Recording.Position(seq: seq)
            let recorded = try recording.state(at: position)
            do {
                let state = try form.readable(try form.state(recorded))
                form.findUnread(in: state, readAs: try app.reencoded(state, form.redactor))
            } catch {
                let problem = Fit.Problem(
                    path: (error as? TreeError)?.path ?? (error as? MigrationError)?.path,
                    position: position,
                    reason: Self.reason(error),
                    migration: line.remedy(for: error, in: recorded)
                )
                add(problem)
                continue
            }
            for path in form.unread { addUnread(Fit.Field(path: path)) }
            for suspect in form.suspects {
                let names = (suspect.unread.components.last ?? "", suspect.missing.components.last ?? "")
                let problem = Fit.Problem(
                    path: suspect.missing,
                    position: position,
                    reason:
                        "the field \(Node.string(names.1).json) is missing, and \(Node.string(names.0).json) beside it "
                        + "is not read, as if it had been renamed",
                    migration: line.rename(suspect.unread, suspect.missing)
                )
                add(problem)
            }
        }
        fit.defaults = form.defaults.map { Fit.Field(path: $0.path, value: $0.value) }
    }

    // MARK: Actions

    private mutating func findActions(_ form: RecordedForm, _ progress: (Int) throws -> Void) throws {
        guard recording.actionCount > recording.start.seq else { return }
        var entries = try recording.entries(in: recording.start.seq + 1...recording.actionCount, withSteps: false)
        while let (action, _) = try entries.next() {
            if let payload = action.payload { check(payload, of: action, form) }
            try progress(action.seq)
        }
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
            let comparison = FieldComparison(part, try app.reencoded(action: part))
            for path in comparison.onlyRecorded { addUnread(Fit.Field(action: name, path: path)) }
        } catch {
            let type = part.soleMember?.key ?? name
            var problem = Fit.Problem(action: name, position: position, reason: Self.reason(error))
            if app.names.isName(type) == false || (error as? RecordingError)?.code == .unknownAction {
                problem.action = type
                problem.reason = "this build has no action type of that name"
                problem.migration = line.rename(action: type, to: app.names.nearest(to: type))
            } else {
                problem.path = (error as? TreeError)?.path
                problem.migration = remedy(for: error, in: part, named: name)
            }
            add(problem)
        }
    }

    /// The line for a payload that does not decode. The path of a field in the line begins in the payload.
    private func remedy(for error: any Error, in part: Node, named name: String) -> String? {
        guard let error = error as? TreeError, let path = error.path else { return nil }
        var (place, node) = (0, part)
        // The payload of the innermost case.
        var names = 1 + part.nestedCases.count
        for component in path.components.dropLast() where names > 0 {
            guard let next = node[NodePath([component])] else { break }
            (place, node) = (place + 1, next)
            if !component.isPayloadPosition { names -= 1 }
        }
        guard place > 0 else { return nil }
        let inside = TreeError(error.code, at: NodePath(Array(path.components[place...])), error.reason)
        let action = path.components[..<place].filter { !$0.isPayloadPosition }.joined(separator: ".")
        if inside.path?.components.count == 1, let field = inside.path?.components.first, node[field] == nil,
            let other = node.soleMember?.key
        {
            return line.line(
                "renameField(\(Node.string("/" + other).json), to: \(Node.string(field).json), in: \(Node.string(action).json))"
            )
        }
        return line.remedy(for: inside, in: node, of: action)
    }

    // MARK: Collecting

    private static func reason(_ error: any Error) -> String {
        switch error {
        case let error as TreeError: error.reason
        case let error as MigrationError: error.operation == nil ? error.reason : "\(error)"
        default: "\(error)"
        }
    }

    private mutating func add(_ problem: Fit.Problem) {
        let key = "problem \(problem.action ?? "") \(problem.path?.pattern ?? problem.reason)"
        if let index = known[key] {
            fit.problems[index].count += 1
        } else if fit.problems.count < Self.most {
            known[key] = fit.problems.count
            fit.problems.append(problem)
        }
    }

    private mutating func addUnread(_ field: Fit.Field) {
        let key = "unread \(field.action ?? "") \(field.path.pattern)"
        guard known[key] == nil, fit.unread.count < Self.most else { return }
        known[key] = fit.unread.count
        fit.unread.append(field)
    }

    private mutating func compareReducers() {
        let (recorded, today) = (recording.reducers, app.reducers)
        fit.missingReducers = recorded.filter { !today.contains($0) }
        fit.additionalReducers = today.filter { !recorded.contains($0) }
        fit.areReducersReordered = recorded.filter(today.contains) != today.filter(recorded.contains)
    }
}

extension Node {
    /// Whether the payload of the innermost case has a value without a label.
    fileprivate var hasUnlabelledPayload: Bool {
        guard case .object(let payload)? = soleMember?.value else { return false }
        if payload.count == 1, payload[0].key == "_0", payload[0].value.enumCase(isPayload: true) != nil {
            return payload[0].value.hasUnlabelledPayload
        }
        return payload.contains { $0.key.isPayloadPosition } || soleMember?.value.hasUnlabelledPayload == true
    }
}
