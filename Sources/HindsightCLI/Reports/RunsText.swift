import Foundation
import HindsightFormat
import HindsightRecording
import HindsightSupport
import HindsightTree

/// The recordings of a directory, a line each.
struct RunsText {
    private let tool: Tool
    private let entries: [RunDirectory.Entry]

    /// - Throws: `RecordingError` with the code `unreadable` if the directory cannot be listed; ``Failure`` if it
    ///   has no recordings.
    init(of directory: String, _ tool: Tool) throws {
        self.tool = tool
        entries = try RunDirectory(at: URL(filePath: directory)).entries()
        if entries.isEmpty { throw Tool.empty(directory) }
    }

    /// Prints all lines. A recording that cannot be read sets the exit code.
    func print(asJSON: Bool) -> ExitCode {
        var code = ExitCode.fine
        let width = entries.map { escape($0.url.lastPathComponent).columns }.max() ?? 0
        for entry in entries {
            if case .failure = entry.recording { code = .badFile }
            tool.console.print(asJSON ? json(of: entry) : line(of: entry, width), hanging: 2)
        }
        return code
    }

    private func line(of entry: RunDirectory.Entry, _ width: Int) -> String {
        // On a narrow terminal, a name has a line of its own.
        let isNarrow = tool.console.terminal.width < width + 60
        let own = escape(entry.url.lastPathComponent)
        let name = isNarrow ? own + "\n" : own.padded(to: width)
        let size = Quantities.bytes(Int(entry.bytes)).alignedRight(to: 9)
        switch entry.recording {
        case .failure(let error):
            let words = reason(error).lines.first ?? ""
            return "\(name)  \(size)  \(tool.console.style.bad(words))"
        case .success(let recording):
            let version = recording.app.version.isEmpty ? "" : " " + brief(recording.app.version)
            let begun = Quantities.date(nanoseconds: recording.createdNanoseconds)
            let count = Quantities.counted(recording.actionCount - recording.droppedCount, "action")
            let dropped = recording.droppedCount > 0 ? " of \(Quantities.grouped(recording.actionCount))" : ""
            let ending = EndingText(recording: recording, style: tool.console.style).sentence
            return "\(name)  \(size)  \(brief(recording.app.name))\(version)  \(begun)  \(count)\(dropped)  \(ending)"
        }
    }

    /// Why a recording cannot be read, without its name, which is in the same line.
    private func reason(_ error: RecordingError) -> Failure {
        var nameless = error
        nameless.file = nil
        return Messages.failure(for: nameless, tool: tool.name)
    }

    private func json(of entry: RunDirectory.Entry) -> String {
        let file = entry.url.lastPathComponent
        switch entry.recording {
        case .failure(let error):
            let words = reason(error).lines.joined(separator: " ")
            return printable(answer: UnreadableRun(file: file, bytes: entry.bytes, error: words))
        case .success(let recording):
            let begin = RunBegin(
                file: file,
                app: recording.app.name,
                version: recording.app.version,
                created: recording.createdNanoseconds,
                ended: recording.endingName,
                live: recording.ending == .open(live: true),
                stopped: recording.stopReason
            )
            let sizes = RunSizes(
                actions: recording.actionCount - recording.droppedCount,
                dropped: recording.droppedCount,
                bytes: entry.bytes
            )
            return printable(answer: RunLine(begin, Joined(recording.endFacts, sizes)))
        }
    }
}

/// A recording of a directory, in the answer of `info`.
typealias RunLine = Joined<RunBegin, Joined<EndFacts, RunSizes>>

struct RunBegin: Answer {
    let file: String
    let app: String
    let version: String
    let created: Int64
    let ended: EndingName
    let live: Bool
    @Nullable var stopped: String?

    static let notes = ["created": "ns since 1970", "stopped": "why the recorder had to stop"]
}

struct RunSizes: Answer {
    let actions: Int
    let dropped: Int
    let bytes: Int64
}

struct UnreadableRun: Answer {
    let file: String
    let bytes: Int64
    let error: String
}
