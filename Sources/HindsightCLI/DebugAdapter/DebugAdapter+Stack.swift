import Foundation
import HindsightDebugger
import HindsightTree

extension DebugAdapter {
    /// The width of an action in the name of a frame.
    private static let nameWidth = 100
    /// How long a request looks for actions or files in a recording.
    private static let searchTime = Duration.milliseconds(60)
    /// The actions that are read between two looks at the clock.
    private static let searchPart = 2_000
    private static let maxTargets = 20
    private static let maxSources = 1_000

    // MARK: Frames

    /// The frames of a thread: those at the position if its action is there, else those of its last action before. At
    /// the start, the only one stands for no action.
    private func frames(ofThread thread: Int) throws -> Range<Int> {
        let debugger = try stopped()
        if frames.isEmpty {
            let stack = try debugger.stack()
            frames = stack.isEmpty ? [nil] : stack
            framesByThread[presentThread] = frames.indices
        }
        if let known = framesByThread[thread] { return known }
        guard let seq = try debugger.recording.lastAction(ofThread: thread, upTo: debugger.position.seq) else {
            return 0..<0
        }
        let start = frames.count
        frames += try debugger.stack(at: Recording.Position(seq: seq))
        framesByThread[thread] = start..<frames.count
        return start..<frames.count
    }

    /// The frame that a request may name, by default the top one at the position, as ``frame(_:)`` returns it.
    func frame(of request: AdapterRequest) throws -> (frame: StackFrame?, isPresent: Bool) {
        try frame(request.int("frameId") ?? references.firstFrame)
    }

    /// The frame with a number, and whether its state is that of the position.
    func frame(_ id: Int) throws -> (frame: StackFrame?, isPresent: Bool) {
        _ = try frames(ofThread: presentThread)
        // A number below the first one must not overflow the difference.
        let first = references.firstFrame
        guard id >= first, id - first < frames.count else {
            throw AdapterFailure("The debugger has moved since the stack was read. Read it again.")
        }
        let index = id - first
        let debugger = try stopped()
        return (frames[index], frames[index].map { $0.position == debugger.position } ?? true)
    }

    func stackTrace(_ request: AdapterRequest) throws -> Node? {
        let all = try frames(ofThread: request.int("threadId") ?? presentThread)
        let start = min(max(0, try request.int("startFrame") ?? 0), all.count)
        let levels = try request.int("levels") ?? 0
        let end = levels > 0 ? min(all.count, start + min(levels, all.count)) : all.count
        let listed = try all[(all.startIndex + start)..<(all.startIndex + end)].map {
            try node(of: frames[$0], id: references.firstFrame + $0)
        }
        return ["stackFrames": .array(listed), "totalFrames": .int(all.count)]
    }

    private func node(of frame: StackFrame?, id: Int) throws -> Node {
        let debugger = try stopped()
        guard let frame else {
            let name =
                debugger.recording.droppedCount == 0 ? "the initial state" : "the first state that the recording has"
            return [
                "id": .int(id), "name": .string("\(debugger.position)  \(name)"), "line": 0, "column": 0,
                "presentationHint": "label",
            ]
        }
        var name: String
        switch frame.kind {
        case .reducer(let number, let reducer):
            name = "\(brief(reducer))  reducer \(number) of \(debugger.recording.reducers.count)"
        case .action:
            name = "\(frame.action.seq)  \(ActionLine.name(of: frame.action, width: Self.nameWidth))"
        }
        if frame.position == debugger.position { name += computedMark }
        let source = frame.action.dispatchingLine
        return .members([
            "id": .int(id), "name": .string(name),
            "line": .int(source.map { shown(line: $0.line) } ?? 0),
            "column": .int(source == nil ? 0 : firstColumn),
            "source": source.map { sources.source(of: $0.file) },
            "canRestart": .bool(!frame.action.isTravel && !frame.action.isGap),
            "presentationHint": source == nil ? "subtle" : nil,
        ])
    }

    /// A line as the client counts.
    func shown(line: Int) -> Int { max(0, line) - 1 + firstLine }

    // MARK: Places in sources

    /// `gotoTargets`: the actions that were dispatched at a line, those nearest to the position first.
    func gotoTargets(_ request: AdapterRequest) throws -> Node? {
        let debugger = try stopped()
        let path = try path(of: request)
        let files = sources.files(try readDispatchedLines().files, at: path)
        let line = try request.requireInt("line") &+ 1 &- firstLine
        var found: [RecordedAction] = []
        try search(around: debugger.position.seq, until: { found.count >= Self.maxTargets }) { action in
            let source = action.dispatchingLine
            if let source, source.line == line, files.contains(source.file) { found.append(action) }
        }
        let present = debugger.position.seq
        found.sort { abs($0.seq - present) < abs($1.seq - present) }
        return [
            "targets": .array(
                found.prefix(Self.maxTargets).map { action in
                    let name = ActionLine.name(of: action, width: Self.nameWidth)
                    return [
                        "id": .int(action.seq), "label": .string("\(action.seq)  \(name)"),
                        "line": .int(shown(line: line)),
                    ]
                }
            )
        ]
    }

    /// `loadedSources`: the files whose lines dispatched the actions around the position.
    func loadedSources() throws -> Node? {
        let debugger = try stopped()
        var files: Set<String> = []
        try search(around: debugger.position.seq, until: { files.count >= Self.maxSources }) { action in
            if let source = action.dispatchingLine { files.insert(source.file) }
        }
        return ["sources": .array(files.sorted().map(sources.source))]
    }

    /// Calls `body` with actions after and before a number, in parts of the same distance from it, until `isDone` after
    /// two of them, or the time is over.
    private func search(around seq: Int, until isDone: () -> Bool, _ body: (RecordedAction) -> Void) throws {
        let debugger = try stopped()
        let recording = debugger.recording
        let (first, last) = (debugger.first.seq + 1, recording.actionCount)
        guard first <= last else { return }
        let middle = min(max(seq, first), last)
        let begin = ContinuousClock.now
        for distance in stride(from: 0, through: last - first, by: Self.searchPart) {
            guard !isDone(), ContinuousClock.now - begin < Self.searchTime else { return }
            for start in [middle + distance, middle - distance - Self.searchPart] {
                let part = (start..<start + Self.searchPart).clamped(to: first..<last + 1)
                guard let end = part.last else { continue }
                var entries = try recording.entries(in: part.lowerBound...end, withSteps: false)
                while let (action, _) = try entries.next() { body(action) }
            }
        }
    }
}
