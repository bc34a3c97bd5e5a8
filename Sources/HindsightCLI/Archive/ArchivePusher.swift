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

        private func push(_ file: String, to connection: ArchiveConnection) throws -> ExitCode {
            do {
                report(try send(file, to: connection), file)
                return .fine
            } catch let error as ArchiveError where error.kind == .interrupted {
                return .interrupted
            } catch let error as ArchiveError where !connection.isOpen || Self.concernsAll(error) {
                throw error
            } catch {
                return report(error, file)
            }
        }

        private static func concernsAll(_ error: ArchiveError) -> Bool {
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
            let recording = try tool.open(file)
            guard !recording.sidecarFiles.isEmpty, recording.ending != .open(live: true) else { return recording }
            do {
                _ = try Recording.recover(at: recording.url)
            } catch {
                // It can be read in place, too.
                tool.console.note("note: \(escape(file)) was not recovered: \(Messages.lines(of: error).first ?? "")")
                return recording
            }
            return try tool.open(file)
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

        // MARK: Following

        /// The state of a file and the files beside it, to see whether it has changed.
        private typealias Fingerprint = [Int64]

        private var sent: [String: Fingerprint] = [:]

        /// Sends what is there, and then what comes, until a signal arrives. Connects again if the server was away.
        ///
        /// - Parameter connect: Makes a connection.
        func follow(_ paths: [String], _ connect: () throws -> ArchiveConnection) throws -> ExitCode {
            // What is wrong with the address is reported at once.
            var connection: ArchiveConnection? = try connect()
            var isAway = false
            while true {
                do {
                    let open = try connection ?? connect()
                    connection = open
                    if isAway { tool.console.note("The server is back.") }
                    isAway = false
                    try sendChanged(paths, to: open)
                } catch let error as ArchiveError where Self.concernsAll(error) || connection?.isOpen == false {
                    connection = nil
                    if !isAway { tool.console.note("Waiting for the server: \(Messages.lines(of: error).first ?? "")") }
                    isAway = true
                }
                guard TerminationSignal.wait(milliseconds: 1000, output: tool.outputDescriptor) else { break }
            }
            return TerminationSignal.received == nil ? .fine : .interrupted
        }

        private func sendChanged(_ paths: [String], to connection: ArchiveConnection) throws {
            for file in existing(paths) {
                if TerminationSignal.received != nil, tool.isProcess { return }
                let fingerprint = Self.fingerprint(of: file)
                if sent[file] == fingerprint { continue }
                _ = try push(file, to: connection)
                sent[file] = fingerprint
            }
        }

        /// The recordings at the paths. One that is not there yet, and a directory without recordings, may come.
        private func existing(_ paths: [String]) -> [String] {
            paths.flatMap { path in
                FileSystem.exists(path) ? (try? Tool.recordings(below: [path])) ?? [] : []
            }
        }

        private static func fingerprint(of file: String) -> Fingerprint {
            ([""] + SidecarFiles.suffixes).flatMap { suffix in
                var status = stat()
                guard stat(file + suffix, &status) == 0 else { return [Int64](repeating: -1, count: 4) }
                #if canImport(Darwin)
                    let time = status.st_mtimespec
                #else
                    let time = status.st_mtim
                #endif
                return [Int64(status.st_size), Int64(time.tv_sec), Int64(time.tv_nsec), Int64(status.st_ino)]
            }
        }
    }
#endif
