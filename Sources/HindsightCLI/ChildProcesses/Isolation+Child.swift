import Foundation
import HindsightReplay
import HindsightSupport

/// The child's side.
extension Isolation {
    /// The environment variable of a child, with the id of its parent.
    static let variable = "HINDSIGHT_REPLAY_OF"

    /// The role of a process.
    enum Role {
        /// A user or another program has started it.
        case tool
        /// It is the child of a tool. It does a task, and writes its own messages to `errors`.
        case child(task: [UInt8], ReplyWriter, errors: Int32)
        /// It has the variable, but no parent reads its replies.
        case orphan
    }

    /// The role of this process. Read it before anything else runs: the first access removes what children would
    /// inherit.
    static let role: Role = {
        guard let parent = ProcessInfo.processInfo.environment[variable] else { return .tool }
        unsetenv(variable)
        var status = stat()
        guard parent == "\(getppid())", fstat(repliesDescriptor, &status) == 0, status.st_mode & S_IFMT == S_IFIFO,
            fstat(pointDescriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            let shared = SharedPoint(descriptor: pointDescriptor), let task = readTask()
        else {
            return .orphan
        }
        close(pointDescriptor)
        for descriptor in [repliesDescriptor, errorsDescriptor] { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        return .child(
            task: task,
            ReplyWriter(descriptor: repliesDescriptor, shared: shared),
            errors: errorsDescriptor
        )
    }()

    /// The line that the parent writes first; `nil` if it has ended before.
    private static func readTask() -> [UInt8]? {
        try? LineReader { Descriptor.read(STDIN_FILENO, into: $0) }.next()
    }

    /// Reads the task of a child.
    ///
    /// - Parameter types: All that there are.
    static func task(_ line: [UInt8], of types: [any IsolatedTask.Type]) throws -> any IsolatedTask {
        for type in types {
            let start = Array("{\"\(type.name)\":".utf8)
            guard line.starts(with: start) else { continue }
            return try JSONDecoder().decode(type, from: Data(line[start.count..<(line.count - 1)]))
        }
        throw Failure(.badFile, "The parent process asks for a task that this build does not have.")
    }

    /// Tells the parent of this process; `nil` if it is not a child.
    static var replies: ReplyWriter? {
        if case .child(_, let writer, _) = role { writer } else { nil }
    }

    /// The number of bytes that a child has written to its output and to its own messages, if both are files.
    static func written(_ output: Int32) -> (output: Int, errors: Int) {
        guard case .child(_, _, let errors) = role else { return (0, 0) }
        return (max(0, Int(lseek(output, 0, SEEK_CUR))), max(0, Int(lseek(errors, 0, SEEK_CUR))))
    }

    /// Reports each point of a replay to the parent; `nil` if this process is not a child.
    static var watch: ((ReplayPoint) -> Void)? {
        replies.map { writer in { writer.report($0) } }
    }

    /// The executable of this process, of which a child is another run.
    static func executable(of tool: String) throws(Failure) -> URL {
        guard let path = Bundle.main.executablePath else {
            throw Failure(
                .badFile,
                "\(tool) cannot find its own executable, which it needs to run reducers in a separate process.",
                "Call it by its full path."
            )
        }
        return URL(filePath: path)
    }

    /// Ends this process together with its parent, if it is a child.
    static func endWithParent() {
        guard replies != nil else { return }
        Descriptor.onEndOfInput {
            RemovableDraft.remove()
            _exit(cutOff)
        }
    }
}

extension Tool {
    /// Verifies a recording by this build's reducers, and reports each point to the parent of this process.
    func verify(
        _ recording: Recording,
        _ options: VerificationOptions = VerificationOptions()
    ) throws -> VerificationResult {
        let verification = try Verification(of: recording, by: app(of: recording), options: options)
        verification.watch = Isolation.watch
        return try verification.run()
    }
}
