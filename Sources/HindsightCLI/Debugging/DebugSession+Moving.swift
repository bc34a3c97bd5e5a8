import HindsightDebugger
import HindsightSupport
import HindsightTree

extension DebugSession {
    /// The most changes to show where it stops.
    private static let maxChanges = 8
    /// The most breakpoints to name where it stops.
    private static let maxBreakpoints = 5

    // MARK: Commands

    func step(_ direction: DebuggerDirection, by granularity: StateCursor.Granularity, _ rest: String) throws {
        let count = rest.isEmpty ? 1 : Int(rest)
        guard let count, count > 0 else {
            throw Failure(.usage, "\(quote(rest)) is no number of steps.", "Give a number from 1.")
        }
        guard count <= Self.maxSteps else {
            throw Failure(
                .usage,
                "More than \(Quantities.grouped(Self.maxSteps)) steps at once are not possible.",
                "goto P jumps."
            )
        }
        try perform(.step(direction, by: granularity, count: count))
    }

    private static let maxSteps = 100_000

    func perform(_ command: DebuggerCommand) throws {
        let remark = try debugger.computeSteps(for: command, by: tool, unless: file.lastChange)
        if let remark { console.print(faint: remark) }
        try report(try debugger.perform(command))
    }

    /// Goes to the end of the action.
    func finish() throws {
        let position = debugger.position
        guard position.reducer != nil else {
            throw Failure(.usage, "Position \(position) is the end of its action.", "step goes to the next one.")
        }
        if position.seq <= debugger.recording.lastFinished { return try perform(.go(.init(seq: position.seq))) }
        try perform(.step(.forward, by: .reducer, count: debugger.recording.reducers.count + 1))
    }

    /// Runs on to where a breakpoint would stop, or to one that is there.
    func runUntil(_ text: String) throws {
        let (kind, condition) = try breakpoint(text)
        let breakpoint = try debugger.add(kind, if: condition, isTemporary: true)
        defer { debugger.removeBreakpoints { $0.id == breakpoint.id } }
        try remark(on: breakpoint)
        try run(.forward)
    }

    /// Runs until something hits. Ctrl-C stops it.
    func run(_ direction: DebuggerDirection) throws {
        // As in gdb, what follows in the commands of a breakpoint is dropped.
        queue.removeAll(where: \.isOfBreakpoint)
        try findDivergences()
        // What cannot be computed is no part of a run.
        _ = try debugger.computeSteps(for: .run(direction), by: tool, unless: file.lastChange)
        Interruption.take()
        var events = try debugger.perform(.run(direction))
        var progress = RunProgress(direction)
        while debugger.isRunning {
            events = try debugger.advance {
                progress.show(on: console)
                return Interruption.isRequested
            }
            if case .running(let part)? = events.first { progress.part = part }
        }
        console.clearProgress()
        Interruption.take()
        try report(events)
    }

    // MARK: Reports

    func report(_ events: [DebuggerEvent]) throws {
        for case .stopped(let stop) in events {
            try printReason(stop)
            try printPlace()
            if let unknown = stop.unknown { console.print(faint: unknown) }
            printDisplays()
            if stop.reason == .interrupted { queue = [] }
            guard case .breakpoints(let ids) = stop.reason else { continue }
            enqueue(ids.flatMap { commands[$0] ?? [] }, isOfBreakpoint: true)
        }
    }

    private func printReason(_ stop: DebuggerStop) throws {
        switch stop.reason {
        case .step, .command: break
        case .start, .end: console.print(stop.reason.edge ?? "")
        case .interrupted: console.print("Stopped.")
        case .breakpoints(let ids):
            // Temporary ones are gone from the list.
            for breakpoint in debugger.hits.prefix(Self.maxBreakpoints) {
                let number = style.strong("\(breakpoint.id)")
                console.print("\(number)  \(brief(breakpoint.text))\(try change(of: breakpoint))")
            }
            console.printRest(ids.count - Self.maxBreakpoints, "breakpoint")
        }
    }

