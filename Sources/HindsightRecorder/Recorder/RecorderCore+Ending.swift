import HindsightFormat

/// Flushing and closing.
extension RecorderCore {
    /// Waits until all dispatched actions are in the file.
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
        // Outside of the lock: a thread that dispatches holds the store's lock when it takes that of the session.
        let reader = session.withLock { _ in self.present }
        let present = reader?()
        session.withLock { session in
            // They may keep what keeps the recorder, and the store's last state.
            defer { (self.leaves, self.present) = (nil, nil) }
            guard channel.isOpen else { return }
            catchUp(&session)
            // The state in the middle of an action is not the one to which the recorded changes lead.
            let isBetweenActions = !session.isReducing
            session.leaveUnfinished(to: channel)
            if isBetweenActions { sendLastState() }
            if leaves != nil, let present, present.seq == session.last.seq {
                audit(present.state, seq: present.seq, isLast: true)
            }
            // Must happen with the session locked, so that no action begins that would be in no file.
            channel.close()
        }
        return channel.end()
    }

    /// Sends the last state to the writer's audit, if the dispatching threads find changes.
    private func sendLastState() {
        guard let eagerDiffer, let state = eagerDiffer.finder.lastFollowed,
            findings.stateBytes <= SelfAudit.maxStateBytes
        else {
            return
        }
        do {
            let text = try eagerDiffer.text(of: state, after: eagerDiffer.lastSeq)
            channel.add(.final(text: text, seq: eagerDiffer.lastSeq), bytes: text.utf8.count)
        } catch {
            // The state is recorded already: it was encoded right after its reducer.
        }
    }

    func stop(_ error: RecordingError) {
        perform { _ in throw error }
        _ = channel.end()
    }
}
