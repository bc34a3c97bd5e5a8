import HindsightTree

/// Does what a ``ModelContextServer`` asks for: starts and stops calls, and sends messages.
final class ModelContextSession {
    private var server: ModelContextServer
    private let calls: ModelContextCalls
    private let send: (String) -> Void
    private let begin = ContinuousClock.now

    /// - Parameter send: Writes a message, which has no line feed.
    init(_ calls: ModelContextCalls, send: @escaping (String) -> Void) {
        (self.calls, self.send) = (calls, send)
        server = ModelContextServer(calls.tools)
    }

    private var now: Duration { ContinuousClock.now - begin }

    /// Whether the input has ended, and all calls have.
    var isOver: Bool { server.isOver }
    /// Whether ``advance()`` must be called soon.
    var isRunning: Bool { calls.isRunning }

    func receive(_ line: ModelContextLines.Line) { perform(server.receive(line, at: now)) }

    func endInput() { server.endInput(at: now) }

    /// Sends the answers of calls that have ended, and the progress of others.
    func advance() {
        for (number, result) in calls.advance() { perform(server.end(number, with: result)) }
        perform(server.tick(at: now))
    }

    /// Ends all processes.
    func close() { calls.close() }

    private func perform(_ effects: [ModelContextServer.Effect]) {
        for effect in effects {
            switch effect {
            case .send(let message): send(message)
            case .start(let number, let tool, let arguments):
                guard let result = calls.start(number, tool, arguments) else { continue }
                perform(server.end(number, with: result))
            case .stop(let number): calls.stop(number)
            }
        }
    }
}
