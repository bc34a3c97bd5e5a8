import Foundation
import HindsightDebugger
import HindsightSupport

/// Lines that run before the next one is read; at least one.
struct QueuedLines {
    var lines: ArraySlice<String>
    /// Whether they are the commands of breakpoints.
    let isOfBreakpoint: Bool
    /// The number of files that run each other in which they are.
    let depth: Int
}

extension DebugSession {
    /// Lets lines run before those that wait.
    func enqueue(_ lines: [String], isOfBreakpoint: Bool = false, depth: Int = 0) {
        if lines.isEmpty { return }
        queue.append(QueuedLines(lines: lines[...], isOfBreakpoint: isOfBreakpoint, depth: depth))
    }

    // MARK: Commands of breakpoints

    /// `commands`, `commands N`
    func beginCommands(_ rest: String) throws {
        guard let id = rest.isEmpty ? debugger.breakpoints.last?.id : Int(rest),
            debugger.breakpoints.contains(where: { $0.id == id })
        else {
            // At a prompt, or in a file that the mistake ends, no lines of it follow.
            if !isInteractive, queue.isEmpty { collecting = (nil, []) }
            let what = rest.isEmpty ? "There is no breakpoint." : "There is no breakpoint \(brief(rest))."
            throw Failure(.usage, what, "breakpoints lists them.")
        }
        collecting = (id, [])
    }

    /// Takes a line of `commands`, up to `end`.
    func collect(_ line: String) {
        if line == "end" {
            if case let (id?, lines)? = collecting { commands[id] = lines.isEmpty ? nil : lines }
            collecting = nil
        } else if !line.isEmpty {
            collecting?.lines.append(line)
        }
    }

    /// Reports `commands` without `end`, where the input ends.
    func endCollecting() -> ExitCode? {
        guard let (id, _) = collecting else { return nil }
        collecting = nil
        let what = id.map { "The commands of breakpoint \($0) have no end, and were not taken." }
        return tool.report(Failure(.usage, what ?? "commands has no end.", "End them with a line end."))
    }

    // MARK: Files

    /// The most lines that wait to run.
    private static let maxQueued = 100_000
    /// The most files that run each other, so that a file which runs itself ends.
    private static let maxDepth = 100

    /// `source FILE`
    func source(_ path: String) throws {
        guard let text = try? String(contentsOf: URL(filePath: path), encoding: .utf8) else {
            throw Failure(
                .badFile,
                "\(escape(path)) cannot be read.",
                "source takes a file with a command on each line."
            )
        }
        guard depth < Self.maxDepth else {
            throw Failure(.usage, "\(escape(path)) is run by \(depth) files that run each other, or by itself.")
        }
        let lines = text.split(whereSeparator: \.isNewline).map(String.init)
        guard queue.reduce(lines.count, { $0 + $1.lines.count }) <= Self.maxQueued else {
            throw Failure(.usage, "\(escape(path)) has too many commands.", "-x runs a file of any length.")
        }
        enqueue(lines, depth: depth + 1)
    }

    /// Queues the commands of the user's init file, if there is one.
    func runInitFile() {
        let environment = ProcessInfo.processInfo.environment
        let folder =
            environment["XDG_CONFIG_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
            ?? environment["HOME"].map { "\($0)/.config" }
        guard let folder else { return }
        let path = "\(folder)/hindsight/debug-init"
        guard FileManager.default.fileExists(atPath: path) else { return }
        do {
            try source(path)
        } catch {
            _ = tool.report(tool.failure(for: error))
        }
    }
}
