import Foundation
import HindsightFormat
import HindsightRecording
import HindsightTree
import TestSupport
import Testing

@testable import HindsightQuery
@testable import RandomRecordings

/// Expressions as closures over whole states: the brute-force version.
private struct Question: Sendable {
    struct Moment {
        var state: Node
        /// The state before; `nil` at the start.
        var old: Node?
        var type: String?
        var seq: Int
        var reducer: String?
    }

    let text: String
    /// `nil` for NULL.
    let answer: @Sendable (Moment) -> Bool?
    var readsState = true

    private static func number(_ node: Node?) -> Int? {
        switch node {
        case .int(let value)?: value
        case .bool(let value)?: value ? 1 : 0
        default: nil
        }
    }

    private static func at(_ text: String, _ state: Node?) -> Node? {
        let node = NodePath(text).flatMap { state?[$0] }
        return node == .null ? nil : node
    }

    private static func isChanged(_ text: String, _ moment: Moment) -> Bool {
        guard let old = moment.old, let path = NodePath(text) else { return false }
        return old[path] != moment.state[path]
    }

    static let all: [Question] = [
        Question(text: "/count = 1") { number(at("/count", $0.state)).map { $0 == 1 } },
        Question(text: "/items is not null") { at("/items", $0.state) != nil },
        Question(text: "json_array_length(/items) > 4") {
            guard case .array(let items)? = at("/items", $0.state) else { return nil }
            return items.count > 4
        },
        Question(text: "/items/2/done = 1 and /items/0 is not null") {
            let done = at("/items/2/done", $0.state)
            let isThere = at("/items/0", $0.state) != nil
            let isDone: Bool? =
                switch done {
                case nil: nil
                case .bool(let value)?: value
                case .int(let value)?: value == 1
                case .number(let literal)?: Double(literal) == 1
                default: false
                }
            if isDone == false || !isThere { return false }
            return isDone
        },
        Question(text: "changed(/items)") { isChanged("/items", $0) },
        Question(text: "changed(/items/1)") { isChanged("/items/1", $0) },
        Question(text: "changed('') and not changed(/count)") { isChanged("", $0) && !isChanged("/count", $0) },
        Question(text: "changed(/names) or changed(/deep/a/b/c/list/0)") {
            isChanged("/names", $0) || isChanged("/deep/a/b/c/list/0", $0)
        },
        Question(text: "old(/count) <> /count") {
            guard let old = number(at("/count", $0.old)), let new = number(at("/count", $0.state)) else { return nil }
            return old != new
        },
        Question(text: "/text <> old(/text)") {
            guard case .string(let old)? = at("/text", $0.old), case .string(let new)? = at("/text", $0.state) else {
                return nil
            }
            return !old.utf8.elementsEqual(new.utf8)
        },
        Question(text: "value('/names/~0') is null") { at("/names/~0", $0.state) == nil },
        Question(text: "type = 'edit'", answer: { $0.type.map { $0 == "edit" } }, readsState: false),
        Question(text: "/count = 0 and type = 'tick'") {
            let count = number(at("/count", $0.state)).map { $0 == 0 }
            let type = $0.type.map { $0 == "tick" }
            if count == false || type == false { return false }
            return count == nil || type == nil ? nil : true
        },
        Question(text: "seq % 3 = 0 and changed(/matrix)") { $0.seq % 3 == 0 && isChanged("/matrix", $0) },
        Question(text: "value('/items/' || /count) is not null") {
            guard let node = at("/count", $0.state) else { return false }
            let name: String
            switch node {
            case .int(let value): name = "\(value)"
            default: return nil
            }
            return at("/items/\(name)", $0.state) != nil
        },
        Question(
            text: "reducer = 'items' and changed(/items)",
            answer: { moment in
                let isItems = moment.reducer.map { $0 == "items" }
                let changed = isChanged("/items", moment)
                if isItems == false || !changed { return false }
                return isItems
            }
        ),
    ]
}

extension Recording {
    /// The positions at which an expression is true, in order.
    func positions(
        where expression: RecordingExpression,
        in range: ClosedRange<Position>? = nil,
        by granularity: RecordingExpression.Granularity? = nil
    ) throws -> [Position] {
        let scan = try ExpressionScan(of: self, where: expression, in: range, by: granularity)
        var positions: [Position] = []
        while let stretch = try scan.next() {
            if stretch.truth == .yes { positions += stretch.positions }
        }
        return positions
    }
}

