import HindsightFormat
import HindsightSupport
import HindsightTree

/// How a recorder audits its own recording: see ``SelfAudit``. Whatever is found is written into the file, and the app is
/// told once.
extension RecordingWriter {
    /// Takes what an action did.
    func note(_ changes: ActionChanges, of seq: Int) {
        lastKnown = seq
        audit.add(seq, changes.steps)
        guard let keyframe = changes.keyframe else { return }
        audit.end(with: keyframe, at: seq)
        lastWhole = seq
    }

    /// Audits what waits for it, as far as there is time.
    func audit(_ hasTime: () -> Bool) throws {
        for drift in audit.run(hasTime) {
            try output.markDoubtful(DoubtfulStates(actions: drift.actions, path: drift.path))
            tell(try error(for: drift))
            if drift.isMisfit { try startAgain() }
        }
    }

    /// Audits what is left, up to the last state, as far as closing may take that long.
    func auditEnd() throws {
        if audit.isOpen, !findings.holdsInstances, let state = differ.finder.lastFollowed {
            try audit(finally: try text(of: state), at: lastKnown)
        }
        let deadline = SystemClock.monotonic + audit.closingTime
        try audit { SystemClock.monotonic < deadline }
        audit.giveUp()
        try output.noteUnaudited(audit.unaudited)
    }

    /// Audits the way to the last state; if it turns out to be another one, that is written too.
    func audit(finally whole: String, at seq: Int) throws {
        guard let drift = audit.finish(with: whole, at: seq) else { return }
        try output.keepWhole(whole, at: seq, doubtful: [DoubtfulStates(actions: drift.actions, path: drift.path)])
        tell(try error(for: drift))
    }

    /// Goes on from the present state as it is encoded now: the changes up to here do not follow from one another. From
    /// now on each state is encoded whole and once, so that they do.
    private func startAgain() throws {
        guard let state = differ.finder.lastFollowed, !findings.holdsInstances else { return }
        let text = try text(of: state)
        let doubtful = lastWhole < lastKnown ? [lastWhole + 1...lastKnown] : []
        try output.keepWhole(
            text,
            at: lastKnown,
            doubtful: doubtful.map { DoubtfulStates(actions: $0, path: NodePath()) }
        )
        keep(text.utf8.count)
        audit.begin(with: text)
        lastWhole = lastKnown
        differ.finder.follow(from: state, writtenAs: try Node(json: text))
    }

    private func text(of state: State) throws -> String {
        try differ.text(of: state, after: lastKnown)
    }

    func tell(_ error: RecordingError) {
        if toldOfDoubt { return }
        toldOfDoubt = true
        report(error)
    }

    private func error(for drift: SelfAudit.Drift) throws -> RecordingError {
        // Changes that do not follow from one another come of an `encode(to:)` that writes something else each time, or of
        // something that changed between two looks at it.
        if drift.isMisfit, let state = differ.finder.lastFollowed,
            let impurity = try differ.impurity(of: state, writtenAs: text(of: state))
        {
            return impurity
        }
        var error = RecordingError(.doubtfulStates, file: path)
        error.actions = drift.actions
        error.path = drift.path
        error.type =
            differ.finder.lastFollowed.map { TypeAtPath.name(drift.path, in: $0) } ?? String(reflecting: State.self)
        return error
    }
}
