import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Takes what reducers, and the Swift runtime when they trap, print on the error stream of a replay's own process.
///
/// A trap's message may quote the state, and that comes from a file: so it is shown escaped, and in the report of the
/// crash. The child's own words do not go this way. It is a named pipe, since what a process has written into one is
/// still there when it has died.
final class ErrorRelay {
    /// The variable that tells a child where the pipe is.
    static let variable = "HINDSIGHT_REPLAY_ERRORS"

    let path: String
    private let descriptor: Int32
    private var line: [UInt8] = []
    /// What looks like the message of a trap, and what came after it: shown when it is known whether it was one.
    private var held: [String] = []

    /// Lines of this many bytes are cut up, so that nothing grows without bound.
    private static let longestLine = 1 << 16
    private static let mostHeld = 50

    /// Makes the pipe; `nil` where that cannot be done, and the child's errors are then not looked at.
    init?(at path: String) {
        guard mkfifo(path, 0o600) == 0 else { return nil }
        descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else {
            unlink(path)
            return nil
        }
        self.path = path
    }

    deinit {
        close(descriptor)
        unlink(path)
    }

    /// Passes on what has come, waiting for it some milliseconds.
    func pump(waiting milliseconds: Int32, _ show: (String) -> Void) {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&entry, 1, milliseconds) > 0 else { return }
        var bytes = [UInt8](repeating: 0, count: 1 << 14)
        while true {
            let count = bytes.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else {
                // Nobody writes (yet, or any more): the pipe is ready at once, and waiting must wait all the same.
                if count == 0 { usleep(1000) }
                return
            }
            for byte in bytes[..<count] { take(byte, show) }
        }
    }

    private func take(_ byte: UInt8, _ show: (String) -> Void) {
        if byte != UInt8(ascii: "\n") { line.append(byte) }
        guard byte == UInt8(ascii: "\n") || line.count >= Self.longestLine else { return }
        let text = String(decoding: line, as: UTF8.self)
        line.removeAll(keepingCapacity: true)
        if Self.isTrap(text) {
            release(show)
            held = [text]
        } else if held.isEmpty {
            show(escape(text))
        } else {
            held.append(text)
            if held.count > Self.mostHeld { release(show) }
        }
    }

    private func release(_ show: (String) -> Void) {
        for text in held { show(escape(text)) }
        held = []
    }

    /// Ends it.
    ///
    /// - Parameter crashed: Whether a trap ended the child.
    /// - Returns: What the trap said, escaped and cut; `nil` where it said nothing.
    func finish(crashed: Bool, _ show: (String) -> Void) -> String? {
        if !line.isEmpty { take(UInt8(ascii: "\n"), show) }
        defer { release(show) }
        guard crashed, !held.isEmpty else { return nil }
        // Debug builds of the runtime add how it came there: addresses of this one run.
        let message = held.prefix { !$0.hasPrefix("Current stack trace") }.joined(separator: "\n").trimmingCharacters(
            in: .whitespacesAndNewlines
        )
        held = []
        return brief(message)
    }

    /// `MyApp/Cart.swift:12: Fatal error: no such line`, as the runtime writes it.
    private static func isTrap(_ line: String) -> Bool {
        ["Fatal error", "Precondition failed", "Assertion failed"].contains { words in
            line.hasPrefix(words) || line.contains(": \(words)")
        }
    }
}

extension ErrorRelay {
    /// Where this process is a child, lets its error stream lead into the pipe.
    ///
    /// - Returns: Where this process's own words go: to what was its error stream before.
    static func redirect() -> Int32 {
        guard let path = ProcessInfo.processInfo.environment[variable] else { return STDERR_FILENO }
        // Where the parent has gone there is nobody at the other end, and waiting for somebody would be for ever.
        let pipe = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC)
        let own = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3)
        guard pipe >= 0, own >= 0 else { return STDERR_FILENO }
        // What is written from now on waits for room, as on any stream.
        _ = fcntl(pipe, F_SETFL, fcntl(pipe, F_GETFL) & ~O_NONBLOCK)
        dup2(pipe, STDERR_FILENO)
        close(pipe)
        return own
    }
}
