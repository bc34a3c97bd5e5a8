import HindsightQuery
import HindsightRecording
import HindsightSupport
import HindsightTree

/// The answer of `bisect`.
struct BisectionReport: ToolReport {
    let outcome: Bisection.Outcome
    let tests: Int
    let range: ClosedRange<Recording.Position>
    /// `nil` if a command was run.
    let expression: RecordingExpression?
    let recording: Recording
    let tool: Tool

    /// Up to this many positions, all are checked.
    private static let maxChecked = 50_000
    /// Of more, so many are.
    private static let sampleCount = 32

    /// - Returns: Whether it is true nowhere, as far as that was checked.
    func print(asJSON: Bool) throws -> Bool {
        let check = try check()
        try print(check, asJSON: asJSON)
        if case .failsAtEnd = outcome { return check.firstTrue == nil } else { return false }
    }

    private func print(_ check: Check, asJSON: Bool) throws {
        let refined = try refined()
        let redacted = try expression.map { try recording.redacted($0.paths) } ?? []
        if asJSON { return console.print(json(check, refined, redacted)) }
        defer { printRemarks(redacted) }
        let what = expression.map { console.style.strong(brief($0.text, longest: 200)) } ?? "The state"
        let (holds, fails) = expression == nil ? ("is bad", "is good") : ("is true", "is not true")
        switch outcome {
        case .turns(let before, let position):
            let turn = refined ?? position
            let when = check.turnsBack ? "becomes true at \(turn)" : "\(holds) from \(turn) on"
            console.print(
                "\(what) \(when)\(try OriginText(recording: recording, budget: console.terminal.width).clause(at: turn))\(try values(turn))."
            )
            if check.isMonotone { try printChecked(check, before) } else { printFlip(check, at: turn) }
            printCommands(turn)
        case .turnsBetween(let before, let position):
            console.print(
                "\(what) \(fails) at \(before) and \(holds) at \(position). Between them it is not known, "
                    + (expression == nil
                        ? "because the command skipped these states, or they were not recorded."
                        : "because \(try whyUnknown()).")
            )
            if !check.isMonotone { printFlip(check, at: position) }
            printCommands(position)
        case .holdsAtBeginning:
            console.print("\(what) \(holds) at \(range.lowerBound) already, where the search begins.")
            if !check.isMonotone { printFlip(check, at: range.lowerBound) }
        case .failsAtEnd:
            console.print("\(what) \(fails) at \(range.upperBound), where the search ends.")
            if let first = check.firstTrue {
                console.print(
                    "But it is true before: first at \(first), at \(Quantities.counted(check.trueCount, "position"))."
                )
                printFind()
            } else if expression != nil {
                console.print(
                    !check.isComplete
                        ? "Whether it is true before was not checked."
                        : isDoubtful
                            ? "In the states as they were recorded, it is true nowhere before."
                            : "It is true nowhere before."
                )
                if !check.isComplete { printFind() }
            }
        case .unknownAt(let position):
            let subject = expression == nil ? "the state" : what
            console.print("Whether \(subject) \(holds) at \(position) is not known, and the search needs it there.")
            if recording.absence(at: position) == nil, expression != nil {
                console.print("The state there was recorded, but \(try whyUnknown(at: position)).")
            }
            console.print("Choose other ends with --from and --to.")
        }
    }

    private func printRemarks(_ redacted: [NodePath]) {
        for path in redacted { console.note(RedactionText.line(path)) }
        if expression?.readsRedactedPayload(in: recording) ?? false {
            console.note(ExpressionReport.lineAboutRedactedPayload)
        }
        tool.noteDoubt(in: recording, from: range.lowerBound, to: range.upperBound)
    }

    /// Whether the range has doubtful states.
    private var isDoubtful: Bool { recording.hasDoubtfulStates(from: range.lowerBound, to: range.upperBound) }

    private func values(_ position: Recording.Position) throws -> String {
        try expression.map { try ExpressionValues(expression: $0, recording: recording).text(at: position) } ?? ""
    }

    private func whyUnknown(at position: Recording.Position? = nil) throws -> String {
        guard let expression else { return "these states were not recorded" }
        return try ExpressionReport.whyUnknown(expression, at: position, in: recording)
    }

    private func printChecked(_ check: Check, _ before: Recording.Position) throws {
        guard expression != nil else {
            return console.print(
                faint: "The state at \(before) is good. The command ran \(tests) times, not at each position."
            )
        }
        if check.isComplete {
            console.print(
                faint: "It is not true before, and stays true up to \(range.upperBound): all positions were checked"
                    + (isDoubtful ? ", doubtful states as they were recorded." : ".")
            )
        } else {
            console.print(
                faint: "It is not true at \(before). Whether it turns back was checked at \(check.count) positions"
                    + " only."
            )
            if check.unknownCount > 0, let first = check.firstUnknown {
                let count = Quantities.counted(check.unknownCount, "position")
                console.print(
                    "It is not known at \(count), first at \(first): \(try whyUnknown())."
                )
            }
            printFind()
        }
    }

    private func printFlip(_ check: Check, at position: Recording.Position) {
        let turns = "turns \(Quantities.counted(check.turnCount, "time"))"
        if check.isTrueBefore, let first = check.firstTrue {
            let place = check.isComplete ? "first at \(first)" : "at \(first)"
            let stays = check.isComplete ? " From \(position) on, it stays true up to \(range.upperBound)." : ""
            console.print(
                check.turnsBack
                    ? "It is true before, too, \(place), and does not stay true: it \(turns)."
                    : "It is true before, too, \(place), and \(turns).\(stays)"
            )
        } else {
            console.print("It does not stay true: it \(turns).")
        }
        printFind()
    }

