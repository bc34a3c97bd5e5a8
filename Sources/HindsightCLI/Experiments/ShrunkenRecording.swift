import Foundation
import HindsightRecording
import HindsightReplay
import HindsightTree

/// Writes the actions that are left as a recording, in a child process.
struct ShrunkenRecordingTask: AnsweringTask {
    static let name = "shrunken"

    let file: String
    let base: String
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
        guard let base = Recording.Position(base), let last = list.last else { return 0 }
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

/// Finds the first action in which today's reducers part from a recording, and how many before it must run.
struct DivergenceShrinkTask: AnsweringTask {
    static let name = "diverge"

    struct Found: Codable {
        let divergence: ShrinkAnswer.Divergence
        /// The actions that must run, beginning on the recorded state before them.
        let actions: ClosedRange<Int>
        let attempts: Int
    }

    let file: String

    var words: [String] { ["shrink", file, "--until", "diverge"] }

    /// `nil` if there is no divergence.
    func answer(in tool: Tool) throws -> Found? {
        let recording = try tool.open(file, notesLoss: false)
        let app = try tool.app(of: recording)
        guard let whole = try divergence(of: recording, by: app, VerificationOptions(), tool) else { return nil }
        var attempts = 1
        func parts(in count: Int) throws -> Bool {
            var options = VerificationOptions()
            options.start = VerificationStart(after: whole.seq - count)
            options.end = Recording.Position(seq: whole.seq)
            attempts += 1
            let found = try divergence(of: recording, by: app, options, tool)
            return found?.seq == whole.seq && found?.reducer == whole.reducer && found?.path == whole.path
        }
        let all = whole.seq - recording.start.seq
        // A pure reducer gives the same on the recorded state. Otherwise it has kept something from earlier actions.
        var count = min(1, all)
        while count < all, try !parts(in: count) { count = min(all, count * 2) }
        var tooFew = count / 2
        while count - tooFew > 1 {
            let middle = tooFew + (count - tooFew) / 2
            if try parts(in: middle) { count = middle } else { tooFew = middle }
        }
        return Found(divergence: whole, actions: whole.seq - max(0, count - 1)...whole.seq, attempts: attempts)
    }

    private func divergence(
        of recording: Recording,
        by app: ReplayableApp,
        _ options: VerificationOptions,
        _ tool: Tool
    ) throws -> ShrinkAnswer.Divergence? {
        var options = options
        options.afterDivergence = .stop
        let verification = try Verification(of: recording, by: app, options: options)
        verification.watch = Isolation.watch
        let result = try verification.run()
        guard !result.comparedNothing else {
            let reason = result.emptiness.map { ", because \($0)" } ?? ""
            throw Failure(.nothingCompared, "Nothing of \(tool.shown(recording)) was compared\(reason).")
        }
        guard let found = result.divergence else { return nil }
        return ShrinkAnswer.Divergence(
            seq: found.seq,
            reducer: found.reducer,
            name: found.reducerName,
            path: found.path,
            expected: found.expected,
            got: found.actual
        )
    }
}
