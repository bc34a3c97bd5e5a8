import HindsightSupport
import HindsightView

#if Live
    import CLive

    /// Serves a page on this machine while it exists.
    final class LiveServer {
        private let requests = Requests()
        private var server: OpaquePointer?
        private let port: UInt16

        static let isIncluded = true

        /// What the server's thread uses.
        private final class Requests: Sendable {
            let source = Locked<LiveSource?>(nil)
        }

        /// Fails if the system gives no port.
        init?() {
            let context = Unmanaged.passUnretained(requests).toOpaque()
            server = hindsight_server_start(
                { context, request, reply in
                    guard let context, let request, let reply else { return }
                    let requests = Unmanaged<Requests>.fromOpaque(context).takeUnretainedValue()
                    LiveServer.answer(request.pointee, reply, requests.source)
                },
                context
            )
            guard let server else { return nil }
            port = hindsight_server_port(server)
        }

        deinit { server.map { hindsight_server_stop($0) } }

        /// The name and the port under which it is reached.
        var host: String { "127.0.0.1:\(port)" }

        func serve(_ source: LiveSource) { requests.source.withLock { $0 = source } }

        private static func answer(
            _ request: hindsight_request,
            _ reply: UnsafeMutablePointer<hindsight_reply>,
            _ source: Locked<LiveSource?>
        ) {
            func text(_ pointer: UnsafePointer<CChar>?) -> String? { pointer.map { String(cString: $0) } }
            let asked = LiveSource.Request(
                text(request.method) ?? "",
                text(request.path) ?? "",
                after: text(request.after),
                host: text(request.host),
                origin: text(request.origin)
            )
            // One thread answers all requests.
            guard let answer = source.withLock({ $0?.reply(to: asked) }) else { return }
            reply.pointee.status = Int32(answer.status)
            var body = answer.body
            body.withUTF8 { hindsight_reply_body(reply, $0.baseAddress, $0.count) }
            for (name, value) in answer.allHeaders { hindsight_reply_header(reply, name, value) }
        }
    }
#else
    /// The package trait `Live` is off, so there is no server.
    final class LiveServer {
        static let isIncluded = false
        let host = ""

        init?() { return nil }

        func serve(_ source: LiveSource) {}
    }
#endif
