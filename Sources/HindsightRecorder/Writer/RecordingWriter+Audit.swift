import HindsightFormat
import HindsightSupport
import HindsightTree

/// The recorder's audit of its own recording: see ``SelfAudit``. Findings are written into the file, and reported to
/// the app once.
extension RecordingWriter {
    /// Audits waiting spans while there is time.
    func audit(_ hasTime: () -> Bool) throws {
        for drift in audit.run(hasTime) {
            try output.rows.markDoubtful(DoubtfulStates(actions: drift.actions, path: drift.path))
            tell(try error(for: drift))
            if drift.isPatchFailure { try startAgain() }
        }
    }

    /// Audits the remaining spans up to the last state, within the time that closing may take.
    func auditEnd() throws {
        if audit.isOpen, let state = differ.finder.lastFollowed {
            try audit(finally: try text(of: state), at: lastKnown)
        }
        let deadline = SystemClock.monotonic + audit.closingTime
        try audit { SystemClock.monotonic < deadline }
        audit.giveUp()
        try output.noteUnaudited(audit.unaudited)
    }

    /// Audits the span to the last state. If the state differs, writes it too.
    func audit(finally whole: String, at seq: Int) throws {
        guard let drift = audit.finish(with: whole, at: seq) else { return }
        try output.rows.keepWhole(whole, at: seq, doubtful: [DoubtfulStates(actions: drift.actions, path: drift.path)])
        tell(try error(for: drift))
    }

    /// Continues from a fresh encoding of the present state, because the recorded changes are inconsistent. From now on
    /// each state is encoded once, as a whole, so that the changes are consistent.
    private func startAgain() throws {
        guard let state = differ.finder.lastFollowed else { return }
        let text = try text(of: state)
        let doubtful = lastWhole < lastKnown ? [lastWhole + 1...lastKnown] : []
        try output.rows.keepWhole(
            text,
            at: lastKnown,
            doubtful: doubtful.map { DoubtfulStates(actions: $0, path: NodePath()) }
        )
        keep(text.utf8.count)
        audit.begin(with: text)
        lastWhole = lastKnown
        differ.finder.follow(from: state, writtenAs: try Node(json: text))
    }

    private func text(of state: StateValue) throws -> String {
        try differ.text(of: state, after: lastKnown)
    }

    func tell(_ error: RecordingError) {
        if toldOfDoubt { return }
        toldOfDoubt = true
        report(error)
    }

    private func error(for drift: SelfAudit.Drift) throws -> RecordingError {
        // Contradictory changes come from an `encode(to:)` that writes something different each time, or from a value
        // that changed between two readings.
        if drift.isPatchFailure, let state = differ.finder.lastFollowed,
            let impurity = try differ.impurity(of: state, writtenAs: text(of: state))
        {
            return impurity
        }
        let type =
            differ.finder.lastFollowed.map { TypeAtPath.name(drift.path, in: $0) }
            ?? String(reflecting: StateValue.self)
        return RecordingError(.doubtfulStates, actions: drift.actions, type: type, path: drift.path)
    }
}
