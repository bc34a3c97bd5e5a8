import HindsightFormat
import HindsightStore
import HindsightSupport
import HindsightTree

/// The first event of a store: its middleware is attached.
extension RecorderCore {
    /// Starts to record a store, unless the recorder has one already.
    ///
    /// - Parameters:
    ///   - leaves: The reducers; `nil` if the recorder cannot run them.
    ///   - present: Returns the present state of the store and the number of the last action.
    /// - Returns: Whether the store is recorded.
    func start(
        initial: StateValue,
        reducers: [String],
        leaves: [Reducer<StateValue, ActionValue>.Leaf]?,
        present: @escaping @Sendable () -> (state: StateValue, seq: Int)?,
        from attachment: StoreAttachment<StateValue, ActionValue>.Name
    ) -> Bool {
        // No thread of a forked process writes, or ends the recording.
        if isForked { return false }
        let recorded = session.withLock { session in
            defer { session.attachment = session.attachment ?? attachment }
            return session.attachment
        }
        if recorded === attachment {
            // Two stores share one middleware value, so the recorder cannot tell their actions apart.
            stop(RecordingError(.secondStore, reason: "it cannot tell their actions apart, and stopped"))
            return false
        }
        if recorded != nil {
            report(RecordingError(.secondStore, reason: "that store is not recorded"))
            return false
        }
        var decodingFailure: RecordingError?
        var impurity: RecordingError?
        var incomputable: RecordingError?
        perform { session in
            session.reducerCount = reducers.count
            let hidden = self.redactors.states
            let encoder = TextEncoder(redactor: hidden)
            _ = try naming(0, hidden) { try encoder.encode(initial) }
            let text = encoder.text
            decodingFailure = self.decodingFailure(ofState: text)
            if encoder.sawInstance || ChangeFinder<StateValue>.mayHoldInstances {
                impurity = try self.startEagerDiffer(from: initial, text, after: 0)
            }
            let state = self.eagerDiffer == nil ? StateSnapshots.one(initial) : nil
            if let interval = self.options.auditInterval {
                if state != nil, !ChangeFinder<StateValue>.mayShare, let leaves {
                    (self.leaves, self.present) = (leaves, present)
                    self.nextAudit = SystemClock.monotonic + interval
                } else {
                    let sharing = "they may hold class instances or closures, which two states would share"
                    let reason = leaves == nil ? "the recorder has no reducers" : sharing
                    incomputable = RecordingError(.notComputable, reason: reason)
                }
            }
            let start = WriterCommand.start(reducers: reducers, state: state, text: text, computes: self.leaves != nil)
            self.channel.add(start, bytes: text.utf8.count)
        }
        for error in [decodingFailure, impurity, incomputable] { if let error { report(error) } }
        // The recording must be readable without the journal before the first action.
        if channel.isOpen { channel.waitUntilIdle() }
        return true
    }

    /// Why a replay cannot begin with the redacted initial state; `nil` if it can.
    private func decodingFailure(ofState text: String) -> RecordingError? {
        guard redactors.states.hasPatterns else { return nil }
        if (StateValue.self as? any DescribedValue.Type)?.typesWithoutCoding.isEmpty == false { return nil }
        do {
            _ = try NodeDecoder().decode(StateValue.self, from: try Node(json: text))
            return nil
        } catch {
            return RecordingError(.unfitPlaceholder, path: error.path, cause: error)
        }
    }
}