@Suite struct ExpressionScanTests {
    @Test func `a scan by reducer goes on with computed steps`() throws {
        let file = Fixtures.recording("crashed/checkout-crash")
        let recording = try Recording(at: file)
        let applied = NodePath(["coupons", "applied"])
        let before = try recording.state(at: Recording.Position(seq: 12, reducer: 0))
        func stretches(
            _ text: String,
            _ returned: Int,
            in range: ClosedRange<Recording.Position>? = nil
        ) throws -> [String] {
            let steps = (1...returned).map { reducer in
                let patch = reducer == 5 ? Patch([.add(path: applied, value: "TEN", at: nil)]) : nil
                return RecordedStep(reducer: reducer, durationInNanoseconds: 0, patch: patch)
            }
            let scan = try ExpressionScan(
                of: recording,
                where: RecordingExpression(text),
                in: range,
                by: .reducer,
                computed: ComputedSteps(steps, of: 12, from: before)
            )
            var found: [String] = []
            while let stretch = try scan.next() {
                if stretch.last.seq == 12, stretch.truth != .no { found.append("\(stretch.last) \(stretch.truth)") }
            }
            #expect(scan.missingPaths.isEmpty)
            return found
        }
        let (is10, changed) = ("/coupons/applied = 'TEN'", "changed(/coupons/applied)")
        #expect(try stretches(is10, 6).filter { !$0.hasSuffix("null") } == ["12.5 yes", "12.6 yes", "12 unknown"])
        #expect(try stretches(changed, 6) == ["12.5 yes", "12 unknown"])
        #expect(try stretches("reducer = 'coupons' and changed(/coupons)", 6) == ["12.5 yes", "12 unknown"])
        #expect(try stretches("duration > 0", 6) == (1...6).map { "12.\($0) unknown" } + ["12 unknown"])
        // If all reducers returned, the state after the last one is known.
        #expect(try stretches(changed, 9) == ["12.5 yes"])
        let range = Recording.Position(seq: 12, reducer: 5)...Recording.Position(seq: 12, reducer: 6)
        #expect(try stretches(is10, 6, in: range) == ["12.5 yes", "12.6 yes"])
    }

    @Test func `a range that ends within an action has no position after it`() throws {
        let recording = try Recording(at: Fixtures.recording("crashed/checkout-crash"))
        let expression = try RecordingExpression("seq > 0")
        let count = recording.reducers.count
        for (reducer, last) in [(0, 11), (1, 11), (count - 1, 11), (count, 12), (nil, 12)] as [(Int?, Int)] {
            let range = recording.start...Recording.Position(seq: 12, reducer: reducer)
            let found = try recording.positions(where: expression, in: range, by: .action)
            #expect(found.map(\.seq) == Array(1...last), "\(range)")
        }
        let inner = Recording.Position(seq: 5, reducer: 1)
        #expect(try recording.positions(where: expression, in: inner...inner, by: .action).isEmpty)
        #expect(try recording.positions(where: expression, in: inner...inner, by: .reducer) == [inner])
    }

    /// The known moments of a recording, from its whole states.
    private func moments(
        of random: RandomRecording,
        _ recording: Recording,
        by granularity: RecordingExpression.Granularity
    ) throws -> [Recording.Position: Question.Moment] {
        var moments: [Recording.Position: Question.Moment] = [:]
        var known: [Recording.Position: Node] = [:]
        for (position, state) in random.states { known[position] = state }
        for (position, state) in random.states {
            let seq = position.seq
            let isStart = seq == random.start
            let action = isStart ? nil : try recording.action(seq)
            let isWhole = position.reducer == nil
            let isRun = random.runs.contains { $0.contains(seq) }
            let isTravel = action?.isTravel ?? false
            var moment = Question.Moment(state: state, old: nil, type: action?.type, seq: seq, reducer: nil)
            if granularity == .action {
                guard isWhole else { continue }
                if !isStart {
                    guard let old = known[Recording.Position(seq: seq - 1)] else { continue }
                    moment.old = old
                }
                moments[position] = moment
                continue
            }
            if isRun { continue }
            var place = position
            if !isStart, !isTravel {
                let reducer = position.reducer ?? RandomRecording.reducers.count
                place = Recording.Position(seq: seq, reducer: reducer)
                moment.reducer = RandomRecording.reducers[reducer - 1]
                let before =
                    reducer == 1
                    ? Recording.Position(seq: seq - 1) : Recording.Position(seq: seq, reducer: reducer - 1)
                guard let old = known[before] else { continue }
                moment.old = old
            } else if isTravel {
                moment.reducer = "time travel"
                moment.old = known[Recording.Position(seq: seq - 1)]
            }
            moments[place] = moment
        }
        return moments
    }

