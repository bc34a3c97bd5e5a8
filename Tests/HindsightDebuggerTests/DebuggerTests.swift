import Foundation
import HindsightFormat
import HindsightRecorder
import HindsightStore
import HindsightTree
import TestSupport
import Testing

@testable import HindsightDebugger
@testable import RandomRecordings

@Suite struct DebuggerTests {
    private func debugger(seed: UInt64 = 7, actions: Int = 60) throws -> (Debugger, RandomRecording) {
        let random = try RandomRecording(seed: seed, actions: actions, isWhole: true)
        return (Debugger(on: try random.open()), random)
    }

    private func run(_ direction: DebuggerDirection, _ debugger: Debugger) throws -> DebuggerStop? {
        var events = try debugger.perform(.run(direction))
        while debugger.isRunning { events = try debugger.advance() }
        for case .stopped(let stop) in events { return stop }
        return nil
    }

    // MARK: Breakpoints

    @Test func `ten thousand breakpoints find what one finds`() throws {
        for random in RandomRecording.seeds(1) {
            let recorded = try RandomRecording(seed: random.seed, actions: 60, isWhole: true)
            let path = NodePath(["names", "a"])
            let one = Debugger(on: try recorded.open())
            let wanted = try one.add(.change(of: path))
            let many = Debugger(on: try recorded.open())
            for number in 0..<5000 {
                try many.add(.change(of: NodePath(["nothing", "\(number)", "at", "all"])))
                try many.add(.action(type: "type\(number)"))
            }
            let added = try many.add(.change(of: path))
            for direction in [DebuggerDirection.forward, .forward, .forward, .backward] {
                let (left, right) = (try run(direction, one), try run(direction, many))
                #expect(left?.position == right?.position, "\(random)")
                if left?.reason == .breakpoints([wanted.id]) {
                    #expect(right?.reason == .breakpoints([added.id]), "\(random)")
                }
            }
        }
    }

    /// The paths of all values in a state.
    private func paths(in node: Node, at path: NodePath = NodePath()) -> [NodePath] {
        switch node {
        case .array(let elements):
            [path] + elements.indices.flatMap { paths(in: elements[$0], at: path.appending("\($0)")) }
        case .object(let members): [path] + members.flatMap { paths(in: $0.value, at: path.appending($0.key)) }
        default: [path]
        }
    }

    @Test func `many watches stop where each of them does alone`() throws {
        for random in RandomRecording.seeds(2) {
            let recorded = try RandomRecording(seed: random.seed, actions: 40, isWhole: random.seed % 2 == 0)
            var all: Set<NodePath> = []
            for (_, state) in recorded.states { all.formUnion(paths(in: state)) }
            let watched = all.sorted { $0.description < $1.description }.prefix(16)
            #expect(watched.count > 8, "\(random)")
            let many = Debugger(on: try recorded.open())
            var expected: [Recording.Position: Set<NodePath>] = [:]
            var places: [Int: NodePath] = [:]
            for path in watched {
                places[try many.add(.change(of: path)).id] = path
                let one = Debugger(on: try recorded.open())
                try one.add(.change(of: path))
                _ = try one.perform(.go(one.first))
                while let stop = try run(.forward, one), case .breakpoints = stop.reason {
                    expected[stop.position, default: []].insert(path)
                }
            }
            _ = try many.perform(.go(many.first))
            var found: [Recording.Position: Set<NodePath>] = [:]
            while let stop = try run(.forward, many), case .breakpoints(let ids) = stop.reason {
                found[stop.position] = Set(ids.compactMap { places[$0] })
            }
            #expect(found == expected, "\(random)")
        }
    }

    @Test func `stops at a watched path are the changes of its history`() throws {
        for random in RandomRecording.seeds(10) {
            let recorded = try RandomRecording(seed: random.seed, actions: 100, isWhole: true)
            let recording = try recorded.open()
            let path = NodePath(["count"])
            let debugger = Debugger(on: recording)
            try debugger.add(.change(of: path))
            var found: [Recording.Position] = []
            while let stop = try run(.forward, debugger), case .breakpoints = stop.reason {
                found.append(stop.position)
            }
            let expected = try recording.history(of: path).changes.compactMap { change -> Recording.Position? in
                if case .step(let position) = change.origin { position } else { nil }
            }
            #expect(found == expected, "\(random)")
        }
    }

