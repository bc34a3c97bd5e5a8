import HindsightTree

/// How a recorder audits its own recording: see ``SelfAudit``. Whatever is found is written into the file, and the app is
/// told once.
extension RecordingWriter {
    /// Follows the first state, of which this is the text that is recorded.
    func begin(from state: State, _ text: String, _ report: (RecordingError) -> Void) throws {
        guard let impurity = try impurity(of: state, writtenAs: text, redactor, path) else {
            return try finder.follow(from: state)
        }
        finder.follow(from: state, writtenAs: try Node(json: text))
        tell(impurity, report)
    }

    /// Takes what an action did.
    func note(_ effect: RecordingFile.Effect?, of seq: Int) {
        guard let effect else { return audit.breakOff() }
        audit.add(seq, effect.steps)
        guard let keyframe = effect.keyframe else { return }
        audit.end(with: keyframe, at: seq)
        lastWhole = seq
    }

    /// Audits what waits for it, as far as there is time.
    func audit(_ hasTime: () -> Bool, _ report: (RecordingError) -> Void) throws {
        for drift in audit.run(hasTime) {
            try output.markDoubtful(DoubtfulStates(actions: drift.actions, path: drift.path))
            tell(try error(for: drift), report)
            if drift.isMisfit { try startAgain() }
        }
    }

    /// Audits all that is left, up to the last state.
    func auditEnd(_ report: (RecordingError) -> Void) throws {
        if audit.isOpen, !findings.holdsInstances, let state = finder.lastFollowed {
            try audit(finally: try text(of: state), at: lastWritten, report)
        }
        try audit({ true }, report)
        audit.breakOff()
        try output.noteUnaudited(audit.unaudited)
    }

    /// Audits all that is left; if the last state turns out to be another one, that is written too.
    func audit(finally whole: String, at seq: Int, _ report: (RecordingError) -> Void) throws {
        guard audit.isOpen else { return }
        audit.end(with: whole, at: seq)
        for drift in audit.run({ true }) {
            let states = DoubtfulStates(actions: drift.actions, path: drift.path)
            if drift.actions.upperBound == seq {
                try output.keepWhole(whole, at: seq, doubtful: [states])
            } else {
                try output.markDoubtful(states)
            }
            tell(try error(for: drift), report)
        }
    }

    /// Goes on from the present state as it is encoded now: the changes up to here do not follow from one another. From
    /// now on each state is encoded whole and once, so that they do.
    private func startAgain() throws {
        guard let state = finder.lastFollowed, !findings.holdsInstances else { return }
        let text = try text(of: state)
        let doubtful = lastWhole < lastWritten ? [lastWhole + 1...lastWritten] : []
        try output.keepWhole(
            text,
            at: lastWritten,
            doubtful: doubtful.map { DoubtfulStates(actions: $0, path: NodePath()) }
        )
        keep(text.utf8.count)
        audit.begin(with: text)
        lastWhole = lastWritten
        finder.follow(from: state, writtenAs: try Node(json: text))
    }

    private func text(of state: State) throws -> String {
        try naming(path, lastWritten, redactor) { try TextEncoder.text(of: state, redactor: redactor) }
    }

    private func tell(_ error: RecordingError, _ report: (RecordingError) -> Void) {
        if toldOfDoubt { return }
        toldOfDoubt = true
        report(error)
    }

    private func error(for drift: SelfAudit.Drift) throws -> RecordingError {
        // Changes that do not follow from one another come of an `encode(to:)` that writes something else each time, or of
        // something that changed between two looks at it.
        if drift.isMisfit, let state = finder.lastFollowed,
            let impurity = try impurity(of: state, writtenAs: text(of: state), redactor, path)
        {
            return impurity
        }
        var error = RecordingError(.doubtfulStates, file: path)
        error.actions = drift.actions
        error.path = drift.path
        error.type = finder.lastFollowed.map { TypeAtPath.name(drift.path, in: $0) } ?? String(reflecting: State.self)
        return error
    }
}

/// Looks whether a state's `encode(to:)` writes the same twice; `nil` if it does, or if the state is too big to try.
func impurity<State: Encodable>(
    of state: State,
    writtenAs text: String,
    _ redactor: Redactor,
    _ file: String
) throws -> RecordingError? {
    guard text.utf8.count <= SelfAudit.mostStateBytes else { return nil }
    let again = try naming(file, 0, redactor) { try TextEncoder.text(of: state, redactor: redactor) }
    if again.hasSameScalars(as: text) { return nil }
    let difference = Patch(from: try Node(json: text), to: try Node(json: again))
    var error = RecordingError(.impureEncoding, file: file)
    error.path = difference.operations.first?.path
    error.type = TypeAtPath.name(error.path ?? NodePath(), in: state)
    return error
}
