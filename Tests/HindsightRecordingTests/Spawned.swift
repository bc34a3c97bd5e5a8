import Foundation

/// A process that is waited for by its number: slowed down by the thread sanitizer, Foundation's `Process` now and then
/// does not notice the end of one.
final class Spawned {
    let id: pid_t
    /// What it reads, and what it writes.
    let (input, output): (FileHandle, FileHandle)
    /// How it ended: its exit code, or minus the signal that ended it; `nil` while it was not waited for.
    private(set) var status: Int32?

    /// Nobody is to inherit another's pipes, which would not end then.
    private static let oneAtATime = NSLock()

    /// - Parameter keepsErrors: Whether what it says of errors comes with its output; else nobody hears of it.
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