    @Test(arguments: [("thread <> 1", 21...40), ("task is not null", 31...40)])
    func `an expression over the thread or the task stops at each of its actions`(
        text: String,
        actions: ClosedRange<Int>
    ) throws {
        let debugger = Debugger(on: try Recording(at: Fixtures.recording("threads")))
        try debugger.add(.expression(RecordingExpression(text)))
        var found: [Recording.Position] = []
        while let stop = try run(.forward, debugger), case .breakpoints = stop.reason { found.append(stop.position) }
        #expect(found.map(\.seq) == Array(actions))
    }

    @Test func `the actions at the seam of two parts of a search are examined as the others`() throws {
        // Forward, the parts are 1 to 64, 65 to 320 and 321 to 400; backward, 337 to 400, 81 to 336 and 1 to 80.
        let recorded = try RandomRecording(seed: 7, actions: 400, isWhole: true)
        let second = recorded.states.map(\.position).filter { $0.reducer == 2 }
        let rules: [(Breakpoint.Kind, [Recording.Position])] = [
            (.expression(try RecordingExpression("reducer = 'items'")), second),
            (.expression(try RecordingExpression("seq >= 60")), [Recording.Position(seq: 60)]),
            (.expression(try RecordingExpression("seq >= 65")), [Recording.Position(seq: 65)]),
            (.turn(of: try RecordingExpression("seq >= 65")), [Recording.Position(seq: 65)]),
            (.turn(of: try RecordingExpression("seq < 337")), [Recording.Position(seq: 337)]),
        ]
        for (kind, expected) in rules {
            let debugger = Debugger(on: try recorded.open())
            let text = try debugger.add(kind).text
            for direction in DebuggerDirection.allCases {
                _ = try debugger.perform(.go(direction == .forward ? debugger.first : debugger.last))
                var found: [Recording.Position] = []
                while let stop = try run(direction, debugger), case .breakpoints = stop.reason {
                    found.append(stop.position)
                }
                #expect(found == (direction == .forward ? expected : expected.reversed()), "\(text), \(direction)")
            }
        }
    }

    @Test func `a temporary breakpoint stops once, and hits are counted`() throws {
        let (debugger, _) = try debugger()
        let kept = try debugger.add(.expression(RecordingExpression("seq = 20")))
        try debugger.add(.expression(RecordingExpression("seq = 20")), isTemporary: true)
        let stop = try run(.forward, debugger)
        #expect(stop?.position == Recording.Position(seq: 20))
        #expect(debugger.breakpoints.map(\.id) == [kept.id])
        #expect(debugger.breakpoints.first?.hitCount == 1)
    }

    /// The actions at which runs from the start stop.
    private func stops(_ debugger: Debugger) throws -> [Int] {
        var found: [Int] = []
        while let stop = try run(.forward, debugger), case .breakpoints = stop.reason {
            found.append(stop.position.seq)
        }
        return found
    }

    private enum DeskAction: Codable, Sendable {
        case market(Market)
        case reset

        enum Market: Codable, Sendable {
            case quotes
            case watch(symbol: String)
        }
    }

    @Test(arguments: DebuggerDirection.allCases)
    func `a run goes on from hits at which a user interface does not stop, and counts them`(
        direction: DebuggerDirection
    ) throws {
        let (debugger, _) = try debugger()
        let breakpoint = try debugger.add(.change(of: NodePath(["count"])))
        let begin = direction == .forward ? debugger.first : debugger.last
        _ = try debugger.perform(.go(begin))
        var wanted: [Recording.Position] = []
        while let stop = try run(direction, debugger), stop.reason == .breakpoints([breakpoint.id]) {
            wanted.append(stop.position)
        }
        #expect(wanted.count > 3)
        let end = debugger.position
        _ = try debugger.perform(.go(begin))
        _ = try debugger.perform(.run(direction))
        var visited: [Recording.Position] = []
        var last: [DebuggerEvent] = []
        while debugger.isRunning {
            last = try debugger.advance(stops: { ids in
                #expect(ids == [breakpoint.id])
                visited.append(debugger.position)
                return visited.count == 3 ? ids : []
            })
        }
        #expect(visited == Array(wanted.prefix(3)) && debugger.position == wanted[2])
        #expect(last == [.stopped(DebuggerStop(reason: .breakpoints([breakpoint.id]), position: wanted[2]))])
        #expect(debugger.hits.map(\.id) == [breakpoint.id])
        #expect(debugger.breakpoints[0].hitCount == wanted.count + 3)
        // It is one move.
        _ = try debugger.perform(.undo)
        #expect(debugger.position == begin)
        _ = try debugger.perform(.run(direction))
        while debugger.isRunning { _ = try debugger.advance(stops: { _ in [] }) }
        #expect(debugger.position == end)
        struct Failed: Error {}
        _ = try debugger.perform(.go(begin))
        _ = try debugger.perform(.run(direction))
        #expect(throws: Failed.self) { _ = try debugger.advance(stops: { _ in throw Failed() }) }
        #expect(debugger.position == begin && !debugger.isRunning)
    }

