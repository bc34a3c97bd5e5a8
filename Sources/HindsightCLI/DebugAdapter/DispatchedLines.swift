import HindsightDebugger
import HindsightStore

/// The lines that dispatched the actions of a recording.
struct DispatchedLines {
    private var lines: [String: Set<Int>] = [:]

    init(of recording: Recording) throws {
        for origin in try recording.origins() where !origin.file.isEmpty {
            lines[origin.file, default: []].insert(origin.line)
        }
    }

    /// The files, as the app named them.
    var files: [String] { lines.keys.sorted() }

    /// The line that dispatched an action in one of some files, and is nearest to another one.
    func nearest(to line: Int, in files: [String]) -> Int? {
        files.compactMap { lines[$0] }.joined().min { one, other in
            let (left, right) = ((one &- line).magnitude, (other &- line).magnitude)
            return left == right ? one > other : left < right
        }
    }
}

extension RecordedAction {
    /// The line that dispatched the action; `nil` if that was not recorded.
    var dispatchingLine: Origin? { source == Origin.unknown ? nil : source }
}

extension DebugAdapter {
    /// Reads the lines that dispatched actions, if that was not done yet. Costs a pass over the actions.
    func readDispatchedLines() throws -> DispatchedLines {
        guard let debugger else { throw AdapterFailure.noRecording }
        return try dispatchedLines.value(of: debugger) { try DispatchedLines(of: $0) }
    }
}
