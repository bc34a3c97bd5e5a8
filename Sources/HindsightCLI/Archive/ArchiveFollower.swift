#if Archive
    import Foundation
    import HindsightArchive
    import HindsightFormat
    import HindsightRecording
    import HindsightSupport

    /// Sends recordings as they grow, and new ones as they come, until a signal arrives.
    final class ArchiveFollower {
        private let pusher: ArchivePusher
        private let tool: Tool
        private let paths: [String]
        private var sent: [String: Sent] = [:]

        /// The state of a file and the files beside it, to see whether it has changed.
        private typealias Fingerprint = [FileFingerprint?]

        /// A file that was sent.
        private struct Sent {
            var fingerprint: Fingerprint
            /// Whether a recorder was writing it. Nothing in the files shows that its process has ended.
            var isOpen: Bool
            /// How often in a row the server did not take it, for a reason that may pass.
            var refusals = 0
            /// When it may be sent again.
            var next: ContinuousClock.Instant
        }

        /// A push takes at most this part of the time.
        private static let share = 5
        /// The retry delay. It grows each time.
        private static func pause(after refusals: Int) -> Duration { .seconds(min(1 << refusals, 300)) }

        init(pusher: ArchivePusher, tool: Tool, paths: [String]) {
            (self.pusher, self.tool, self.paths) = (pusher, tool, paths)
        }

        /// - Parameter connect: Makes a connection, again if the server was away.
        func run(_ connect: () throws -> ArchiveConnection) throws -> ExitCode {
            // What is wrong with the address is reported at once.
            var connection: ArchiveConnection? = try connect()
            var isAway = false
            repeat {
                do {
                    let open = try connection ?? connect()
                    connection = open
                    if isAway { tool.console.note("The server is back.") }
                    isAway = false
                    try sendChanged(to: open)
                } catch let error as ArchiveError where error.kind == .interrupted {
                    break
                } catch let error as ArchiveError where ArchivePusher.concernsAll(error) || connection?.isOpen == false
                {
                    connection = nil
                    if !isAway { tool.console.note("Waiting for the server: \(Messages.lines(of: error).first ?? "")") }
                    isAway = true
                }
            } while TerminationSignal.wait(milliseconds: 1000, output: tool.outputDescriptor)
            return TerminationSignal.code ?? .fine
        }

        private func sendChanged(to connection: ArchiveConnection) throws {
            for file in existing {
                if TerminationSignal.received != nil { return }
                // Before the push, so that what comes meanwhile is a change.
                let fingerprint = Self.fingerprint(of: file)
                guard needsPush(file, fingerprint), hasBegun(file) else { continue }
                let begun = ContinuousClock.now
                var isOpen = false
                var refusals = 0
                _ = try pusher.push(file, to: connection) { result in
                    switch result {
                    case .success(let push): isOpen = !push.isComplete
                    case .failure(let error as ArchiveError):
                        refusals = error.kind == .otherRecording ? 0 : min(sent[file]?.refusals ?? 0, 10) + 1
                    case .failure: break
                    }
                }
                let now = ContinuousClock.now
                let next = now + (refusals > 0 ? Self.pause(after: refusals) : (now - begun) * Self.share)
                sent[file] = Sent(fingerprint: fingerprint, isOpen: isOpen, refusals: refusals, next: next)
            }
            tool.console.output.flush()
        }

        private func needsPush(_ file: String, _ fingerprint: Fingerprint) -> Bool {
            guard let sent = sent[file] else { return true }
            let isTime = ContinuousClock.now >= sent.next
            if sent.refusals > 0, isTime { return true }
            if sent.fingerprint != fingerprint { return isTime || hasEnded(file) }
            return sent.isOpen && hasEnded(file)
        }

        /// Whether there is anything to send. Other errors are reported by the push.
        private func hasBegun(_ file: String) -> Bool {
            do {
                _ = try Recording(at: URL(filePath: file))
                return true
            } catch {
                return error.code != .empty && error.code != .notFound
            }
        }

        private func hasEnded(_ file: String) -> Bool {
            // One that cannot be opened is reported by its push.
            guard let recording = try? Recording(at: URL(filePath: file)) else { return true }
            return recording.ending != .open(live: true)
        }

        /// The recordings at the paths. One that is not there yet, and a directory without recordings, may come.
        private var existing: [String] {
            paths.flatMap { path in
                FileSystem.exists(path) ? (try? Tool.recordings(below: [path])) ?? [] : []
            }
        }

        private static func fingerprint(of file: String) -> Fingerprint {
            ([""] + SidecarFiles.suffixes).map { FileFingerprint(of: file + $0) }
        }
    }
#endif
