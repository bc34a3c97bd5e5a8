import Dispatch

/// A state that may hold up the writer.
struct Held: Codable, Sendable {
    var text: String
    var gate: WriterGate?

    enum CodingKeys: CodingKey { case text }

    /// The texts of two successive lengths have no character in common.
    init(length: Int, gate: WriterGate? = nil) {
        text = String(repeating: length.isMultiple(of: 2) ? "x" : "y", count: length)
        self.gate = gate
    }

    func encode(to encoder: any Encoder) throws {
        gate?.pass()
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(text, forKey: .text)
    }
}

/// Holds up the writer where it encodes a state, until the gate is opened.
final class WriterGate: Sendable {
    private let arrived = DispatchSemaphore(value: 0)
    private let opened = DispatchSemaphore(value: 0)
    private let onArrival: @Sendable () -> Void

    /// - Parameter onArrival: Runs on the writer's thread, each time that it comes.
    init(onArrival: @escaping @Sendable () -> Void = {}) {
        self.onArrival = onArrival
    }

    func pass() {
        onArrival()
        arrived.signal()
        opened.wait()
        opened.signal()
    }

    /// Whether the writer came within a minute.
    func waitForWriter() -> Bool { arrived.wait(timeout: .now() + 60) == .success }

    func open() { opened.signal() }
}