    @Test func `a breakpoint on a nested type stops at its actions`() throws {
        let scratch = Scratch()
        let url = scratch.file("desk.hindsight")
        let recorder = try Recorder<Count, DeskAction>(to: url, app: AppInfo(name: "desk", version: "1"))
        let reducer = Reducer<Count, DeskAction>("count") { state, _ in state.value += 1 }
        let store = Store(initial: Count(), reducer: reducer, middleware: [recorder.middleware])
        let actions: [DeskAction] = [.market(.quotes), .market(.watch(symbol: "X")), .reset, .market(.quotes)]
        for action in actions { store.dispatch(action) }
        try recorder.close()
        for (type, expected) in [("market.quotes", [1, 4]), ("market.watch", [2]), ("market", [1, 2, 4])] {
            let debugger = Debugger(on: try Recording(at: url))
            try debugger.add(.action(type: type))
            #expect(try stops(debugger) == expected, "\(type)")
        }
    }

    private struct Queue: Codable, Sendable {
        var items = [1, 2, 3]
        var count = 0
    }

    private enum QueueAction: Codable, Sendable {
        case count
        case push(Int)
        case pop
    }

    @Test func `a watch on an element stops where one before it is added or removed`() throws {
        let scratch = Scratch()
        let url = scratch.file("queue.hindsight")
        let recorder = try Recorder<Queue, QueueAction>(to: url, app: AppInfo(name: "queue", version: "1"))
        let reducer = Reducer<Queue, QueueAction>("queue") { state, action in
            switch action {
            case .count: state.count += 1
            case .push(let item): state.items.insert(item, at: 0)
            case .pop: state.items.removeFirst()
            }
        }
        let store = Store(initial: Queue(), reducer: reducer, middleware: [recorder.middleware])
        for action: QueueAction in [.count, .pop, .count, .push(9), .count] { store.dispatch(action) }
        try recorder.close()
        let debugger = Debugger(on: try Recording(at: url))
        try debugger.add(.change(of: NodePath(["items", "1"])))
        #expect(try stops(debugger) == [2, 4])
    }

    @Test func `a breakpoint that cannot hit is refused`() throws {
        let (debugger, _) = try debugger()
        let error = #expect(throws: DebuggerError.self) { try debugger.add(.reducer("nothing")) }
        #expect(error?.code == .noReducer && error?.allowed == RandomRecording.reducers)
        #expect(throws: DebuggerError.self) { try debugger.removeBreakpoint(3) }
        #expect(debugger.breakpoints.isEmpty)
    }

    @Test func `divergences are asked for only if a breakpoint needs them`() throws {
        let (debugger, _) = try debugger()
        #expect(!debugger.needsDivergences)
        try debugger.add(.divergence)
        #expect(debugger.needsDivergences)
        debugger.supply(divergences: [Recording.Position(seq: 31), Recording.Position(seq: 12)])
        #expect(!debugger.needsDivergences)
        #expect(try run(.forward, debugger)?.position == Recording.Position(seq: 12))
        #expect(try run(.forward, debugger)?.position == Recording.Position(seq: 31))
    }

    @Test func `a run in pieces says how far it is`() throws {
        let (debugger, _) = try debugger(actions: 400)
        try debugger.add(.action(type: "never"))
        _ = try debugger.perform(.run(.forward))
        var last = 0.0
        while debugger.isRunning {
            for case .running(let part) in try debugger.advance(budget: 1) {
                #expect(part >= last && part <= 1)
                last = part
            }
        }
        #expect(last > 0)
        #expect(debugger.position == debugger.last)
    }

