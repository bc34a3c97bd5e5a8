#if Live || Archive
    import CServer
    import Foundation
    import HindsightSupport

    /// A server for HTTP on one thread of its own, while it exists.
    final class HTTPServer: Sendable {
        struct Response: Sendable {
            var status: Int
            var headers: [(name: String, value: String)] = []
            var body = ""
        }

        /// Passes on the reply to a request; called once, on any thread, after or before the request's call returns.
        typealias Reply = @Sendable (Response?) -> Void

        private let server: Server
        let port: UInt16

        /// What C has: a server and the context of its calls, which lives as long.
        private struct Server: @unchecked Sendable {
            let pointer: OpaquePointer
            let context: Unmanaged<Handler>
        }

        private final class Handler: Sendable {
            let waits: Bool
            let answer: @Sendable (HTTPRequest, @escaping Reply) -> Void

            init(_ waits: Bool, _ answer: @escaping @Sendable (HTTPRequest, @escaping Reply) -> Void) {
                (self.waits, self.answer) = (waits, answer)
            }
        }

        /// A reply of C, which another thread may send.
        private struct Pending: @unchecked Sendable {
            let reply: OpaquePointer
            let waits: Bool

            func send(_ response: Response?) {
                if var response {
                    hindsight_reply_status(reply, Int32(response.status))
                    response.body.withUTF8 { hindsight_reply_body(reply, $0.baseAddress, $0.count) }
                    for (name, value) in response.headers { hindsight_reply_header(reply, name, value) }
                }
                if waits { hindsight_reply_send(reply) }
            }
        }

        /// - Parameters:
        ///   - address: A numeric address.
        ///   - options: The port and the limits.
        ///   - answer: Called on the server's thread for each request. The connection of a request without a response
        ///     ends.
        /// - Throws: The system's error if the server cannot listen.
        init(
            at address: String,
            _ options: hindsight_options,
            answer: @escaping @Sendable (HTTPRequest, @escaping Reply) -> Void
        ) throws(SystemError) {
            let context = Unmanaged.passRetained(Handler(options.waits != 0, answer))
            let pointer = address.withCString { address in
                var options = options
                options.address = address
                return hindsight_server_start(&options, { HTTPServer.answer($0, $1, $2) }, context.toOpaque())
            }
            guard let pointer else {
                let error = SystemError.last
                context.release()
                throw error
            }
            server = Server(pointer: pointer, context: context)
            port = hindsight_server_port(pointer)
        }

        deinit {
            hindsight_server_stop(server.pointer)
            server.context.release()
        }

        /// Ends the connections of requests that take too long to arrive. Call it about once a second.
        func endSlowRequests() { hindsight_server_end_slow(server.pointer) }

        /// Takes no more connections. All requests must be answered before the server is released.
        func stopListening() { hindsight_server_quiesce(server.pointer) }

        /// Waits until the replies have gone, for a second at most.
        func waitForReplies() {
            for _ in 0..<20 where hindsight_server_waiting(server.pointer) > 0 { usleep(50_000) }
        }

        private static func answer(
            _ context: UnsafeMutableRawPointer?,
            _ request: UnsafePointer<hindsight_request>?,
            _ reply: OpaquePointer?
        ) {
            guard let context, let raw = request?.pointee, let reply else { return }
            func text(_ pointer: UnsafePointer<CChar>?) -> String? { pointer.map { String(cString: $0) } }
            var request = HTTPRequest(
                text(raw.method) ?? "",
                text(raw.path) ?? "",
                after: text(raw.after),
                host: text(raw.host),
                origin: text(raw.origin)
            )
            (request.authorization, request.encoding) = (text(raw.authorization), text(raw.encoding))
            request.body = Array(UnsafeBufferPointer(start: raw.body, count: raw.count))
            let handler = Unmanaged<Handler>.fromOpaque(context).takeUnretainedValue()
            handler.answer(request, Pending(reply: reply, waits: handler.waits).send)
        }
    }
#endif
