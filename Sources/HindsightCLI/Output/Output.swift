import Foundation

/// A stream of bytes to a file descriptor or into memory, buffered.
///
/// Writing never throws, so that a command whose answer is its exit code reaches it also when nobody reads on: a reader
/// that closed its end makes ``isOpen`` false, and a command that only prints stops there.
final class Output {
    /// Where the bytes go: takes some of them and returns how many, or the error number.
    typealias Sink = (UnsafeRawBufferPointer) -> Result<Int, POSIXError>

    private let sink: Sink
    private let capacity: Int
    private var buffer: [UInt8] = []
    /// What went wrong while writing; a closed pipe is nothing wrong.
    private(set) var failure: POSIXError?
    /// Whether anybody still takes what is written.
    private(set) var isOpen = true

    init(capacity: Int = 1 << 16, sink: @escaping Sink) {
        self.capacity = capacity
        self.sink = sink
    }

    func write(_ text: String) {
        guard isOpen else { return }
        buffer.append(contentsOf: text.utf8)
        if buffer.count >= capacity { flush() }
    }

    func writeLine(_ text: String) {
        write(text)
        write("\n")
    }

    func write(bytes: some Sequence<UInt8>) {
        guard isOpen else { return }
        buffer.append(contentsOf: bytes)
        if buffer.count >= capacity { flush() }
    }

    /// Hands on what is buffered.
    func flush() {
        var done = 0
        while done < buffer.count, isOpen {
            let result = buffer.withUnsafeBytes { sink(UnsafeRawBufferPointer(rebasing: $0[done...])) }
            switch result {
            case .success(let count):
                done += count
            case .failure(let error):
                isOpen = false
                if error.code != .EPIPE { failure = error }
            }
        }
        buffer.removeAll(keepingCapacity: true)
    }
}

extension Output {
    /// Writes to an open file descriptor.
    convenience init(descriptor: Int32, capacity: Int = 1 << 16) {
        self.init(capacity: capacity) { Descriptor.write(descriptor, from: $0) }
    }
}
