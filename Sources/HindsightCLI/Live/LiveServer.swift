import HindsightSupport
import HindsightView

#if Live
    import CServer

    /// Serves a page on this machine while it exists.
    final class LiveServer {
        private let source: Locked<LiveSource?>
        private let server: HTTPServer

        static let isIncluded = true

        /// - Throws: The system's error if it gives no port.
        init() throws(SystemError) {
            let source = Locked<LiveSource?>(nil)
            self.source = source
            var options = hindsight_options()
            (options.max_connections, options.max_waiting, options.max_seconds) = (16, 64, 30)
            options.max_buffered = 1 << 20
            server = try HTTPServer(at: Self.address, options) { request, reply in
                // One thread answers all requests.
                let answer = source.withLock { $0?.reply(to: request) }
                reply(
                    answer.map { HTTPServer.Response(status: $0.status, headers: $0.allHeaders, body: $0.body) }
                )
            }
        }

        private static let address = "127.0.0.1"

        /// The name and the port under which it is reached.
        var host: String { "\(Self.address):\(server.port)" }

        func serve(_ source: LiveSource) { self.source.withLock { $0 = source } }
    }
#else
    /// The package trait `Live` is off, so there is no server.
    final class LiveServer {
        static let isIncluded = false
        let host = ""

        init() throws(SystemError) {}

        func serve(_ source: LiveSource) {}
    }
#endif