    /// What a watched value was and is: `: 0 → 12.50`.
    private func change(of breakpoint: Breakpoint) throws -> String {
        guard let (old, new) = try debugger.values(of: breakpoint) else { return "" }
        let room = max(24, (width - 40) / 2)
        let values = ValueText(budget: room, maxStringLength: room)
        var texts = values.texts(of: old.node, new.node)
        if !old.isKnown { texts.0 = "not known" }
        if !new.isKnown { texts.1 = "not known" }
        // The change is deeper inside, and is printed with the others.
        if texts.0 == texts.1 { return "" }
        return ": \(style.removed(texts.0)) → \(style.added(texts.1))"
    }

    /// The position, what led to it, and its first changes.
    func printPlace() throws {
        let position = debugger.position
        guard let frame = try debugger.stack().first else {
            let before =
                debugger.recording.droppedCount == 0
                ? "the initial state" : "the actions before it were dropped because of the recording's limit"
            return console.print("\(style.strong("\(position)"))  \(before)")
        }
        var words = [style.strong("\(position)")]
        if case .reducer(_, let name) = frame.kind, position.reducer != 0 { words.append(brief(name, longest: 40)) }
        words.append(ActionLine.name(of: frame.action, width: width - 40))
        if let origin = frame.action.origin { words.append(style.faint(brief(origin))) }
        console.print(words.joined(separator: "  "))
        if debugger.isAtCrash, let crash = EndingText(recording: debugger.recording, style: style).crash {
            console.print("  \(crash)")
        }
        try printChanges()
        printComputed()
    }

    /// Marks what was computed, or is doubtful.
    func printComputed() {
        if debugger.isComputed {
            console.print("  \(style.faint("≈ \(ActionLine.computedNote(for: debugger.recording))"))")
        } else if let states = debugger.recording.doubtfulStates(at: debugger.position) {
            let text = debugger.recording.clause(about: states)
            console.print("  \(style.faint(ActionLine.doubtMark + "Doubtful: \(text)."))")
        }
    }

    private func printChanges() throws {
        guard let changes = try debugger.changes() else {
            return console.print("  \(style.faint("what it changed is not recorded\(reason)"))")
        }
        if changes.steps.isEmpty { return }
        if changes.actions.count > 1 {
            console.print("  \(style.faint("\(Quantities.actions(changes.actions)) together:"))")
        }
        let operations = changes.operations
        let text = PatchText(style: style, width: width - 2)
        for line in text.lines(of: Patch(Array(operations.prefix(Self.maxChanges))), base: nil) {
            console.print("  \(line)", hanging: 4)
        }
        if operations.isEmpty { console.print("  \(style.faint("no change"))") }
        console.printRest(operations.count - Self.maxChanges, "change", margin: "  ", ", which diff shows")
    }

    /// Why something is not recorded, after what is said of it.
    private var reason: String {
        guard let absence = debugger.recording.absence(ofChangesIn: debugger.position.seq) else { return "" }
        let reason = UnknownReason(absence: absence, obstacle: nil, failure: nil)
        return ": \(reason.cause(in: debugger.recording))"
    }
}

/// Shows the progress of a run that takes long.
private struct RunProgress {
    var part = 0.0
    private let direction: DebuggerDirection
    private var next = ContinuousClock.now + RunProgress.pause
    private var calls = 0

    private static let pause = Duration.milliseconds(300)

    init(_ direction: DebuggerDirection) { self.direction = direction }

    mutating func show(on console: Console) {
        // A look at the clock costs as much as some positions.
        calls += 1
        guard calls.isMultiple(of: 16) else { return }
        let now = ContinuousClock.now
        guard now >= next else { return }
        next = now + Self.pause
        console.progress("Running \(direction == .forward ? "on" : "back"): \(Int(part * 100)) %")
    }
}