    @Test func `a run asks whether it is interrupted while it evaluates expressions`() throws {
        let (debugger, _) = try debugger(actions: 400)
        try debugger.add(.expression(RecordingExpression("seq < 0")))
        for direction in DebuggerDirection.allCases {
            _ = try debugger.perform(.go(direction == .forward ? debugger.first : debugger.last))
            _ = try debugger.perform(.run(direction))
            var asked = 0
            let events = try debugger.advance(budget: .max) {
                asked += 1
                return asked > 100
            }
            #expect(asked == 101 && !debugger.isRunning)
            #expect(events.count == 1)
            guard case .stopped(let stop)? = events.first else { continue }
            #expect(stop.reason == .interrupted && stop.position > debugger.first && stop.position < debugger.last)
        }
    }

    @Test(arguments: [36, 40, 51])
    func `what was known before redacted values counts, wherever a run begins`(seq: Int) throws {
        let hidden = "case when seq >= 38 and seq < 52 then length(/items/0/title)"
        let rules: [(Breakpoint.Kind, isHit: Bool)] = [
            (.turn(of: try RecordingExpression("\(hidden) when seq < 38 then 1 else 2 end")), true),
            (.turn(of: try RecordingExpression("\(hidden) else 1 end")), false),
            (.expression(try RecordingExpression("\(hidden) > 3 when seq < 38 then 0 else 1 end")), true),
        ]
        for (kind, isHit) in rules {
            let debugger = Debugger(on: try Recording(at: Fixtures.recording("partial")))
            let breakpoint = try debugger.add(kind)
            _ = try debugger.perform(.go(Recording.Position(seq: seq)))
            let stop = try run(.forward, debugger)
            #expect(stop?.position == (isHit ? Recording.Position(seq: 52) : debugger.last), "\(kind)")
            _ = try debugger.perform(.go(debugger.last))
            let back = try run(.backward, debugger)
            #expect(back?.reason == (isHit ? .breakpoints([breakpoint.id]) : .start), "\(kind)")
            #expect(back?.position == (isHit ? Recording.Position(seq: 52) : debugger.first), "\(kind)")
        }
    }

    @Test func `a run counts the unknown positions that it passes, each once`() throws {
        // The states in actions 45 to 48 were not recorded.
        let debugger = Debugger(on: try Recording(at: Fixtures.recording("partial")))
        for _ in 0..<2 { try debugger.add(.expression(RecordingExpression("/counts/open = 2"))) }
        for seq in [38, 50] { try debugger.add(.position(Recording.Position(seq: seq))) }
        let ways: [(direction: DebuggerDirection, stop: Int, unknown: Int)] = [
            (.forward, 38, 0), (.forward, 50, 4), (.forward, 67, 0), (.backward, 50, 0), (.backward, 38, 4),
        ]
        for way in ways {
            let stop = try run(way.direction, debugger)
            #expect(stop?.position == Recording.Position(seq: way.stop), "\(way)")
            #expect(stop?.unknownCount == way.unknown, "\(way)")
        }
    }

    // MARK: Reading

