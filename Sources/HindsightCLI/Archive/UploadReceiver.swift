#if Archive
    import Foundation
    import HindsightArchive
    import HindsightFormat
    import HindsightRecording
    import HindsightSupport
    import HindsightTree

    /// What a receiver takes.
    struct UploadLimits: Sendable {
        /// The largest recording with the files beside it, in bytes.
        var recording = 256 << 20
        /// The size of all recordings of an app that are on their way, in bytes.
        var pending = 4 << 30
        /// How many bytes may come in a second with one token.
        var rate = 16 << 20

        /// The largest recording that ever has room, in bytes.
        var largest: Int { min(recording, pending) }

        /// The largest body of a request, in bytes: a manifest has 67 bytes a part, and deflating makes some parts larger.
        var body: Int {
            max(UploadManifest.partBytes + 4096, (largest / UploadManifest.partBytes + 8) * 67 + 4096)
        }
    }

    /// The answer to a request of a device.
    struct UploadReply: Sendable {
        var status: Int
        var body: Node = [:]
        /// When to ask again, in seconds.
        var retryAfter: Int?
        /// What to tell the receiver's operator.
        var report: Report?

        enum Report: Sendable {
            case ended(UploadOutcome, name: String, app: String, device: String, actions: Int)
            /// The archive could not be reached, or failed.
            case failed(String)
        }

        /// An answer after which a device does not send the recording again with its token.
        static func refusal(_ status: Int, _ reason: String, report: Report? = nil) -> UploadReply {
            UploadReply(status: status, body: ["outcome": "refused", "error": .string(reason)], report: report)
        }

        static func failure(
            _ status: Int,
            _ message: String,
            retryAfter: Int? = nil,
            report: Report? = nil
        ) -> UploadReply {
            UploadReply(status: status, body: ["error": .string(message)], retryAfter: retryAfter, report: report)
        }
    }

    /// What all workers of a receiver share.
    final class UploadTraffic: Sendable {
        let limits: UploadLimits
        /// How many uploads may be unpacked and pushed at once, which takes memory and room on the disk.
        private let maxFinishing: Int
        private let finishing = Locked<Set<[UInt8]>>([])
        /// When each token may send again, in seconds of the monotonic clock.
        private let next = Locked<[Int: Double]>([:])

        init(limits: UploadLimits, maxFinishing: Int) {
            (self.limits, self.maxFinishing) = (limits, maxFinishing)
        }

        /// Returns `false` if as many as possible are being finished, or this one is: a device did not wait for its answer.
        func beginFinishing(_ id: [UInt8]) -> Bool {
            finishing.withLock { $0.count < maxFinishing && $0.insert(id).inserted }
        }

        func endFinishing(_ id: [UInt8]) { finishing.withLock { _ = $0.remove(id) } }

        /// Counts bytes, unless too many came within the last second. Then it returns for how many seconds to wait.
        func delay(_ bytes: Int, with token: Int) -> Int? {
            let now = Double(SystemClock.monotonic) / 1e9
            return next.withLock { next in
                if next.count > 100_000 { next = next.filter { $0.value > now } }
                let free = max(next[token] ?? now, now)
                if free > now + 1 { return Int((free - now).rounded(.up)) }
                next[token] = free + Double(bytes) / Double(max(1, limits.rate))
                return nil
            }
        }
    }

    /// Answers requests of devices that send recordings, and puts these into an archive. Use each from one thread.
    ///
    /// - `PUT /v1/uploads/ID`, a manifest, where ID is its SHA-256: `202` with the hashes of the parts that are missing,
    ///   or, as soon as none is, `200` with what became of the recording, or `422` if it was refused for good.
    /// - `PUT /v1/uploads/ID/HASH`, a part: `204` as soon as the archive has it. It may be deflated (`Content-Encoding:
    ///   deflate`).
    /// - `GET /health`: `200` if the server of the archive answers.
    ///
    /// Each may be repeated. `401` and `403` ask for another token; `429` and `503` say by `Retry-After` when to come again.
    /// Nothing is acknowledged before PostgreSQL has it.
    final class UploadReceiver {
        private let url: String
        private let timeout: Duration
        private let traffic: UploadTraffic
        private let folder: String
        private var connection: ArchiveConnection?

        /// - Parameter folder: Where the files of a recording are put together.
        init(_ url: String, timeout: Duration, traffic: UploadTraffic, folder: String) {
            (self.url, self.timeout, self.traffic, self.folder) = (url, timeout, traffic, folder)
        }

        func reply(to request: HTTPRequest) -> UploadReply {
            do {
                let connection = try open()
                return try reply(to: request, by: connection)
            } catch let error as ArchiveError {
                if connection?.isOpen != true { connection = nil }
                return Self.reply(to: error)
            } catch {
                // Of this recording alone, as far as is known.
                return .failure(500, "The receiver failed.", report: .failed("\(error)"))
            }
        }

        private func open() throws(ArchiveError) -> ArchiveConnection {
            if let connection, connection.isOpen { return connection }
            connection = nil
            let opened = try ArchiveConnection(url, timeout: timeout) { TerminationSignal.received != nil }
            try opened.checkArchive()
            connection = opened
            return opened
        }

        private static func reply(to error: ArchiveError) -> UploadReply {
            if case .server(let state) = error.kind, state.hasPrefix("22") {
                return .refusal(422, "It has a value that PostgreSQL does not take.", report: .failed(error.message))
            }
            // The token was removed since it was looked up.
            if error.kind == .server(sqlstate: "23503") { return .failure(401, "The token is not known.") }
            if case .server(let state) = error.kind, ["23", "54"].contains(state.prefix(2)), state != "23514" {
                // Of this recording alone.
                return .failure(500, "The archive does not take it.", report: .failed(error.message))
            }
            var reply = UploadReply.failure(503, "The archive takes nothing now.", retryAfter: error.isPassing ? 5 : 60)
            switch error.kind {
            case .full: reply.retryAfter = 300
            case .interrupted, .conflict: reply.retryAfter = 1
            default: break
            }
            let advice =
                error.kind == .full
                ? " --max-pending allows more. An upload that is not continued is removed after a day." : ""
            if error.kind != .interrupted { reply.report = .failed(error.message + advice) }
            return reply
        }

        /// Removes uploads that were not continued. Does nothing while the server is away.
        func tidy() { try? open().tidyUploads() }

        private func reply(to request: HTTPRequest, by connection: ArchiveConnection) throws -> UploadReply {
            let words = request.path.split(separator: "/", omittingEmptySubsequences: false).dropFirst().map(
                String.init
            )
            if words == ["health"] {
                guard ["GET", "HEAD"].contains(request.method) else { return .failure(405, "Only GET is possible.") }
                try connection.run("SELECT 1")
                return UploadReply(status: 200, body: ["ok": true])
            }
            guard words.count == 3 || words.count == 4, words[0] == "v1", words[1] == "uploads" else {
                return .failure(404, "There is nothing here.")
            }
            guard request.method == "PUT" else { return .failure(405, "Only PUT is possible.") }
            guard let text = Self.bearer(request.authorization), let token = try connection.token(text) else {
                return .failure(401, "The token is not known.")
            }
            if let delay = traffic.delay(request.body.count, with: token.number) {
                return .failure(429, "Too much at once.", retryAfter: delay)
            }
            guard let id = UploadManifest.bytes(words[2]) else {
                return .failure(404, "An upload is named by 64 hexadecimal digits.")
            }
            if words.count == 3 { return try upload(id, request.body, token, connection) }
            guard let hash = UploadManifest.bytes(words[3]) else {
                return .failure(404, "A part is named by 64 hexadecimal digits.")
            }
            return try part(hash, request, of: id, token, connection)
        }

        private static func bearer(_ header: String?) -> String? {
            guard let header, header.prefix(7).lowercased() == "bearer " else { return nil }
            return header.dropFirst(7).trimmingCharacters(in: .whitespaces)
        }

        private func part(
            _ hash: [UInt8],
            _ request: HTTPRequest,
            of id: [UInt8],
            _ token: UploadToken,
            _ connection: ArchiveConnection
        ) throws -> UploadReply {
            let isDeflated = request.encoding == "deflate"
            guard isDeflated || [nil, "", "identity"].contains(request.encoding) else {
                return .failure(415, "A part comes as it is, or deflated.")
            }
            guard
                let part = isDeflated
                    ? try Inflater.inflate(request.body, limit: UploadManifest.partBytes) : request.body,
                part.count <= UploadManifest.partBytes, SHA256.digest(of: part) == hash
            else { return .failure(400, "The part does not match its hash.") }
            let body = isDeflated ? request.body : try Deflater.deflate(part)
            guard try connection.addPart(body, hash: hash, of: id, app: token.app) else {
                return .failure(409, "The upload has not begun, or has all its parts. Send the manifest.")
            }
            return UploadReply(status: 204)
        }

        private func upload(
            _ id: [UInt8],
            _ body: [UInt8],
            _ token: UploadToken,
            _ connection: ArchiveConnection
        ) throws -> UploadReply {
            guard SHA256.digest(of: body) == id, let manifest = UploadManifest(text: body) else {
                return .failure(400, "This is no manifest, or does not match its hash.")
            }
            guard manifest.bytes <= traffic.limits.largest else {
                return .failure(413, "The recording is larger than \(traffic.limits.largest) bytes.")
            }
            switch try connection.upload(manifest, id: id, with: token, maxPending: traffic.limits.pending) {
            case .ended(let outcome): return Self.reply(outcome)
            case .missing(let missing) where !missing.isEmpty:
                return UploadReply(status: 202, body: ["missing": .array(missing.map(Node.string))])
            case .missing:
                guard traffic.beginFinishing(id) else {
                    return .failure(503, "The receiver is busy.", retryAfter: 1)
                }
                defer { traffic.endFinishing(id) }
                return try finish(manifest, id, token, connection)
            }
        }

        private func finish(
            _ manifest: UploadManifest,
            _ id: [UInt8],
            _ token: UploadToken,
            _ connection: ArchiveConnection
        ) throws -> UploadReply {
            let place = "\(folder)/\(UUID().uuidString)\(RunName.suffix)"
            defer { TemporaryFolder.removeRecording(place) }
            let isWhole: Bool
            do {
                // What cleans temporary folders may have removed it.
                try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
                isWhole = try connection.writeFiles(of: manifest, id: id, app: token.app, to: place)
            } catch {
                if error is ArchiveError { throw error }
                let reason = (error as? SystemError)?.description ?? error.localizedDescription
                let report =
                    "\(manifest.name) of \(token.app) could not be unpacked in \(folder), free space there or set TMPDIR: \(reason)"
                return .failure(503, "The receiver has no room.", retryAfter: 60, report: .failed(report))
            }
            var outcome = UploadOutcome(outcome: "refused", reason: "Its files are not as long as its manifest says.")
            var (device, actions) = ("", 0)
            func reported(_ reply: UploadReply) -> UploadReply {
                var reply = reply
                reply.report = .ended(outcome, name: manifest.name, app: token.app, device: device, actions: actions)
                return reply
            }
            do {
                if isWhole {
                    let recording = try open(place)
                    device = token.installation ?? recording.app.installation
                    if let reason = Self.mismatch(of: recording, token) {
                        // Another token changes it.
                        try connection.end(nil, of: id, app: token.app)
                        outcome.reason = reason
                        return reported(.refusal(403, reason))
                    }
                    let push = try connection.pushing { try connection.push(recording, device: device) }
                    outcome = UploadOutcome(outcome: push.outcome.rawValue, recording: push.key.id)
                    actions = push.actions
                }
            } catch let error as ArchiveError where error.kind == .otherRecording {
                outcome.reason = error.message
            } catch let error as DamagedRecording {
                outcome.reason = "It is damaged: \(error.reason)."
            } catch let error as RecordingError where Self.permanent.contains(error.code) {
                outcome.reason = error.description.replacing(place, with: manifest.name)
            } catch let error as RecordingError where error.code == .newerFormat {
                let report = "\(manifest.name) has a newer format. Update this receiver."
                return .failure(501, "The receiver is too old for it.", report: .failed(report))
            }
            try connection.end(outcome, of: id, app: token.app)
            return reported(Self.reply(outcome))
        }

        /// What another attempt does not change. A newer receiver may read a newer format.
        private static let permanent: [RecordingError.Code] = [.notARecording, .empty, .damaged]

        /// A recording whose process has ended. What its recorder had not merged is merged.
        private func open(_ place: String) throws(RecordingError) -> Recording {
            // It is closed again, because a recovery waits for readers.
            func needsRecovery() throws(RecordingError) -> Bool {
                try !Recording(at: URL(filePath: place)).sidecarFiles.isEmpty
            }
            // It can be read without a recovery, too.
            if try needsRecovery() { _ = try? Recording.recover(at: URL(filePath: place)) }
            return try Recording(at: URL(filePath: place))
        }

        /// Why a recording does not come with a token; `nil` if it does.
        private static func mismatch(of recording: Recording, _ token: UploadToken) -> String? {
            let app = recording.app.name
            if app != token.app { return "It is of the app \(app), and the token of \(token.app)." }
            let installation = recording.app.installation
            guard let own = token.installation, !installation.isEmpty, installation != own else { return nil }
            return "It is of the installation \(installation), and the token of \(own)."
        }

        private static func reply(_ outcome: UploadOutcome) -> UploadReply {
            if outcome.outcome == "refused" {
                return .refusal(422, outcome.reason ?? "It was refused.")
            }
            return UploadReply(
                status: 200,
                body: [
                    "outcome": .string(outcome.outcome),
                    "recording": .optional(outcome.recording.map(Node.string)),
                ]
            )
        }
    }
#endif
