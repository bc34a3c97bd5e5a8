#if Archive
    import HindsightFormat
    import HindsightRecording
    import HindsightSupport
    import HindsightTree

    /// The columns of a recording's row, as a JSON object.
    struct RecordingFacts {
        let recording: Recording
        let key: RecordingKey
        /// The name of the device, if whoever pushes gives one.
        let device: String
        let text: TextCutter

        var isComplete: Bool { recording.ending != .open(live: true) }

        func node() throws(RecordingError) -> Node {
            let crash = try crash()
            let ended = recording.closedNanoseconds ?? text.statistics.ended
            return [
                "started": .string(key.startedText),
                "id": .string(key.id),
                "root": .optional(recording.id.map(Node.string)),
                "app": sendable(recording.app.name),
                "app_version": indexed(recording.app.version),
                "schema_version": .int(recording.app.schema),
                "device": sendable(device.isEmpty ? recording.app.installation : device),
                "platform": sendable(recording.platform),
                "created_ns": .int(Int(recording.createdNanoseconds)),
                "ended": .optional(ended.map { .string(timestampText(microseconds: $0 / 1000)) }),
                "ending": .string(crash == nil ? ending : "crashed"),
                "crash_seq": .optional((crash?.seq).map(Node.int)),
                "crash_type": .optional((crash?.type).map(indexed)),
                "crash_reducer": .optional((crash?.reducer).map(indexed)),
                "crash_message": .optional((crash?.message).map(sendable)),
                "crash_phase": .optional((crash?.phase).map(Node.string)),
                "crash_frames": crash == nil ? .null : .array(frames.map(sendable)),
                // The journal has that a reducer began, and its changes once it has returned.
                "crash_path": .null,
                "signal": .optional((recording.crashSignal?.name).map(sendable)),
                "reducers": .array(recording.reducers.map(sendable)),
                "dropped": .int(recording.droppedCount),
                "actions": .int(text.last),
                "notes": .int(text.statistics.notes.count),
                "bytes": .int(text.bytes),
                "format": .int(recording.formatVersion),
                "complete": .bool(isComplete),
            ]
        }

        var types: Node {
            .array(
                text.statistics.actionTypes.map { name, type in
                    [
                        "type": indexed(name), "count": .int(Int(type.count)), "total_ns": .int(Int(type.total)),
                        "longest_ns": .int(Int(type.longest)),
                    ]
                }
            )
        }

        var notes: Node {
            .array(
                text.statistics.notes.enumerated().map { number, note in
                    [
                        "number": .int(number + 1), "seq": .int(note.seq),
                        "reducer": .optional(note.reducer.map(Node.int)), "name": .optional(note.name.map(sendable)),
                        "text": .optional(note.text.map(sendable)), "at_ns": .int(note.at),
                    ]
                }
            )
        }

        /// PostgreSQL's texts, also those in JSON, cannot have a NUL.
        private func sendable(_ text: String) -> Node { .string(EncodedValue.sendable(text)) }

        /// A name that stands in an index of the archive, which takes 2,704 bytes: its beginning, and a hash, if it is long.
        private func indexed(_ text: String) -> Node {
            guard text.utf8.count > Self.maxIndexed else { return sendable(text) }
            let hash = hex(SHA256.digest(of: Array(text.utf8)).prefix(8))
            return sendable(String(decoding: text.utf8.prefix(Self.maxIndexed), as: UTF8.self) + "… \(hash)")
        }

        private static let maxIndexed = 500

        private var ending: String {
            switch recording.ending {
            case .closed: "closed"
            case .open(live: true): "recording"
            case .open(live: false):
                if recording.stopReason != nil {
                    "stopped"
                } else {
                    recording.hasExited ? "exited" : "open"
                }
            case .crashed: "crashed"
            }
        }

        /// The action that was dispatched, `nil` if none was or it has no number, and its type, unless another thread
        /// died; the way of dying, `nil` if nothing says it; and what the app was doing.
        private typealias Crash = (seq: Int?, type: String?, reducer: String?, message: String?, phase: String?)

        /// How the process died; `nil` if it did not, as far as is known.
        private func crash() throws(RecordingError) -> Crash? {
            var message = recording.crashSignal.map { $0.isStackOverflow ? "\($0.name): stack overflow" : $0.name }
            if message == nil, recording.hasExited { message = "exit" }
            let activity = recording.lastActivity?.node
            var phase: String?
            if case .string(let name)? = activity?["phase"] { phase = name }
            var (seq, reducer) = (nil as Int?, nil as Int?)
            if case .int(let number)? = activity?["seq"] { seq = number }
            if case .crashed(let number, let running) = recording.ending {
                (seq, reducer) = (number, running)
                phase = phase ?? (running == nil ? "between reducers" : "reducer")
            } else if recording.ending != .open(live: false) || recording.crashSignal == nil {
                return nil
            }
            // The action and the reducer that ran meanwhile are not to blame.
            let isElsewhere = recording.crashSignal?.isDispatching == false
            if isElsewhere { (reducer, phase) = (nil, "another thread") }
            let blamed = isElsewhere ? nil : seq
            let type = try blamed.map { number throws(RecordingError) in try recording.action(number).type }
            return (seq, type, reducer.flatMap(recording.name(ofReducer:)), message, phase)
        }

        /// The most frames of a crash to keep.
        private static let maxFrames = 16

        /// The innermost frames of the thread that died, as `Shop+0x1f2e`, for a symboliser.
        private var frames: [String] {
            (recording.crashSignal?.frames ?? []).prefix(Self.maxFrames).map { frame in
                guard let image = frame.image, let offset = frame.offset else {
                    return "0x" + String(frame.address, radix: 16)
                }
                return "\(image)+0x\(String(offset, radix: 16))"
            }
        }
    }
#endif
