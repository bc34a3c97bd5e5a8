import Foundation
import HindsightSupport

/// An open file, read and written with system calls, which do not wait to fill a buffer.
final class Descriptor {
    let number: Int32

    /// Opens a file for reading. Fails for a directory.
    init(reading path: String) throws(SystemError) {
        number = open(path, O_RDONLY | O_CLOEXEC)
        guard number >= 0 else { throw .last }
        var status = stat()
        guard fstat(number, &status) == 0 else { throw .last }
        guard status.st_mode & S_IFMT != S_IFDIR else { throw SystemError(number: EISDIR) }
    }

    deinit {
        if number >= 0 { close(number) }
    }

    /// Opens those of the three standard descriptors that are closed. Otherwise the next file to be opened, maybe the
    /// recording itself, would get the number, and the tool would read input from it or write output into it.
    ///
    /// Reading from such a descriptor, or writing to it, still fails.
    static func openMissingStandardStreams() {
        for (number, unusable) in [(Int32(0), O_WRONLY), (1, O_RDONLY), (2, O_RDONLY)]
        where fcntl(number, F_GETFD) == -1 {
            // `open` takes the lowest free number.
            _ = open("/dev/null", unusable)
        }
    }

    /// Reads available bytes, at least one; 0 at the end.
    static func read(_ number: Int32, into bytes: UnsafeMutableRawBufferPointer) -> Result<Int, SystemError> {
        transfer(number, for: POLLIN) {
            HindsightSupport.read(number, bytes.baseAddress, bytes.count)
        }
    }

    /// The bytes of a descriptor, which also end with the reader of the output, or when `isOver` is true after a signal.
    static func source(
        _ number: Int32,
        output: Int32,
        isOver: @escaping () -> Bool
    ) -> (UnsafeMutableRawBufferPointer) -> Result<Int, SystemError> {
        { buffer in
            // A signal that arrives just before the wait is seen after the time.
            while !isOver(), let isReady = hasInput(number, output: output, milliseconds: 500) {
                if isReady { return read(number, into: buffer) }
            }
            return .success(0)
        }
    }

    /// Waits for something to read, or the end of it, for some time. A signal ends the wait.
    ///
    /// - Parameters:
    ///   - number: A descriptor; -1 for none, as the system skips negative numbers.
    ///   - output: The descriptor of the output, likewise.
    /// - Returns: Whether there is something; `nil` if the output has lost its reader.
    static func hasInput(_ number: Int32, output: Int32 = -1, milliseconds: Int32) -> Bool? {
        var entries = [
            pollfd(fd: number, events: Int16(POLLIN), revents: 0), pollfd(fd: output, events: 0, revents: 0),
        ]
        guard poll(&entries, 2, milliseconds) >= 0 || errno == EINTR else { return nil }
        if entries[1].revents & Int16(POLLERR | POLLHUP | POLLNVAL) != 0 { return nil }
        return entries[0].revents != 0
    }

    /// Whether the other end of a pipe has gone, now or within some time. What was written into it may still be there.
    static func hasLostPeer(_ number: Int32, milliseconds: Int32 = 0) -> Bool {
        hasInput(-1, output: number, milliseconds: milliseconds) == nil
    }

    /// Writes as many bytes as there is room for, at least one.
    static func write(_ number: Int32, from bytes: UnsafeRawBufferPointer) -> Result<Int, SystemError> {
        transfer(number, for: POLLOUT) {
            HindsightSupport.write(number, bytes.baseAddress, bytes.count)
        }
    }

    /// Calls `action` on a new thread when standard input ends: in a child process, when its parent has ended.
    static func onEndOfInput(_ action: @escaping @Sendable () -> Void) {
        Thread.detachNewThread {
            var byte: UInt8 = 0
            while case .success(1...) = withUnsafeMutableBytes(of: &byte, { read(STDIN_FILENO, into: $0) }) {}
            action()
        }
    }

    /// Repeats a call that a signal interrupted, or for which a non-blocking file was not ready.
    private static func transfer(
        _ number: Int32,
        for event: some BinaryInteger,
        _ call: () -> Int
    ) -> Result<Int, SystemError> {
        while true {
            let count = call()
            if count >= 0 { return .success(count) }
            let error = SystemError.last
            switch error.number {
            case EINTR:
                continue
            case EAGAIN:
                var request = pollfd(fd: number, events: Int16(event), revents: 0)
                poll(&request, 1, -1)
            default:
                return .failure(error)
            }
        }
    }
}
