import HindsightSupport

/// A stream of bytes to a file descriptor or into memory, buffered.
///
/// Writing never throws, so a command whose result is its exit code completes even if the reader has closed its end.
/// Then ``isOpen`` is false, and a command that only prints stops.
final class Output {
    /// Takes some of the bytes and returns how many, or the error.
    typealias Sink = (UnsafeRawBufferPointer) -> Result<Int, SystemError>

    private let sink: Sink
    private let capacity: Int
    private var buffer: [UInt8] = []
    /// The error of writing. A closed pipe is not an error.
    private(set) var failure: SystemError?
    /// Called once, before the first bytes are written.
    var willWrite: (() -> Void)?
    /// Whether the other end still accepts bytes.
    private(set) var isOpen = true

    init(capacity: Int = 1 << 16, sink: @escaping Sink) {
        self.capacity = capacity
        self.sink = sink
    }

    func write(_ text: String) { write(bytes: text.utf8) }

    func writeLine(_ text: String) {
        write(text)
        write("\n")
    }

    func write(bytes: some Sequence<UInt8>) {
        guard isOpen else { return }
        buffer.append(contentsOf: bytes)
        if buffer.count >= capacity { flush() }
    }

    /// Writes the buffered bytes.
    func flush() {
        if !buffer.isEmpty, let action = willWrite {
            willWrite = nil
            action()
        }
        var done = 0
        while done < buffer.count, isOpen {
            let result = buffer.withUnsafeBytes { sink(UnsafeRawBufferPointer(rebasing: $0[done...])) }
            switch result {
            case .success(let count):
                done += count
            case .failure(let error):
                isOpen = false
                if error.number != EPIPE { failure = error }
            }
        }
        buffer.removeAll(keepingCapacity: true)
    }

    /// Writes to an open file descriptor.
    convenience init(descriptor: Int32, capacity: Int = 1 << 16) {
        self.init(capacity: capacity) { Descriptor.write(descriptor, from: $0) }
    }
}
