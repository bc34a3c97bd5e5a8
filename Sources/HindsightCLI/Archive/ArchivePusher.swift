#if Archive
    import Foundation
    import HindsightArchive
    import HindsightFormat
    import HindsightRecording
    import HindsightSupport
    import HindsightTree

    /// Sends recordings one after the other, and reports each.
    final class ArchivePusher {
        private let tool: Tool
        private let device: String
        private let salvages: Bool
        private let asJSON: Bool

        init(tool: Tool, device: String, salvages: Bool, asJSON: Bool) {
            (self.tool, self.device, self.salvages, self.asJSON) = (tool, device, salvages, asJSON)
        }

        /// Sends files. One that cannot be read does not keep the others back.
        ///
        /// - Throws: An ``ArchiveError`` that concerns the connection.
        func push(_ files: [String], to connection: ArchiveConnection) throws -> ExitCode {
            var worst = ExitCode.fine
            for file in files {
                let code = try push(file, to: connection)
                if code.rawValue > worst.rawValue { worst = code }
                if TerminationSignal.received != nil, tool.isProcess { return .interrupted }
            }
            return worst
        }

        /// - Parameter done: Takes what was done, if the file could be read.
        func push(
            _ file: String,
            to connection: ArchiveConnection,
            _ done: (ArchivePush) -> Void = { _ in }
        ) throws -> ExitCode {
            do {
                let push = try send(file, to: connection)
                report(push, file)
                done(push)
                return .fine
            } catch let error as ArchiveError where error.kind == .interrupted {
                return .interrupted
            } catch let error as ArchiveError where !connection.isOpen || Self.concernsAll(error) {
                throw error
            } catch {
                return report(error, file)
            }
        }

        /// Whether the server cannot take any recording now.
        static func concernsAll(_ error: ArchiveError) -> Bool {
            [.stalled, .dropped, .full, .unreachable].contains(error.kind)
        }

        private func send(_ file: String, to connection: ArchiveConnection) throws -> ArchivePush {
            do {
                return try connection.push(try open(file), device: device) { action in
                    tool.console.progress("\(escape(file)): \(Quantities.grouped(action)) actions")
                }
            } catch let error as RecordingError where salvages && error.code == .damaged {
                tool.console.clearProgress()
                return try sendSoundPart(of: file, to: connection)
            }
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

        /// The place of a recording that needs recovery. The recording is not open afterwards.
        private func placeToRecover(_ file: String) throws -> URL? {
            let recording = try Recording(at: URL(filePath: file))
            return recording.sidecarFiles.isEmpty || recording.ending == .open(live: true) ? nil : recording.url
        }

        private func sendSoundPart(of file: String, to connection: ArchiveConnection) throws -> ArchivePush {
            let directory = FileManager.default.temporaryDirectory.path
            let copy = Tool.path(of: "hindsight-\(UUID().uuidString)\(RunName.suffix)", in: directory)
            defer { for suffix in [""] + SidecarFiles.suffixes { unlink(copy + suffix) } }
            let saved = try Recording.examine(at: URL(filePath: file)).salvage(to: URL(filePath: copy))
            tool.console.note(
                "note: \(escape(file)) is damaged; sending \(Quantities.actions(saved)), which are sound."
            )
            return try connection.push(try Recording(at: URL(filePath: copy)), device: device)
        }

        // MARK: Reports

        private func report(_ push: ArchivePush, _ file: String) {
            tool.console.clearProgress()
            if asJSON {
                tool.console.print(
                    printable([
                        "file": .string(file), "id": .string(push.key.id), "outcome": .string(push.outcome.rawValue),
                        "actions": .int(push.actions), "complete": .bool(push.isComplete), "bytes": .int(push.bytes),
                        "chunks": .int(push.chunks),
                        "sent": ["chunks": .int(push.sentChunks), "bytes": .int(push.sentBytes)],
                        "nanoseconds": [
                            "reading": .int(Int(push.reading.nanoseconds)),
                            "sending": .int(Int(push.sending.nanoseconds)),
                        ],
                    ])
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
            let failure = Messages.failure(for: error, tool: tool.name)
            if asJSON {
                let words = failure.lines.joined(separator: " ")
                tool.console.print(printable(["file": .string(file), "error": .string(words)]))
            }
            return tool.report(failure)
        }
    }
#endif
