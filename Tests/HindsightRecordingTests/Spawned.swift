import Foundation

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
        for handle in [input, output] { _ = fcntl(handle.fileDescriptor, F_SETFD, FD_CLOEXEC) }
        let childs = (toChild.fileHandleForReading, fromChild.fileHandleForWriting)
        #if canImport(Darwin)
            var actions: posix_spawn_file_actions_t?
        #else
            var actions = posix_spawn_file_actions_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, childs.0.fileDescriptor, 0)
        posix_spawn_file_actions_adddup2(&actions, childs.1.fileDescriptor, 1)
        if keepsErrors {
            posix_spawn_file_actions_adddup2(&actions, childs.1.fileDescriptor, 2)
        } else {
            posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        }
        for handle in [childs.0, childs.1] { posix_spawn_file_actions_addclose(&actions, handle.fileDescriptor) }
        var words = ([path] + arguments).map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        var id = pid_t()
        let result = posix_spawn(&id, path, &actions, nil, &words, environ)
        guard result == 0 else { throw POSIXError(POSIXErrorCode(rawValue: result) ?? .EIO) }
        self.id = id
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
