import Foundation
import HindsightRecording
import HindsightReplay
import HindsightTree

/// Writes the actions that are left as a recording, in a child process.
struct ShrunkenRecordingTask: AnsweringTask {
    static let name = "shrunken"

    let file: String
    let base: Recording.Position
    let list: [LogShrinker.Entry]
    /// The reducer in which the last action crashes; 0 if it is not known, `nil` if it does not crash.
    let crash: Int?
    let output: String
    let overwrite: Bool
    /// The text of the edit in the recording: `shrink --until crash`.
    let rule: String

    var words: [String] { ["shrink", file, "-o", output] }

    func answer(in tool: Tool) throws -> Int {
        TerminationSignal.removeDraftsAtEnd()
        let recording = try tool.open(file, notesLoss: false)
        guard let last = list.last else { return 0 }
        guard base > recording.start else { return try write(list, of: recording, tool) }
        let folder = try TemporaryFolder(named: "hindsight-shrink-")
        defer { _ = folder.remove() }
        let part = URL(filePath: folder.path).appending(path: recording.url.lastPathComponent)
        try recording.cut(from: base, to: Recording.Position(seq: last.seq), into: part)
        let moved = list.map { LogShrinker.Entry(seq: $0.seq - base.seq, payload: $0.payload) }
        return try write(moved, of: Recording(at: part), tool)
    }

    private func write(_ list: [LogShrinker.Entry], of recording: Recording, _ tool: Tool) throws -> Int {
        let app = try tool.app(of: recording)
        let kept = Set(list.map(\.seq))
        let skipped = (recording.start.seq..<recording.actionCount).map { $0 + 1 }.filter { !kept.contains($0) }
        var edits = [ChangedLog.Edit.skipAll(skipped, rule: rule)]
        for entry in list {
            if let payload = entry.payload { edits.append(.edit(entry.seq, to: try Node(json: payload))) }
        }
        // The last action does not run if it crashes, so it must not be among those that are copied.
        if crash != nil, let last = list.last, last.payload == nil, list.count == last.seq - recording.start.seq,
            let payload = try recording.action(last.seq).payload
        {
            edits.append(.edit(last.seq, to: payload))
        }
        let log = try app.changedLog(of: recording, edits)
        let whatIf = try WhatIf(of: recording, by: app, running: log)
        whatIf.replayer.watch = Isolation.watch
        let writer = try WhatIfWriter(of: whatIf, to: URL(filePath: output), overwrite: overwrite)
        defer { writer.discard() }
        let end = crash.map { Recording.Position(seq: log.lastNumber, reducer: $0 == 0 ? nil : $0) }
        let last = end.map { $0.seq - 1 } ?? log.lastNumber
        while let next = whatIf.replayer.nextSeq, next <= last, let action = try whatIf.next() {
            try writer.write(action)
        }
        try writer.finish(crashingIn: end)
        return list.count
    }
}