    @Test func `changed members are marked, and listed in pages`() throws {
        let (debugger, recorded) = try debugger()
        for write in recorded.writes.prefix(60) {
            guard let patch = write.patch, !patch.isEmpty else { continue }
            _ = try debugger.perform(.go(write.position))
            let all = try #require(try debugger.variables())
            let before = try debugger.stateBefore()
            for variable in all {
                let isChanged = before?[variable.path] != variable.value
                if isChanged { #expect(variable.isChanged, "\(write.position) \(variable.path)") }
            }
            var paged: [String] = []
            for start in stride(from: 0, to: all.count, by: 3) {
                paged += try debugger.variables(range: start..<start + 3)?.map(\.name) ?? []
            }
            #expect(paged == all.map(\.name))
        }
        #expect(try debugger.variables(at: NodePath(["no", "such"])) == nil)
        #expect(try debugger.variables(at: NodePath(["count"]))?.isEmpty == true)
    }

    @Test func `what an unchanged member looks like`() {
        let places = ChangedPlaces([
            .replace(path: NodePath(["a", "b"]), old: 1, new: 2),
            .splice(path: NodePath(["list"]), at: 2, remove: [], insert: [7]),
        ])
        let marked = ["", "/a", "/a/b", "/a/b/c", "/list", "/list/2"].compactMap { NodePath($0) }
        for path in marked { #expect(places.contain(path), "\(path)") }
        for path in ["/b", "/a/c", "/list/1", "/list/3"].compactMap({ NodePath($0) }) {
            #expect(!places.contain(path), "\(path)")
        }
        let shorter = ChangedPlaces([.splice(path: NodePath(["list"]), at: 2, remove: [7], insert: [])])
        #expect(shorter.contain(NodePath()) && shorter.contain(NodePath(["list"])))
        #expect(!shorter.contain(NodePath(["list", "2"])))
    }

    @Test(arguments: [
        ("total", ["total"]), ("cart.lines[0].sku", ["cart", "lines", "0", "sku"]), ("a[1][2]", ["a", "1", "2"]),
        ("_line2-b", ["_line2-b"]), ("/cart", nil), ("a b", nil), ("a..b", nil), ("1a", nil), ("a[x]", nil),
        ("a = 1", nil),
    ])
    func `names are paths in dots and brackets`(text: String, names: [String]?) {
        #expect(Debugger.names(text) == names)
    }

    @Test func `a text is a path, a name or an expression`() throws {
        let (debugger, _) = try debugger()
        guard case .value(let path, let node) = try debugger.evaluate("/count") else {
            Issue.record("no value")
            return
        }
        let count = try debugger.state()?["count"]
        #expect(path == NodePath(["count"]) && node == count)
        if case .value(let path, _) = try debugger.evaluate("items[0].id") {
            #expect(path == NodePath(["items", "0", "id"]))
        } else {
            Issue.record("no value")
        }
        #expect(try debugger.path(named: "id", in: NodePath(["items", "1"])) == NodePath(["items", "1", "id"]))
        if case .missing = try debugger.evaluate("/nothing") {} else { Issue.record("not missing") }
        if case .truth(.yes) = try debugger.evaluate("/count >= 0") {} else { Issue.record("not true") }
        #expect(throws: ExpressionError.self) { try debugger.evaluate("nothing > 0") }
    }

    @Test func `the stack has the reducer and the action`() throws {
        let (debugger, recorded) = try debugger()
        let write = try #require(recorded.writes.first { $0.reducer == 2 })
        _ = try debugger.perform(.go(write.position))
        let frames = try debugger.stack()
        #expect(frames.first?.kind == .reducer(2, name: RandomRecording.reducers[1]))
        #expect(frames.dropFirst().first?.kind == .action)
        #expect(frames.allSatisfy { $0.action.seq == write.position.seq })
        _ = try debugger.perform(.go(debugger.first))
        #expect(try debugger.stack().isEmpty)
    }

    // MARK: Branches

    @Test func `planned changes become a branch, and undo goes back`() throws {
        let (debugger, _) = try debugger()
        #expect(throws: DebuggerError.self) { try debugger.changedLog() }
        _ = try debugger.perform(.go(Recording.Position(seq: 12)))
        try debugger.edit(.skip(12))
        try debugger.edit(.insert(["tick": [:]], after: 20))
        #expect(throws: (any Error).self) { try debugger.edit(.edit(12, to: ["tick": [:]])) }
        #expect(debugger.edits.count == 2)
        #expect(try debugger.perform(.undo) == [.editsChanged])
        #expect(debugger.edits == [.skip(12)])

        let log = try debugger.changedLog()
        #expect(log.kept == 11)
        let other = try RandomRecording(seed: 8, actions: 40, isWhole: true)
        _ = debugger.addBranch(try other.open(), named: "without 12", running: log)
        #expect(debugger.branch == 1 && debugger.position == Recording.Position(seq: 12))
        #expect(debugger.edits.isEmpty && debugger.branches[0].edits.isEmpty)
        #expect(debugger.branches[1].origin == .init(parent: 0, edits: [.skip(12)]))
        #expect(try debugger.state() == other.state(at: Recording.Position(seq: 12)))

        _ = try debugger.perform(.step(.forward))
        _ = try debugger.perform(.checkout(branch: 0))
        #expect(debugger.branch == 0 && debugger.position == Recording.Position(seq: 12))
        _ = try debugger.perform(.checkout(branch: 1))
        #expect(debugger.position == Recording.Position(seq: 13))
        _ = try debugger.perform(.undo)
        #expect(debugger.branch == 0)
        #expect(throws: DebuggerError.self) { try debugger.perform(.checkout(branch: 2)) }
    }

    private static let crashed = Fixtures.recording("crashed/checkout-crash")

    @Test func `a branch knows that the action of the crash ran through`() throws {
        let other = try RandomRecording(seed: 8, actions: 12, isWhole: true)
        let debugger = Debugger(on: try Recording(at: Self.crashed))
        for (edit, number) in [(ChangedLog.Edit.skip(8), 11), (.skip(12), nil)] as [(ChangedLog.Edit, Int?)] {
            _ = try debugger.perform(.checkout(branch: 0))
            try debugger.edit(edit)
            _ = debugger.addBranch(try other.open(), named: "other", running: try debugger.changedLog())
            #expect(debugger.branches.last?.crashVerdict?.number == number, "\(edit)")
        }
    }

    // MARK: Crashes

    @Test func `the stack at a crash has the reducer in which the process ended`() throws {
        let debugger = Debugger(on: try Recording(at: Self.crashed))
        #expect(try debugger.stack().map(\.kind).prefix(2) == [.reducer(7, name: "cart.totals"), .action])
        _ = try debugger.perform(.go(Recording.Position(seq: 11)))
        #expect(try debugger.stack().first?.kind == .action)
    }

    @Test(arguments: ["seq = 12", "type = 'ApplyCoupon' and seq > 10", "origin = 'session.jsonl:12'"])
    func `an expression that is true of the action that never finished stops at the crash`(text: String) throws {
        let expression = try RecordingExpression(text)
        for kind in [Breakpoint.Kind.expression(expression), .turn(of: expression)] {
            let debugger = Debugger(on: try Recording(at: Self.crashed))
            _ = try debugger.perform(.go(debugger.first))
            let breakpoint = try debugger.add(kind, if: RecordingExpression("/cart/totals/gross > 0"))
            let stop = try run(.forward, debugger)
            #expect(stop?.position == Recording.Position(seq: 12, reducer: 0), "\(kind)")
            #expect(stop?.reason == .breakpoints([breakpoint.id]) && debugger.isAtCrash, "\(kind)")
            #expect(try run(.forward, debugger)?.reason == .end(live: false))
            #expect(try run(.backward, debugger)?.reason == .start)
        }
    }

    @Test func `computed steps before a crash are positions like others`() throws {
        let debugger = Debugger(on: try Recording(at: Self.crashed))
        let crash = Recording.Position(seq: 12, reducer: 0)
        #expect(debugger.position == crash && debugger.crash == crash && !debugger.isComputed)
        #expect(debugger.needsComputedSteps(for: .step(.forward, by: .reducer)))
        #expect(debugger.needsComputedSteps(for: .go(Recording.Position(seq: 12, reducer: 3))))
        for command in [DebuggerCommand.step(.forward), .step(.backward, by: .reducer), .run(.forward), .go(crash)] {
            #expect(!debugger.needsComputedSteps(for: command), "\(command)")
        }
        let path = NodePath(["coupons", "applied"])
        let steps = (1...6).map { reducer in
            let patch = reducer == 5 ? Patch([.add(path: path, value: "TEN", at: nil)]) : nil
            return RecordedStep(reducer: reducer, durationInNanoseconds: 0, patch: patch)
        }
        let before = try #require(try debugger.state())
        debugger.supply(try ComputedSteps(steps, of: 12, from: before))
        #expect(!debugger.needsComputedSteps(for: .step(.forward, by: .reducer)))

        for reducer in 1...6 {
            _ = try debugger.perform(.step(.forward, by: .reducer))
            #expect(debugger.position == Recording.Position(seq: 12, reducer: reducer) && debugger.isComputed)
            #expect(try debugger.changes()?.operations.count == (reducer == 5 ? 1 : 0))
            #expect(try debugger.state()?[path] == (reducer < 5 ? nil : "TEN"))
            #expect(try debugger.stateBefore()?[path] == (reducer < 6 ? nil : "TEN"))
        }
        #expect(debugger.crash == debugger.position && debugger.absence == nil)
        let changes = try debugger.computedChanges(of: path)
        #expect(changes.map(\.origin) == [.step(Recording.Position(seq: 12, reducer: 5))])
        #expect(changes.map(\.new) == ["TEN"] && changes.map(\.old) == [nil])
        #expect(
            try debugger.perform(.step(.forward, by: .reducer))
                == [.stopped(DebuggerStop(reason: .end(live: false), position: debugger.position))]
        )
        if case .result("TEN") = try debugger.evaluate("old(/coupons/applied)") {} else { Issue.record("no value") }
        if case .truth(.no) = try debugger.evaluate("changed(/coupons)") {} else { Issue.record("changed") }
        if case .value = try debugger.evaluate("coupons.applied") {} else { Issue.record("no name") }

        // A step by action and a run lead from each of them to the crash, and from before them to the action.
        for reducer in 1...5 {
            for command in [DebuggerCommand.step(.forward), .run(.forward)] {
                _ = try debugger.perform(.go(Recording.Position(seq: 12, reducer: reducer)))
                _ = try debugger.perform(command)
                while debugger.isRunning { _ = try debugger.advance() }
                #expect(debugger.position == debugger.crash, "\(command) from \(reducer)")
            }
        }
        _ = try debugger.perform(.go(Recording.Position(seq: 11)))
        _ = try debugger.perform(.run(.forward))
        while debugger.isRunning { _ = try debugger.advance() }
        #expect(debugger.position == crash)
        _ = try debugger.perform(.go(Recording.Position(seq: 12, reducer: 6)))

        // And back, to before the first reducer and to the action before.
        _ = try debugger.perform(.step(.backward, by: .reducer, count: 6))
        #expect(debugger.position == crash && !debugger.isComputed)
        #expect(try debugger.state() == before)
        _ = try debugger.perform(.go(Recording.Position(seq: 12, reducer: 5)))
        _ = try debugger.perform(.step(.backward))
        #expect(debugger.position == Recording.Position(seq: 11))
    }

    // MARK: Growing

    private struct Count: Codable, Sendable {
        var value = 0
    }

    private enum CountAction: Codable, Sendable {
        case add(Int)
    }

    @Test func `the end of a live recording moves on`() throws {
        let scratch = Scratch()
        let url = scratch.file("live.hindsight")
        let recorder = try Recorder<Count, CountAction>(to: url, app: AppInfo(name: "count", version: "1"))
        let reducer = Reducer<Count, CountAction>("add") { state, action in
            if case .add(let amount) = action { state.value += amount }
        }
        let store = Store(initial: Count(), reducer: reducer, middleware: [recorder.middleware])
        for _ in 0..<5 { store.dispatch(.add(1)) }
        try recorder.flush()

        let debugger = Debugger(on: try Recording(at: url))
        #expect(debugger.isLive && debugger.last == Recording.Position(seq: 5))
        try debugger.add(.expression(RecordingExpression("/value = 8")))
        #expect(try run(.forward, debugger)?.reason == .end(live: true))
        #expect(try debugger.state()?["value"] == 5)

        for _ in 0..<5 { store.dispatch(.add(1)) }
        try recorder.flush()
        try debugger.add(.divergence)
        debugger.supply(divergences: [])
        #expect(!debugger.needsDivergences)
        #expect(try debugger.refresh() == [.grew(end: Recording.Position(seq: 10))])
        #expect(debugger.needsDivergences, "the new actions may diverge, too")
        #expect(debugger.divergences == [], "what was found stays")
        #expect(debugger.position == Recording.Position(seq: 5))
        let stop = try run(.forward, debugger)
        #expect(stop?.position == Recording.Position(seq: 8))
        #expect(try debugger.state()?["value"] == 8)

        try recorder.close()
        #expect(try debugger.refresh() == [.ended])
        #expect(try debugger.refresh().isEmpty)
        #expect(try run(.forward, debugger)?.reason == .end(live: false))
    }

    @Test func `a recording that was deleted meanwhile can still be stepped through`() throws {
        let (debugger, recorded) = try debugger()
        try FileManager.default.removeItem(at: recorded.url)
        for _ in 0..<60 { _ = try debugger.perform(.step(.forward, by: .reducer)) }
        #expect(try debugger.state() == recorded.state(at: debugger.position))
        try Data().write(to: recorded.url)
    }
}
