/// Where the debugger's commands come from.
protocol DebugLines: AnyObject {
    /// Returns the next line.
    ///
    /// - Parameter prompt: What to show before it, on a terminal.
    func next(_ prompt: String) throws -> DebugInput
}

/// What a user gives at a prompt.
enum DebugInput: Equatable {
    case line(String)
    /// Ctrl-C: the line is given up.
    case interrupted
    /// Ctrl-D, or the end of a file.
    case end
}

/// Lines of a file, a pipe, or a terminal without editing.
final class PlainLines: DebugLines {
    private let reader: LineReader
    /// Shows prompts; `nil` to show none.
    private let console: Console?

    init(_ reader: LineReader, prompting console: Console?) { (self.reader, self.console) = (reader, console) }

    func next(_ prompt: String) throws -> DebugInput {
        if let console {
            console.output.write(prompt)
            console.output.flush()
        }
        do throws(LineReader.Problem) {
            // The terminal itself gives up a line at Ctrl-C.
            guard let bytes = try reader.next() else { return .end }
            return .line(String(decoding: bytes, as: UTF8.self))
        } catch {
            switch error {
            case .unreadable(let error): throw Failure(.badFile, "The commands cannot be read: \(error).")
            case .tooLong(let line): throw Failure(.usage, "Line \(line) of the commands is too long.")
            }
        }
    }
}