    private func printFind() {
        guard let expression else { return }
        let rules = expression.ruleFile.map { " --rules \(ShellQuoting.quote($0))" } ?? ""
        let text = ShellQuoting.quote(expression.text, isPath: false)
        let command = "\(tool.name) find \(tool.quoted(recording)) \(text)\(rules) --becomes"
        console.print("  \(console.style.faint("all turns "))  \(command)")
    }

    private func printCommands(_ position: Recording.Position) {
        guard position.seq > recording.start.seq else { return }
        console.print("  \(console.style.faint("the action"))  \(tool.name) show \(tool.quoted(recording)) \(position)")
    }

    // MARK: Details

    /// The position after the reducer from which on it is true in its action; `nil` if that is not known.
    private func refined() throws -> Recording.Position? {
        guard case .turns(let before, let position) = outcome, let expression, !expression.readsOldState,
            position.seq == before.seq + 1, recording.absence(ofChangesIn: position.seq) == nil,
            try !recording.action(position.seq).isTravel
        else { return nil }
        let evaluator = try ExpressionEvaluator(of: recording, where: expression)
        var turn: Recording.Position?
        for reducer in recording.reducers.indices.reversed() {
            let step = Recording.Position(seq: position.seq, reducer: reducer + 1)
            guard try evaluator.truth(at: step) == .yes else { break }
            turn = step
        }
        return turn
    }

    /// Whether the expression is as it is on both sides of the answer.
    private struct Check {
        var isMonotone: Bool { !isTrueBefore && !turnsBack }
        /// Whether it is true somewhere before the answer.
        var isTrueBefore = false
        /// Whether it is not true somewhere after the answer.
        var turnsBack = false
        /// Whether all positions were looked at.
        var isComplete = false
        /// How many positions were looked at where it is known.
        var count = 0
        /// How many were looked at where it is not known.
        var unknownCount = 0
        var firstUnknown: Recording.Position?
        var firstTrue: Recording.Position?
        var trueCount = 0
        var turnCount = 0
    }

    private func check() throws -> Check {
        guard let expression else { return Check() }
        let turn: Recording.Position
        switch outcome {
        case .turns(_, let position), .turnsBetween(_, let position): turn = position
        case .holdsAtBeginning: turn = range.lowerBound
        case .failsAtEnd: turn = Recording.Position(seq: range.upperBound.seq + 1)
        case .unknownAt: return Check()
        }
        guard range.upperBound.seq - range.lowerBound.seq <= Self.maxChecked else {
            return try sampled(expression, turn)
        }
        return try scanned(expression, turn)
    }

    private func scanned(_ expression: RecordingExpression, _ turn: Recording.Position) throws -> Check {
        var check = Check(isComplete: true)
        let scan = try ExpressionScan(of: recording, where: expression, in: range, by: .action)
        var last: Bool?
        while let stretch = try scan.next() {
            guard stretch.truth != .unknown else {
                check.isComplete = false
                check.unknownCount += stretch.count
                if check.firstUnknown == nil { check.firstUnknown = stretch.first }
                continue
            }
            check.count += stretch.count
            let holds = stretch.truth == .yes
            if holds {
                check.trueCount += stretch.count
                if check.firstTrue == nil { check.firstTrue = stretch.first }
                if stretch.first < turn { check.isTrueBefore = true }
            } else if stretch.last >= turn {
                check.turnsBack = true
            }
            if let last, last != holds { check.turnCount += 1 }
            last = holds
        }
        return check
    }

    /// Looks at some positions, and at all if these contradict the answer.
    private func sampled(_ expression: RecordingExpression, _ turn: Recording.Position) throws -> Check {
        var check = Check()
        let evaluator = try ExpressionEvaluator(of: recording, where: expression)
        let length = range.upperBound.seq - range.lowerBound.seq
        for index in 0..<Self.sampleCount {
            let position = Recording.Position(seq: range.lowerBound.seq + length * index / Self.sampleCount)
            let truth = try evaluator.truth(at: position)
            guard truth != .unknown else {
                check.unknownCount += 1
                if check.firstUnknown == nil { check.firstUnknown = position }
                continue
            }
            check.count += 1
            guard (truth == .yes) != (position >= turn) else { continue }
            return try scanned(expression, turn)
        }
        return check
    }

    private func json(_ check: Check, _ refined: Recording.Position?, _ redacted: [NodePath]) -> String {
        let hasEnded = if case .failsAtEnd = outcome { check.isTrueBefore } else { check.turnsBack }
        let stays: Node = expression == nil ? .null : hasEnded ? false : check.isComplete ? true : .null
        let (found, position, before): (Node, Recording.Position?, Recording.Position?) =
            switch outcome {
            case .turns(let before, let position): ("turns", refined ?? position, before)
            case .turnsBetween(let before, let position): ("between", position, before)
            case .holdsAtBeginning: ("atBeginning", range.lowerBound, nil)
            case .failsAtEnd: ("notAtEnd", check.firstTrue, nil)
            case .unknownAt(let position): ("unknown", position, nil)
            }
        func text(_ position: Recording.Position?) -> Node { .optional(position.map { .string($0.description) }) }
        return printable([
            "found": found,
            "position": text(position),
            "reducer": .optional(refined?.reducer.map(Node.int)),
            "before": text(before),
            "staysTrue": stays,
            "trueBefore": text(check.isTrueBefore ? check.firstTrue : nil),
            "tests": .int(tests),
            "doubtful": .bool(isDoubtful),
            "redacted": .array(redacted.map { .string($0.description) }),
        ])
    }
}
