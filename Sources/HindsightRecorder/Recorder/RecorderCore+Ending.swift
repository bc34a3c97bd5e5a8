import HindsightFormat

/// Flushing and closing.
extension RecorderCore {
    /// Waits until everything that was dispatched is in the file.
    func flush() throws(RecordingError) {
        if isForked { throw forked }
        perform { self.catchUp(&$0) }
        channel.flush()
        if case .stopped(let error) = channel.state { throw error }
    }

    func close() throws(RecordingError) {
        if isForked { throw forked }
        if case .stopped(let error) = end() { throw error }
    }

    func end() -> WriterChannel<WriterCommand>.Conclusion? {
        session.withLock { session in
            guard channel.isOpen else { return }
            catchUp(&session)
            leaveUnfinished(&session)
            sendLastState()
            // With the session locked, so that no action begins that would be in no file.
            channel.shut()
        }
        return channel.end()
    }

    /// Has the writer audit the last state, if changes are found here.
    private func sendLastState() {
        guard let eagerDiffer, let state = eagerDiffer.finder.lastFollowed,
            findings.stateBytes <= SelfAudit.mostStateBytes
        else {
            return
        }
        do {
            let text = try eagerDiffer.text(of: state, after: eagerDiffer.lastSeq)
            channel.add(.final(text: text, seq: eagerDiffer.lastSeq), bytes: text.utf8.count)
        } catch {
            // The state was encoded when it was made, and is recorded as it was then.
        }
    }

    func stop(_ error: RecordingError) {
        perform { _ in throw error }
        _ = channel.end()
    }

    /// Hands over the action that is being reduced, if there is one.
    func leaveUnfinished(_ session: inout RecorderSession) {
        guard let pending = session.end() else { return }
        pending.outcome = .unfinished
        channel.add(.action(pending, journalEnd: session.journal.end), bytes: 0)
    }
}
