/// Lets tasks wait until a test opens it; a task that is cancelled goes on at once.
final class Gate: Sendable {
    private let stream: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init() {
        (stream, continuation) = AsyncStream.makeStream(of: Void.self)
    }

    func open() { continuation.finish() }

    func wait() async {
        for await _ in stream {}
    }
}