    @Test func `a scan agrees with an evaluation of every whole state`() throws {
        var questions = 0
        for var random in RandomRecording.seeds(5) {
            let seed = random.seed
            let truth = try RandomRecording(seed: seed, actions: 40 + random.below(40))
            let recording = try truth.open()
            for granularity in RecordingExpression.Granularity.allCases {
                let moments = try moments(of: truth, recording, by: granularity)
                for question in Question.all {
                    let expression = try RecordingExpression(question.text)
                    questions += 1
                    for index in [nil, try ChangeIndex(of: recording, cache: nil)] {
                        let scan = try ExpressionScan(
                            of: recording,
                            where: expression,
                            by: granularity,
                            index: index
                        )
                        var results: [Recording.Position: RecordingExpression.Truth] = [:]
                        var last: Recording.Position?
                        while let stretch = try scan.next() {
                            #expect(stretch.positions.count == stretch.count, "\(truth.description)")
                            for position in stretch.positions {
                                if let last { #expect(last < position, "\(truth.description) \(question.text)") }
                                last = position
                                results[position] = stretch.truth
                            }
                        }
                        for (position, moment) in moments {
                            let expected: RecordingExpression.Truth =
                                switch question.answer(moment) {
                                case true?: .yes
                                case false?: .no
                                case nil: .null
                                }
                            #expect(
                                results[position] == expected,
                                "\(truth.description) \(question.text) at \(position) by \(granularity)"
                            )
                        }
                        for (position, result) in results where moments[position] == nil && question.readsState {
                            // What is not known is never claimed, unless the rest of the expression decides.
                            if result != .unknown { #expect(result != .yes || !isUnknown(position, truth)) }
                        }
                    }
                }
            }
        }
        #expect(questions >= 160)
    }

    /// Whether the state at a position was not recorded.
    private func isUnknown(_ position: Recording.Position, _ truth: RandomRecording) -> Bool {
        position.seq > truth.lastKnown
            || truth.runs.contains { $0.contains(position.seq) && position.seq < $0.upperBound }
    }

    @Test func `a single evaluation agrees with a scan`() throws {
        for var random in RandomRecording.seeds(5) {
            let truth = try RandomRecording(seed: random.seed, actions: 40)
            let recording = try truth.open()
            for question in Question.all where !question.text.contains("reducer") {
                let expression = try RecordingExpression(question.text)
                let evaluator = try ExpressionEvaluator(of: recording, where: expression)
                let scan = try ExpressionScan(of: recording, where: expression, by: .action)
                var results: [(Recording.Position, RecordingExpression.Truth)] = []
                while let stretch = try scan.next() { results += stretch.positions.map { ($0, stretch.truth) } }
                for (position, result) in results.shuffled(using: &random) {
                    let single = try evaluator.truth(at: position)
                    #expect(single == result, "\(truth.description) \(question.text) at \(position)")
                }
            }
        }
    }

    @Test func `a range of positions has the results of the whole`() throws {
        var questions = 0
        for var random in RandomRecording.seeds(5) {
            let truth = try RandomRecording(seed: random.seed, actions: 40)
            let recording = try truth.open()
            for number in 0..<20 {
                let question = random.pick(Question.all)
                let expression = try RecordingExpression(question.text)
                let granularity: RecordingExpression.Granularity = number % 2 == 0 ? .action : .reducer
                questions += 1
                let all = try recording.positions(where: expression, by: granularity)
                let ends = [random.below(41), random.below(41)].sorted().map {
                    Recording.Position(seq: truth.start + $0)
                }
                let some = try recording.positions(where: expression, in: ends[0]...ends[1], by: granularity)
                let expected = all.filter { position in
                    let isLast = position.reducer == RandomRecording.reducers.count
                    return ends[0] <= (isLast ? Recording.Position(seq: position.seq) : position) && position <= ends[1]
                }
                #expect(some == expected, "\(truth.description) \(question.text) by \(granularity) in \(ends)")
            }
        }
        #expect(questions >= 100)
    }

    @Test func `time travel is one position, also between actions that touch no path`() throws {
        for random in RandomRecording.seeds(2) {
            let made = try RandomRecording(seed: random.seed, actions: 200, isWhole: true)
            let recording = try made.open()
            let travels = try (1...made.last).filter { try recording.action($0).isTravel }
            #expect(!travels.isEmpty, "\(random)")
            // The total never changes.
            let expression = try RecordingExpression("/total = 12.50")
            for index in [nil, try ChangeIndex(of: recording, cache: nil)] {
                let scan = try ExpressionScan(of: recording, where: expression, by: .reducer, index: index)
                var count = 0
                while let stretch = try scan.next() {
                    count += stretch.count
                    let isAlone = stretch.first == Recording.Position(seq: stretch.first.seq) && stretch.count == 1
                    #expect(!travels.contains(stretch.first.seq) || isAlone, "\(random): \(stretch)")
                }
                #expect(count == made.states.count, "\(random)")
            }
        }
    }

    @Test func `in an app without reducers, a scan by reducer has each action`() throws {
        let scratch = Scratch()
        let url = scratch.file()
        try Data().write(to: url)
        let tables = try NewTables(in: url.path)
        try tables.begin(reducers: [], "{}", at: 0)
        for seq in 1...3 {
            let action = DispatchedAction(seq: seq, type: "act", payload: "{\"act\":{}}", at: Int64(seq))
            try tables.insert(action, duration: 1, steps: TimedPatches.write([]).text)
        }
        try tables.finish([
            "app": .text("x"), "version": .text("1"), "platform": .text("x"), "created": .number(1),
            "closed": .number(2),
        ])
        let recording = try Recording(at: url)
        for granularity in RecordingExpression.Granularity.allCases {
            let positions = try recording.positions(where: RecordingExpression("seq >= 2"), by: granularity)
            #expect(positions == [Recording.Position(seq: 2), Recording.Position(seq: 3)], "\(granularity)")
        }
    }

    @Test func `a path that never exists is told`() throws {
        let recording = try RandomRecording(seed: 3, isWhole: true).open()
        let scan = try ExpressionScan(of: recording, where: RecordingExpression("/cuont = 1 or /count = 1"))
        while try scan.next() != nil {}
        #expect(scan.missingPaths == [NodePath(["cuont"])])
    }
}

@Suite struct BisectionTests {
    @Test func `a bisection finds the first position of a condition that stays`() throws {
        var questions = 0
        for var random in RandomRecording.seeds(12) {
            let truth = try RandomRecording(seed: random.seed, actions: 60)
            let recording = try truth.open()
            let range = recording.start...recording.end
            let known = (recording.start.seq...recording.end.seq).filter {
                recording.absence(at: Recording.Position(seq: $0)) == nil
            }
            for _ in 0..<20 {
                let turn = truth.start + 1 + random.below(60)
                questions += 1
                let outcome = try Bisection.outcome(in: recording, range) { position in
                    recording.absence(at: position) == nil ? position.seq >= turn : nil
                }
                let place = "\(truth.description), turning at \(turn)"
                switch outcome {
                case .turns(let before, let position):
                    #expect(position.seq == turn && before.seq == turn - 1, "\(place)")
                case .turnsBetween(let before, let position):
                    #expect(position.seq == known.first { $0 >= turn }, "\(place)")
                    #expect(before.seq == known.last { $0 < turn }, "\(place)")
                case .failsAtEnd:
                    #expect(turn > recording.end.seq, "\(place)")
                case .holdsAtBeginning, .unknownAt:
                    Issue.record("\(place): \(outcome)")
                }
            }
        }
        #expect(questions >= 240)
    }

    @Test func `a bisection needs few tests`() throws {
        let recording = try RandomRecording(seed: 5, actions: 200, isWhole: true).open()
        var tests = 0
        let outcome = try Bisection.outcome(in: recording, recording.start...recording.end) { position in
            tests += 1
            return position.seq >= 137
        }
        #expect(outcome == .turns(after: Recording.Position(seq: 136), at: Recording.Position(seq: 137)))
        #expect(tests <= 10)
    }
}
