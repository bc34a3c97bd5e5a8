import Foundation
import HindsightSupport
import TestSupport

/// A process that `waitpid` waits for. Under the thread sanitizer, Foundation's `Process` sometimes misses the end of
/// one.
final class Spawned {
    let id: pid_t
    /// The process's standard input and output.
    let (input, output): (FileHandle, FileHandle)
    /// The exit code, or minus the signal that ended the process; `nil` before the end is known.
    private(set) var status: Int32?

    /// Closes the pipes in other children, which would keep them open.
    private static let oneAtATime = NSLock()

    /// - Parameter keepsErrors: Whether the output includes standard error, which is discarded otherwise.
    init(_ path: String, _ arguments: [String], keepsErrors: Bool = false) throws {
        Self.oneAtATime.lock()
        defer { Self.oneAtATime.unlock() }
        let (toChild, fromChild) = (Pipe(), Pipe())
        (input, output) = (toChild.fileHandleForWriting, fromChild.fileHandleForReading)
        let childs = (toChild.fileHandleForReading, fromChild.fileHandleForWriting)
        for handle in [input, output, childs.0, childs.1] { _ = fcntl(handle.fileDescriptor, F_SETFD, FD_CLOEXEC) }
        let process = SpawnedProcess()
        process.give(childs.0.fileDescriptor, as: 0)
        process.give(childs.1.fileDescriptor, as: 1)
        if keepsErrors {
            process.give(childs.1.fileDescriptor, as: 2)
        } else {
            process.giveNull(as: 2, access: O_WRONLY)
        }
        let environment = ProcessInfo.environmentWithoutBacktraces
        let child = process.start(path, [path] + arguments, environment: environment)
        guard child.error == 0 else { throw POSIXError(POSIXErrorCode(rawValue: child.error) ?? .EIO) }
        id = child.id
        for handle in [childs.0, childs.1] { try handle.close() }
    }

    deinit {
        guard status == nil else { return }
        kill(id, SIGKILL)
        waitForEnd()
    }

    func waitForEnd() {
        guard status == nil else { return }
        var word: Int32 = 0
        while waitpid(id, &word, 0) == -1, errno == EINTR {}
        status = word & 0x7F == 0 ? word >> 8 & 0xFF : -(word & 0x7F)
    }
}
