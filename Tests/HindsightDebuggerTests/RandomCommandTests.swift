import HindsightRecording
import TestSupport
import Testing

@testable import HindsightDebugger
@testable import RandomRecordings

/// Random commands to a debugger and to a model of it: 100,000 in `make torture`, a tenth of them in `make test`.
@Suite struct RandomCommandTests {
    private static let recordings = 10
    private static let commands = 1000

    @Test func `a debugger does what a list of all positions and hits says`() throws {
        for var random in RandomRecording.seeds(Self.recordings) {
            let recorded = try RandomRecording(seed: random.seed, actions: random.pick([20, 60, 150, 400]))
            var session = try RandomSession(of: recorded, random)
            for number in 1...Self.commands { try session.doSomething("\(random), command \(number)") }
        }
    }

    @Test(arguments: RandomRecording.seeds(20))
    func `a cursor goes from before each action to after it, and back`(random: Seeded) throws {
        let recorded = try RandomRecording(seed: random.seed, actions: 60)
        let recording = try recorded.open()
        let cursor = try StateCursor(on: recording, at: recording.start)
        for seq in recorded.start + 1...recorded.lastKnown {
            let (before, after) = (Recording.Position(seq: seq, reducer: 0), Recording.Position(seq: seq))
            guard let old = recorded.state(at: Recording.Position(seq: seq - 1)),
                let new = recorded.state(at: after)
            else { continue }
            for (position, state) in [(before, old), (after, new), (before, old)] {
                try cursor.move(to: position)
                #expect(cursor.state == state, "\(position), \(random)")
            }
        }
    }
}

private struct RandomSession {
    private let debugger: Debugger
    private let model: DebuggerModel
    private let recorded: RandomRecording
    private var random: Seeded
    /// The enabled breakpoints and the others, with where they hit.
    private var rules: [Int: (hits: [Recording.Position], isEnabled: Bool)] = [:]
    private var past: [Recording.Position] = []
    private var divergences: [Recording.Position] = []
    private let positions: [Recording.Position]

    init(of recorded: RandomRecording, _ random: Seeded) throws {
        let recording = try recorded.open()
        var types: [Int: String] = [:]
        for action in try recording.actions(in: recorded.start + 1...recorded.last) { types[action.seq] = action.type }
        (self.recorded, self.random) = (recorded, random)
        debugger = Debugger(on: recording)
        model = DebuggerModel(of: recorded, types: types)
        positions = model.all
        #expect(debugger.first == model.first && debugger.last == model.last, "\(random)")
        #expect(debugger.position == model.first, "\(random)")
        divergences = positions.filter { _ in self.random.once(in: 20) }
        debugger.supply(divergences: divergences.shuffled(using: &self.random))
    }

    mutating func doSomething(_ comment: String) throws {
        switch random.below(24) {
        case 0...7: try step(comment)
        case 8, 9: try run(comment)
        case 10: try interrupt(comment)
        case 11, 12: try go(comment)
        case 13: try undo(comment)
        case 14: try addBreakpoint()
        case 15: try changeBreakpoints()
        default: try step(comment)
        }
        if random.once(in: 4) {
            #expect(try debugger.state() == model.state(at: debugger.position), "\(comment): \(debugger.position)")
        }
    }

    private mutating func step(_ comment: String) throws {
        let direction = random.pick(DebuggerDirection.allCases)
        let granularity: StateCursor.Granularity = random.once(in: 2) ? .action : .reducer
        let count = 1 + random.below(3)
        var expected = debugger.position
        var isAtEdge = false
        for _ in 0..<count {
            guard let next = model.step(direction, from: expected, by: granularity) else {
                isAtEdge = true
                break
            }
            expected = next
        }
        let start = debugger.position
        let events = try debugger.perform(.step(direction, by: granularity, count: count))
        noteMove(from: start)
        #expect(debugger.position == expected, "\(comment): \(direction) by \(granularity) from \(start)")
        let edge: DebuggerStop.Reason = direction == .forward ? .end(live: false) : .start
        #expect(events == [stop(isAtEdge ? edge : .step, expected)], "\(comment)")
    }

    /// Undo leads back to where a command has moved from, and past those that have not moved.
    private mutating func noteMove(from start: Recording.Position) {
        if debugger.position != start { past.append(start) }
    }

    private func stop(_ reason: DebuggerStop.Reason, _ position: Recording.Position) -> DebuggerEvent {
        .stopped(DebuggerStop(reason: reason, position: position))
    }

    /// The next hit in a direction, and the breakpoints that hit there.
    private func hit(_ direction: DebuggerDirection) -> (Recording.Position, [Int])? {
        let enabled = rules.filter(\.value.isEnabled)
        let all = enabled.values.flatMap(\.hits)
        let found =
            direction == .forward
            ? all.filter { $0 > debugger.position }.min() : all.filter { $0 < debugger.position }.max()
        return found.map { position in (position, enabled.filter { $0.value.hits.contains(position) }.keys.sorted()) }
    }

