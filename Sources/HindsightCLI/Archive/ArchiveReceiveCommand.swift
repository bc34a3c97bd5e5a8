#if Archive
    import CServer
    import Foundation
    import HindsightArchive
    import HindsightSupport
    import HindsightTree

    /// `hindsight archive receive URL`
    enum ArchiveReceiveCommand: Command {
        static let listen = Option<Endpoint>(
            "listen",
            value: "[ADDRESS:]PORT",
            expected: "a port, or a numeric address and a port, such as 0.0.0.0:7411 or [::1]:7411",
            help: "Where to listen; 127.0.0.1:7411 by default. Port 0 takes a free one."
        ) { Endpoint($0) }
        static let maxRecording = size(
            "max-recording",
            "The largest recording that is taken; 256 MB by default. It is never more than --max-pending."
        )
        static let maxPending = size(
            "max-pending",
            "How many bytes of one app's unfinished uploads are kept; 4096 MB by default."
        )
        static let maxRate = size("max-rate", "How much may come in a second with one token; 16 MB by default.")
        static let workers = Option<Int>(
            "workers",
            value: "NUMBER",
            from: 1,
            to: 64,
            help: "How many requests are answered at once, each with a connection to the server; 4 by default."
        )

        private static func size(_ name: String, _ help: String) -> Option<Int> {
            Option<Int>(name, value: "MB", expected: "a whole number of megabytes from 1 to 1048576", help: help) {
                Int($0).flatMap { 1...1_048_576 ~= $0 ? $0 << 20 : nil }
            }
        }

        static let syntax = Syntax(
            "archive receive",
            abstract: "Receives recordings from devices over HTTP, and puts them into an archive",
            discussion: """
                Apps send their finished recordings by RecordingUploader of HindsightUpload, each with a token that archive
                token makes. An upload that was interrupted continues where it stopped. A device is told that a recording
                is there only after PostgreSQL has all of it. If PostgreSQL cannot take it now, the device sends it again later.
                A damaged recording is refused for good, and one of another app than the token's until the device has another
                token. Both stay on the device.
                Requests come without TLS: put a proxy in front that ends it, such as nginx or Caddy, and let it
                buffer requests. GET /health answers 200 while the server of the archive does.
                The role must be a member of hindsight_receive, with a row in hindsight.access for each app.

                \(ArchiveArguments.discussion)
                """,
            arguments: [
                ArchiveArguments.url, listen, maxRecording, maxPending, maxRate, workers, ArchiveArguments.timeout,
            ],
            examples: [
                "archive receive postgres://db/fleet": "On this machine, behind a proxy.",
                "archive receive postgres://db/fleet --listen 0.0.0.0:7411 --max-recording 64":
                    "From other machines, recordings of up to 64 MB.",
            ],
            jsonShape: """
                {listening (address and port)}; then a line a recording, {outcome (that of archive push, or refused), id, reason (if
                refused), name, app, device, actions}; or {error}
                """
        )

        /// An address and a port.
        struct Endpoint: Sendable {
            var address = "127.0.0.1"
            var port: UInt16 = 7411

            init() {}

            init?(_ text: String) {
                let colon = text.lastIndex(of: ":")
                guard let port = UInt16(colon.map { text[text.index(after: $0)...] } ?? text[...]) else { return nil }
                self.port = port
                guard let colon else { return }
                address = String(text[..<colon])
                if address.hasPrefix("["), address.hasSuffix("]") {
                    address = String(address.dropFirst().dropLast())
                } else if address.contains(":") {
                    return nil
                }
                var bytes = in6_addr()
                guard inet_pton(AF_INET, address, &bytes) == 1 || inet_pton(AF_INET6, address, &bytes) == 1 else {
                    return nil
                }
            }
        }

        static func run(_ arguments: Arguments, in tool: Tool) throws -> ExitCode {
            var limits = UploadLimits()
            limits.recording = try arguments[maxRecording] ?? limits.recording
            limits.pending = try arguments[maxPending] ?? limits.pending
            limits.rate = try arguments[maxRate] ?? limits.rate
            let endpoint = try arguments[listen] ?? Endpoint()
            TerminationSignal.observe()
            // What is wrong with the address or the role is told at once.
            try ArchiveArguments.connect(arguments, tool, needsApp: true).checkReceiving()
            let folder = try TemporaryFolder(named: "hindsight-receive-")
            defer { folder.remove() }
            let pool = try UploadPool(
                try arguments.require(ArchiveArguments.url),
                timeout: .seconds(try arguments[ArchiveArguments.timeout] ?? 30),
                limits: limits,
                count: try arguments[workers] ?? 4,
                folder: folder.path
            )
            return try serve(endpoint, pool, arguments[GlobalOptions.json], tool)
        }

        private static func serve(
            _ endpoint: Endpoint,
            _ pool: UploadPool,
            _ asJSON: Bool,
            _ tool: Tool
        ) throws -> ExitCode {
            ResourceLimit.allowOpenFiles(Int(UploadPool.maxConnections) + 256)
            let server: HTTPServer
            do {
                server = try HTTPServer(at: endpoint.address, pool.options(endpoint.port), answer: pool.add)
            } catch {
                pool.end()
                throw Failure(
                    .badFile,
                    "No server could be started on \(escape(endpoint.address)) port \(endpoint.port): \(error).",
                    "--listen chooses another port."
                )
            }
            let place =
                endpoint.address.contains(":")
                ? "[\(endpoint.address)]:\(server.port)" : "\(endpoint.address):\(server.port)"
            if asJSON {
                tool.console.print(json: ["listening": .string(place)])
            } else {
                tool.console.print("Receiving on http://\(place) until you press Ctrl-C.")
            }
            tool.console.output.flush()
            while TerminationSignal.wait(milliseconds: 1000, output: tool.outputDescriptor) {
                server.endSlowRequests()
                for report in pool.takeReports() { print(report, asJSON, tool) }
                tool.console.output.flush()
            }
            server.stopListening()
            pool.end()
            server.waitForReplies()
            for report in pool.takeReports() { print(report, asJSON, tool) }
            return TerminationSignal.code ?? .fine
        }

        private static func print(_ report: UploadReply.Report, _ asJSON: Bool, _ tool: Tool) {
            switch report {
            case .failed(let message):
                if asJSON { return tool.console.print(json: ["error": .string(message)]) }
                tool.console.note("error: \(escape(message))")
            case .ended(let outcome, let name, let app, let device, let actions):
                if asJSON {
                    return tool.console.print(json: [
                        "outcome": .string(outcome.outcome), "id": .optional(outcome.recording.map(Node.string)),
                        "reason": .optional(outcome.reason.map(Node.string)), "name": .string(name),
                        "app": .string(app), "device": .string(device), "actions": .int(actions),
                    ])
                }
                var line = "\(outcome.outcome)  \(outcome.recording ?? "-")  \(escape(name))  \(escape(app))"
                if !device.isEmpty { line += " \(escape(device))" }
                line += outcome.reason.map { "  \(escape($0))" } ?? "  \(Quantities.counted(actions, "action"))"
                tool.console.print(line)
            }
        }
    }

    /// The threads that answer requests of devices, each with a connection of its own.
    final class UploadPool: Sendable {
        private typealias Job = (request: HTTPRequest, reply: HTTPServer.Reply)

        private struct Queue {
            var jobs: [Job] = []
            var isEnding = false
        }

        private let limits: UploadLimits
        private let queue = Locked(Queue())
        private let pending = DispatchSemaphore(value: 0)
        private let reports = Locked<[UploadReply.Report]>([])
        private let workers = DispatchGroup()
        private let count: Int
        /// When a worker looks for uploads that were not continued: with the next request, and then each hour.
        private let nextTidying = Locked(ContinuousClock.now)

        static let maxConnections: UInt32 = 2048
        /// The size of all bodies in memory, in bytes.
        private static let maxBuffered = 32 << 20
        /// The number of uploads that are put together and pushed at once.
        private static let maxFinishing = 2
        /// Reports are printed once a second. If more come, such as while the server is away, the rest is left out.
        private static let maxReports = 1000

        init(_ url: String, timeout: Duration, limits: UploadLimits, count: Int, folder: String) throws {
            self.limits = limits
            self.count = count
            let traffic = UploadTraffic(limits: limits, maxFinishing: max(1, min(Self.maxFinishing, count - 1)))
            for _ in 0..<count {
                workers.enter()
                do {
                    try BackgroundThread.start { [workers] in
                        self.run(UploadReceiver(url, timeout: timeout, traffic: traffic, folder: folder))
                        workers.leave()
                    }
                } catch {
                    workers.leave()
                    end()
                    throw error
                }
            }
        }

        func options(_ port: UInt16) -> hindsight_options {
            var options = hindsight_options()
            (options.port, options.waits) = (port, 1)
            (options.max_body, options.max_buffered) = (limits.body, Self.maxBuffered)
            (options.max_connections, options.max_waiting, options.max_seconds) = (Self.maxConnections, 1024, 60)
            return options
        }

        func add(_ request: HTTPRequest, _ reply: @escaping HTTPServer.Reply) {
            let isTaken = queue.withLock { queue in
                if !queue.isEnding { queue.jobs.append((request, reply)) }
                return !queue.isEnding
            }
            if isTaken { pending.signal() } else { send(UploadReply(status: 503, retryAfter: 5), reply) }
        }

        private func run(_ receiver: UploadReceiver) {
            while true {
                pending.wait()
                let now = ContinuousClock.now
                let isTime = nextTidying.withLock { next in
                    defer { if now >= next { next = now + .seconds(3600) } }
                    return now >= next
                }
                if isTime { receiver.tidy() }
                let next = queue.withLock { $0.jobs.isEmpty ? nil : ($0.jobs.removeFirst(), $0.isEnding) }
                guard let (job, isEnding) = next else { return }
                let reply = isEnding ? UploadReply(status: 503, retryAfter: 5) : receiver.reply(to: job.request)
                if let report = reply.report {
                    reports.withLock { if $0.count < Self.maxReports { $0.append(report) } }
                }
                send(reply, job.reply)
            }
        }

        private func send(_ reply: UploadReply, _ send: HTTPServer.Reply) {
            var headers = [("Content-Type", "application/json"), ("Cache-Control", "no-store")]
            if let seconds = reply.retryAfter { headers.append(("Retry-After", "\(seconds)")) }
            if reply.status == 401 { headers.append(("WWW-Authenticate", "Bearer")) }
            let body = reply.status == 204 ? "" : reply.body.json + "\n"
            send(HTTPServer.Response(status: reply.status, headers: headers, body: body))
        }

        func takeReports() -> [UploadReply.Report] {
            reports.withLock { all in
                defer { all = [] }
                return all
            }
        }

        /// Answers what waits, and ends the threads. Call it after the server takes no more connections.
        func end() {
            queue.withLock { $0.isEnding = true }
            for _ in 0..<count { pending.signal() }
            workers.wait()
        }
    }
#endif
