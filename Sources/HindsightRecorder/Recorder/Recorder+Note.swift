import HindsightFormat
import HindsightSupport

extension Recorder {
    /// Puts a note into the recording, at the present position: after the last action, or, while an action is being
    /// reduced, after those of its reducers that have run.
    ///
    /// ```swift
    /// Button("Report a problem") { recorder.note("user saw the bug") }
    /// ```
    ///
    /// `log` shows the note below its action, and every command takes its text as a position:
    ///
    /// ```
    /// hindsight jump session.hindsight "user saw the bug"
    /// ```
    ///
    /// A text of at most 200 bytes, which is no other position such as `42`, names its position. If several notes have
    /// the same text, the first one has the name, and the text as a position is an error that lists all of them.
    ///
    /// A note is as safe as an action: it survives a crash of the process from the moment at which this method returns.
    /// If the recorder was closed, had to stop or could not start, a note is ignored. Notes are not redacted. Any thread
    /// may call this method, but not a state's `encode(to:)` or `deinit`.
    ///
    /// **Cost.** That of an action without reducers: about a microsecond. If the journal is full, it waits for the
    /// recorder's thread.
    public func note(_ text: String) {
        if case .success(let core) = core { core.note(text) }
    }
}

extension RecorderCore {
    /// The number of times that a note waits for room in the journal.
    private static var maxWaits: Int { 3 }

    func note(_ text: String) {
        guard channel.isOpen, !isForked else { return }
        channel.waitForRoom()
        for attempt in 0...Self.maxWaits {
            var isAdded = false
            perform { session in
                // The action that is being reduced may fill the journal until it ends, and this may be its thread.
                isAdded = self.add(text, evenWithoutJournal: attempt == Self.maxWaits, &session)
            }
            if isAdded || !channel.isOpen { return }
            _ = channel.waitForProgress()
        }
    }

    /// Appends a note to the journal, and hands it to the writer.
    ///
    /// - Returns: Whether there was room for it.
    private func add(_ text: String, evenWithoutJournal: Bool, _ session: inout RecorderSession) -> Bool {
        let note = session.note(text)
        var end: UInt64?
        do {
            end = try session.journal.append(note)
        } catch {
            // A note that is too large for the disk's rest must not end the recording. The writer still gets it.
        }
        guard end != nil || evenWithoutJournal else { return false }
        session.countNote()
        // While an action is being reduced, only the journal has it.
        channel.add(.note(note, journalEnd: session.isReducing ? nil : end), bytes: text.utf8.count)
        return true
    }
}