    private mutating func run(_ comment: String) throws {
        let direction = random.pick(DebuggerDirection.allCases)
        let expected = hit(direction)
        let start = debugger.position
        defer { noteMove(from: start) }
        var events = try debugger.perform(.run(direction))
        #expect(events == [.running(0)], "\(comment)")
        let budget = 1 + random.below(500)
        while debugger.isRunning {
            events = try debugger.advance(budget: budget)
            if debugger.isRunning { #expect(debugger.position == start, "\(comment)") }
        }
        guard case .stopped(let stop)? = events.last else {
            Issue.record("\(comment): no stop in \(events)")
            return
        }
        let text = "\(comment): \(direction) from \(start) for \(debugger.breakpoints.map(\.text))"
        if let (position, ids) = expected {
            #expect(stop.position == position && stop.reason == .breakpoints(ids), "\(text)")
            for id in ids where !debugger.breakpoints.contains(where: { $0.id == id }) { rules[id] = nil }
        } else {
            let edge = direction == .forward ? max(start, model.last) : model.first
            #expect(stop.position == edge, "\(text)")
            #expect(stop.reason == (direction == .forward ? .end(live: false) : .start), "\(text)")
        }
        #expect(debugger.position == stop.position, "\(text)")
    }

    /// Stops a run after some pieces: no hit is between there and where it began.
    private mutating func interrupt(_ comment: String) throws {
        let direction = random.pick(DebuggerDirection.allCases)
        let expected = hit(direction)
        let start = debugger.position
        defer { noteMove(from: start) }
        _ = try debugger.perform(.run(direction))
        for _ in 0..<random.below(4) where debugger.isRunning { _ = try debugger.advance(budget: 1) }
        guard debugger.isRunning else {
            for id in rules.keys where !debugger.breakpoints.contains(where: { $0.id == id }) { rules[id] = nil }
            return
        }
        #expect(throws: DebuggerError.self) { try debugger.perform(.step(.forward)) }
        let events = debugger.interrupt()
        #expect(!debugger.isRunning && events.count == 1, "\(comment)")
        let position = debugger.position
        #expect(direction == .forward ? position >= start : position <= start, "\(comment)")
        if let (hit, _) = expected {
            #expect(
                direction == .forward ? position < hit : position > hit,
                "\(comment): \(start), \(position), \(hit)"
            )
        }
    }

    private mutating func go(_ comment: String) throws {
        var target = random.pick(positions)
        if target.seq > model.first.seq, random.once(in: 5) { target.reducer = 0 }
        let start = debugger.position
        defer { noteMove(from: start) }
        #expect(try debugger.perform(.go(target)) == [stop(.command, target)], "\(comment)")
        #expect(throws: RecordingError.self) {
            try debugger.perform(.go(Recording.Position(seq: recorded.last + 1)))
        }
        #expect(debugger.position == target, "\(comment)")
    }

    private mutating func undo(_ comment: String) throws {
        guard let expected = past.popLast() else {
            #expect(throws: DebuggerError.self) { try debugger.perform(.undo) }
            return
        }
        // The debugger forgets what was long ago.
        if past.count > 900 { past.removeFirst(past.count - 900) }
        #expect(try debugger.perform(.undo) == [stop(.command, expected)], "\(comment)")
    }

    private mutating func addBreakpoint() throws {
        guard rules.count < 6 else { return }
        let condition = random.pick(DebuggerModel.conditions)
        let rule: DebuggerModel.Rule
        switch random.below(9) {
        case 0: rule = model.action(random.pick(["tick", "edit", "load", "hurry", "unknown", "@travel", "none"]))
        case 1: rule = model.reducer(1 + random.below(RandomRecording.reducers.count))
        case 2, 3:
            let state = recorded.states[random.below(recorded.states.count)].state
            rule = model.change(of: random.pick(RandomRecording.paths(in: state)))
        case 4: rule = try model.expression(condition)
        case 5: rule = try model.turn(of: condition)
        case 6: rule = try model.changedMember(random.pick(["names", "count", "items"]))
        case 7:
            let position = random.pick(positions)
            rule = .init(kind: .position(position), hits: [position])
        default:
            rule =
                try random.once(in: 2)
                ? model.type("edit", and: condition) : .init(kind: .divergence, hits: divergences)
        }
        let other = random.pick(DebuggerModel.conditions)
        let isConditional = random.once(in: 3)
        let breakpoint = try debugger.add(
            rule.kind,
            if: isConditional ? RecordingExpression(other.text) : nil,
            isTemporary: random.once(in: 4)
        )
        rules[breakpoint.id] = (isConditional ? model.hits(of: rule, if: other) : rule.hits, true)
    }

    private mutating func changeBreakpoints() throws {
        guard let id = rules.keys.sorted().randomElement(using: &random) else { return }
        if random.once(in: 2) {
            try debugger.removeBreakpoint(id)
            rules[id] = nil
        } else {
            let isEnabled = random.once(in: 2)
            try debugger.setBreakpoint(id, enabled: isEnabled)
            rules[id]?.isEnabled = isEnabled
        }
    }
}
