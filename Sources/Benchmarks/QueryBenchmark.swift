import Foundation
import HindsightDebugger
import HindsightRecorder
import HindsightRecording
import HindsightReplay
import HindsightStore
import HindsightTree

/// A state of 1,000 leaves: 10 shelves of 33 boxes with 3 fields each, and some totals.
private struct Depot: Codable, Sendable {
    struct Box: Codable, Sendable {
        var count = 0
        var label = "empty"
        var isOpen = false
    }

    var shelves = [[Box]](repeating: [Box](repeating: Box(), count: 33), count: 10)
    var total = 0
    var moves = 0
    var last = ""
    var alarm = false
}

private enum DepotAction: Codable, Sendable {
    case put(shelf: Int, box: Int, count: Int)
    case label(shelf: Int, box: Int, text: String)
    case open(shelf: Int, box: Int)
}

private let depot = ReplayableApp(
    "depot",
    initial: Depot(),
    reducer: Reducer<Depot, DepotAction>.combine(
        Reducer("boxes") { state, action in
            switch action {
            case .put(let shelf, let box, let count): state.shelves[shelf][box].count += count
            case .label(let shelf, let box, let text): state.shelves[shelf][box].label = text
            case .open(let shelf, let box): state.shelves[shelf][box].isOpen.toggle()
            }
        },
        Reducer("total") { state, action in if case .put(_, _, let count) = action { state.total += count } },
        Reducer("moves") { state, _ in state.moves += 1 },
        Reducer("last") { state, action in if case .label(_, _, let text) = action { state.last = text } },
        Reducer("alarm") { state, _ in state.alarm = state.total > 4_000_000 }
    )
)

/// Measures questions about a recording of a million actions, as whole processes of the tool; and what-ifs, which need
/// the app, in this process.
func benchmarkQueries() throws {
    guard let tool = builtTool() else { return }
    let count = 1_000_000
    try inScratchFolder { folder in
        let file = folder.appendingPathComponent("depot.hindsight")
        let session = try depot.record(to: file)
        for index in 0..<count {
            try session.dispatch(action(index, of: count), origin: Origin(file: "Depot", line: 7))
        }
        try session.close()
        setenv("XDG_CACHE_HOME", folder.appendingPathComponent("cache").path, 1)
        let table = Table("Questions about 1,000,000 actions", "time", "of the CPUs", "memory", "bar")
        func row(_ name: String, _ bar: String, _ command: String, _ arguments: String...) throws {
            let run = try Spawned.run(tool.path, [command, file.path] + arguments, accepting: [0, 1])
            table.row(name, time(run.time), time(run.cpuTime), bytes(Int(run.memory)), bar)
        }
        let total = fileSize(file)
        table.row("the recording", "", "", bytes(total), "")
        try row("blame one leaf, which builds the index", "6 s", "blame", "/shelves/3/7/label")
        let index = sizeOfFolder(folder.appendingPathComponent("cache"))
        table.row("the index beside the recording", ratio(Double(index) / Double(total)), "", bytes(index), "0.5 ×")
        try row("blame one leaf", "50 ms", "blame", "/shelves/3/7/label")
        try row("blame the whole state", "1 s", "blame")
        try row("history of one path", "50 ms", "history", "/shelves/3/7/label")
        try row("find, each position touches it", "2 s", "find", "/total > 4000000", "--first")
        try row("find, few positions touch it", "2 s", "find", "/shelves/3/7/label = 'batch 777'", "--count")
        try row("the same again", "200 ms", "find", "/shelves/3/7/label = 'batch 777'", "--count")
        try row("bisect", "150 ms", "bisect", "/total > 4000000")
        try row("search a word that is nowhere", "1 s", "search", "elephant")
        try row("search a word of the last action", "1 s", "search", "giraffe")
        try row("stats", "", "stats")
        try benchmarkDebugger(of: file, table)
        try benchmarkWhatIf(of: file, table)
    }
}

/// Measures the debugger in this process: opening it, steps with the state, and runs that find nothing.
private func benchmarkDebugger(of file: URL, _ table: Table) throws {
    var opened: Debugger?
    let opening = try elapsed {
        opened = Debugger(on: try Recording(at: file))
        let state = try opened?.state()
        precondition(state != nil)
    }
    table.row("debug: open, and read the state", time(opening), "", "", "50 ms")
    guard let debugger = opened else { return }
    _ = try debugger.perform(.go(Recording.Position(seq: 500_000)))
    _ = try debugger.state()
    for (direction, granularity) in [
        (DebuggerDirection.forward, StateCursor.Granularity.action), (.backward, .action), (.forward, .reducer),
        (.backward, .reducer),
    ] {
        let steps = 5000
        let stepping = try elapsed {
            for _ in 0..<steps {
                _ = try debugger.perform(.step(direction, by: granularity))
                let state = try debugger.state()
                precondition(state != nil)
            }
        }
        table.row("debug: step \(direction) by \(granularity)", time(stepping / Double(steps)), "", "", "1 ms")
    }
    let runs: [(name: String, kind: Breakpoint.Kind)] = [
        ("a type that never comes", .action(type: "never")),
        ("a path that nothing touches", .change(of: NodePath(["nothing"]))),
        ("a path that each action touches", .turn(of: try RecordingExpression("/total < 0"))),
    ]
    for (name, kind) in runs {
        debugger.removeBreakpoints { _ in true }
        try debugger.add(kind)
        _ = try debugger.perform(.go(debugger.last))
        var longest = 0.0
        let running = try elapsed {
            _ = try debugger.perform(.run(.backward))
            while debugger.isRunning { longest = max(longest, try elapsed { _ = try debugger.advance() }) }
        }
        precondition(debugger.position == debugger.first)
        table.row("debug: rcontinue, \(name)", time(running), "", "", "2 s")
        table.row("  its longest piece", time(longest), "", "", "200 ms")
    }
}

/// Measures what-ifs in this process, which has the app.
private func benchmarkWhatIf(of file: URL, _ table: Table) throws {
    let recording = try Recording(at: file)
    let verified = try elapsed {
        let result = try depot.verify(recording)
        precondition(result.matches)
    }
    table.row("verify, in this process", time(verified), "", "", "")
    for (seq, bar) in [(999_000, "200 ms"), (10, "one verify")] {
        let skipped = try elapsed {
            let log = try ChangedLog(of: recording, [.skip(seq)])
            let result = try depot.whatIf(recording, running: log)
            precondition(result.first != nil)
        }
        table.row("what if action \(seq) had not happened", time(skipped), "", "", bar)
    }
}

/// Mostly counts; each hundredth action is a label, each thousandth opens a box.
private func action(_ index: Int, of count: Int) -> Node {
    let (shelf, box) = (Node.int(index * 7 % 10), Node.int(index * 13 % 33))
    if index == count - 1 { return ["label": ["shelf": 3, "box": 7, "text": "giraffe"]] }
    if index % 1000 == 999 { return ["open": ["shelf": shelf, "box": box]] }
    if index % 100 == 50 { return ["label": ["shelf": shelf, "box": box, "text": .string("batch \(index / 100)")]] }
    return ["put": ["shelf": shelf, "box": box, "count": .int(index % 9)]]
}

private func sizeOfFolder(_ folder: URL) -> Int {
    let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)?.compactMap { $0 as? URL }
    return (files ?? []).map(fileSize).reduce(0, +)
}
