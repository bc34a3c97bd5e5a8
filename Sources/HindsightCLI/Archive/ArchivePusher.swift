#if Archive
    import Foundation
    import HindsightArchive
    import HindsightFormat
    import HindsightRecording
    import HindsightSupport
    import HindsightTree

    /// Sends recordings one after the other, and reports each.
    struct ArchivePusher {
        let tool: Tool
        let device: String
        let salvages: Bool
        let replaces: Bool
        let asJSON: Bool

        /// Sends files. One that cannot be read does not keep the others back.
        ///
        /// - Throws: An ``ArchiveError`` that concerns the connection.
        func push(_ files: [String], to connection: ArchiveConnection) throws -> ExitCode {
            var worst = ExitCode.fine
            var memory = PushMemory(of: connection)
            defer { memory.save() }
            let ahead = ReadAhead(of: files, by: tool)
            // What the archive has already is read once only if it is not read ahead.
            var isNew = false
            for (index, file) in files.enumerated() {
                if tool.isProcess, let code = TerminationSignal.code { return code }
                let fingerprint = PushMemory.fingerprint(of: file)
                do {
                    if let push = try memory.push(of: file, fingerprint, device: device) {
                        report(push, file)
                        continue
                    }
                } catch let error as ArchiveError where error.kind == .interrupted {
                    return TerminationSignal.code ?? .badFile
                } catch let error as ArchiveError where connection.isOpen && !Self.concernsAll(error) {
                    // The push says what is wrong.
                }
                let text = ahead.text(of: index, fingerprint)
                if isNew { ahead.readNext(after: index) { !memory.knows($0) } }
                isNew = false
                let code = try push(file, to: connection, read: text) { result in
                    guard case .success(let push) = result else { return }
                    isNew = push.outcome == .new
                    // A part that was salvaged is not the file.
                    if !salvages { memory.note(push, file, fingerprint) }
                }
                worst = max(worst, code)
            }
            return tool.isProcess ? TerminationSignal.code ?? worst : worst
        }

        /// - Parameters:
        ///   - text: Its text if it was read before.
        ///   - done: Takes what was done, or why it was not.
        func push(
            _ file: String,
            to connection: ArchiveConnection,
            read text: ReadText? = nil,
            _ done: (Result<ArchivePush, any Error>) -> Void = { _ in }
        ) throws -> ExitCode {
            do {
                let push = try connection.pushing { try send(file, text, to: connection) }
                report(push, file)
                done(.success(push))
                return .fine
            } catch let error as ArchiveError where error.kind == .interrupted {
                return TerminationSignal.code ?? .badFile
            } catch let error as ArchiveError where !connection.isOpen || Self.concernsAll(error) {
                throw error
            } catch {
                done(.failure(error))
                return report(error, file)
            }
        }

        /// Whether the server cannot take any recording now.
        static func concernsAll(_ error: ArchiveError) -> Bool {
            [.stalled, .dropped, .full, .unreachable].contains(error.kind)
        }

        private func send(
            _ file: String,
            _ text: ReadText?,
            to connection: ArchiveConnection
        ) throws -> ArchivePush {
            do {
                let recording = try text?.recording ?? open(file)
                if let text { tool.noteLoss(in: text.recording) }
                let push = try connection.push(recording, device: device, replacing: replaces, read: text) { action in
                    tool.console.progress("\(escape(file)): \(Quantities.grouped(action)) actions")
                }
                if push.outcome == .same, !device.isEmpty { try connection.setDevice(device, of: push.key) }
                return push
            } catch let error as DamagedRecording {
                if salvages { return try sendSoundPart(error.examination, to: connection) }
                throw failure(of: error, file)
            } catch let error as RecordingError where salvages && error.code == .damaged {
                return try sendSoundPart(try Recording.examine(at: URL(filePath: file)), to: connection)
            }
        }

        private func failure(of damage: DamagedRecording, _ file: String) -> Failure {
            Failure(
                .badFile,
                "\(escape(file)) is damaged: \(brief(damage.reason)).",
                "\(ShellQuoting.command(tool.name, "doctor", ShellQuoting.quote(file))) says more.",
                "--salvage sends the part that is sound."
            )
        }

        /// Opens a recording, after recovering it if its process has ended.
        private func open(_ file: String) throws -> Recording {
            if let url = try placeToRecover(file) {
                do {
                    _ = try Recording.recover(at: url)
                } catch {
                    // It can be read in place, too.
                    tool.console.note(
                        "note: \(escape(file)) was not recovered: \(Messages.lines(of: error).first ?? "")"
                    )
                }
            }
            return try tool.open(file)
        }

        /// Reads the next recording on a thread of its own while one is sent. It leaves those that are large, that need
        /// recovery, or that cannot be read to the push, which says what is wrong.
        private final class ReadAhead: @unchecked Sendable {
            private let files: [String]
            private let tool: Tool
            /// The index of the file that is read, or was read last.
            private var index = -1
            private var fingerprint: String?
            private var text: ReadText?
            /// Whether nothing is being read.
            private let isIdle = DispatchSemaphore(value: 1)

            init(of files: [String], by tool: Tool) { (self.files, self.tool) = (files, tool) }

            /// Begins to read the next file, unless one after this is read already.
            func readNext(after current: Int, if isWanted: (String) -> Bool) {
                guard index <= current else { return }
                isIdle.wait()
                text = nil
                index = files[(current + 1)...].firstIndex(where: isWanted) ?? files.endIndex
                fingerprint = index == files.endIndex ? nil : PushMemory.fingerprint(of: files[index])
                guard fingerprint != nil, FileSystem.size(of: files[index]) <= ReadText.maxBytes else {
                    isIdle.signal()
                    return
                }
                do {
                    try BackgroundThread.start { [self] in
                        text = try? ReadText(tool.open(files[index], notesLoss: false))
                        isIdle.signal()
                    }
                } catch {
                    isIdle.signal()
                }
            }

            /// The text of a file if it was read, and has not changed since. Waits until it is read.
            func text(of current: Int, _ fingerprint: String?) -> ReadText? {
                guard index == current else { return nil }
                isIdle.wait()
                defer { isIdle.signal() }
                guard self.fingerprint == fingerprint, let text, text.recording.sidecarFiles.isEmpty else { return nil }
                return text
            }
        }

        /// The place of a recording that needs recovery. The recording is not open afterwards.
        private func placeToRecover(_ file: String) throws -> URL? {
            let recording = try Recording(at: URL(filePath: file))
            return recording.sidecarFiles.isEmpty || recording.ending == .open(live: true) ? nil : recording.url
        }

        private func sendSoundPart(
            _ examination: Examination,
            to connection: ArchiveConnection
        ) throws -> ArchivePush {
            tool.console.clearProgress()
            let folder = try TemporaryFolder(named: "hindsight-archive-")
            defer { folder.remove() }
            let copy = Tool.path(of: "sound\(RunName.suffix)", in: folder.path)
            let saved = try examination.salvage(to: URL(filePath: copy))
            let name = escape(examination.url.relativePath)
            tool.console.note("note: \(name) is damaged; sending \(Quantities.actions(saved)), which are sound.")
            let recording = try Recording(at: URL(filePath: copy))
            return try connection.push(recording, device: device, replacing: replaces, isSound: true)
        }

        // MARK: Reports

        private func report(_ push: ArchivePush, _ file: String) {
            tool.console.clearProgress()
            if asJSON {
                return tool.console.print(json: [
                    "file": .string(file), "id": .string(push.key.id), "outcome": .string(push.outcome.rawValue),
                    "actions": .int(push.actions), "complete": .bool(push.isComplete), "bytes": .int(push.bytes),
                    "chunks": .int(push.chunks),
                    "sent": ["chunks": .int(push.sentChunks), "bytes": .int(push.sentBytes)],
                    "nanoseconds": [
                        "reading": .int(Int(push.reading.nanoseconds)),
                        "sending": .int(Int(push.sending.nanoseconds)),
                    ],
                ])
            }
            if [.forgotten, .expired].contains(push.outcome) {
                tool.console.print(
                    "\(push.outcome.rawValue)  \(push.key.id)  \(escape(file))  not sent: the archive takes it no more"
                )
                return
            }
            let actions = Quantities.counted(push.actions, "action")
            let sent = push.sentBytes > 0 ? ", sent \(Quantities.bytes(push.sentBytes))" : ""
            let open = push.isComplete ? "" : ", still recorded"
            tool.console.print("\(push.outcome.rawValue)  \(push.key.id)  \(escape(file))  \(actions)\(sent)\(open)")
        }

        private func report(_ error: any Error, _ file: String) -> ExitCode {
            tool.console.clearProgress()
            var failure = tool.failure(for: error)
            // The server knows no files.
            if error is ArchiveError {
                failure = Failure(failure.code, lines: ["\(escape(file)) was not pushed."] + failure.lines)
            }
            if asJSON {
                let words = failure.lines.joined(separator: " ")
                tool.console.print(json: ["file": .string(file), "error": .string(words)])
            }
            return tool.report(failure)
        }
    }
#endif
