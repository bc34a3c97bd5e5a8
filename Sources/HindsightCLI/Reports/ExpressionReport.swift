import HindsightQuery
import HindsightRecording
import HindsightSupport
import HindsightTree

/// The answer of `find`.
struct ExpressionReport: ToolReport {
    let search: ExpressionSearch
    let scan: ExpressionScan
    /// What the expression names and the recording does not have.
    let names: UnknownNames
    let tool: Tool

    init(search: ExpressionSearch, scan: ExpressionScan, by index: ChangeIndex?, _ tool: Tool) throws {
        (self.search, self.scan, self.tool) = (search, scan, tool)
        // An answer that is neither empty nor all positions needs no look for mistakes.
        let isEverywhere = search.trueCount + search.nullCount + search.unknownCount == search.positionCount
        let isSuspect = search.isComplete && (search.trueCount == 0 || isEverywhere || !scan.missingPaths.isEmpty)
        var names = isSuspect ? try scan.expression.unknownNames(in: scan.recording, by: index) : UnknownNames()
        // What is true at some positions only has values of several kinds.
        if search.trueCount > 0, !isEverywhere { names.comparisons = [] }
        names.paths.removeAll { scan.computed?.has($0) == true }
        self.names = names
    }

    private var recording: Recording { scan.recording }

    // MARK: For people

    /// The most columns of an action in a table.
    private static let widestAction = 48

    /// The expression, on one line.
    private var name: String { console.style.strong(brief(scan.expression.text, longest: 200)) }

    func printAnswer() throws {
        guard let first = search.found.first else {
            let count = Quantities.counted(search.positionCount, "position")
            let verb = search.onlyTurns ? "becomes true at" : "is true at"
            console.print("\(name) \(verb) none of \(count).")
            return
        }
        let text = OriginText(recording: recording, budget: console.terminal.width)
        if search.found.count == 1, search.stopsEarly || search.keepsLast || search.onlyTurns || first.count == 1 {
            try printSentence(first, text)
        } else {
            printHead(first)
            print(try search.found.map { try cells($0, text) })
            let (rest, end) = (search.stretchCount - search.found.count, " (--all lists them)")
            if search.onlyTurns {
                console.printRest(rest, "position", end)
            } else {
                console.printRest(rest, "stretch", plural: "stretches", end)
            }
        }
        let shown = first.first.seq > recording.start.seq ? "show" : "jump"
        if search.found.contains(where: hasComputed) {
            console.print(faint: "≈ \(ActionLine.computedNote(for: recording))")
        }
        let command = "\(tool.name) \(shown) \(tool.quoted(recording)) \(first.first)"
        console.print("  \(console.style.faint("the first"))  \(command)")
    }

    private func printSentence(_ found: ExpressionSearch.Found, _ text: OriginText) throws {
        let position = found.first
        let isStart = position.seq <= recording.start.seq
        let isRange = search.keepsLast && !search.onlyTurns && found.count > 1
        let verb =
            search.onlyTurns
            ? "\(search.keepsLast ? "last " : "")became true" : search.keepsLast ? "was last true" : "is true"
        let first = isStart ? "the start" : "\(position)"
        let place = isRange ? "from \(mark(found))\(first) to \(found.last)" : "at \(mark(found))\(first)"
        let origin = isStart ? "" : try text.clause(at: position)
        console.print("\(name) \(verb) \(place)\(origin)\(try values.text(at: position)).")
        if let unknown = found.unknownBefore {
            console.print(
                "It may have become true before, at one of the positions \(unknown.lowerBound) to \(unknown.upperBound): "
                    + "their states were not recorded."
            )
        }
    }

    private func printHead(_ first: ExpressionSearch.Found) {
        let all = Quantities.counted(search.positionCount, "position")
        if search.onlyTurns {
            console.print(
                "\(name) became true \(Quantities.counted(search.stretchCount, "time")), first at \(first.first):"
            )
            return
        }
        let count = Quantities.grouped(search.trueCount)
        let stretches =
            search.stretchCount == 1
            ? "from \(first.first) to \(first.last)"
            : "in \(Quantities.counted(search.stretchCount, "stretch", "stretches")), first at \(first.first)"
        console.print("\(name) is true at \(count) of \(all), \(stretches):")
    }

    /// The marks of a stretch that has computed or doubtful states.
    private func mark(_ found: ExpressionSearch.Found) -> String {
        (hasComputed(found) ? ActionLine.computedMark : "")
            + (Self.isDoubtful(shown(found), isTurn: search.onlyTurns, in: recording) ? ActionLine.doubtMark : "")
    }

    private func hasComputed(_ found: ExpressionSearch.Found) -> Bool { Self.hasComputed(shown(found), in: scan) }

    /// With only turns, or only the first position, a stretch stands for that.
    private func shown(_ found: ExpressionSearch.Found) -> ExpressionSearch.Found {
        var found = found
        if search.onlyTurns || search.stopsEarly { found.last = found.first }
        return found
    }

    /// The positions that were searched if some of their states are doubtful and the expression may read them.
    var doubtfulRange: ClosedRange<Recording.Position>? {
        guard scan.expression.mayReadState, let range = search.range,
            recording.hasDoubtfulStates(from: range.lowerBound, to: range.upperBound)
        else { return nil }
        return range
    }

    /// Whether a stretch has doubtful states. A turn depends on the state before it, too.
    private static func isDoubtful(_ found: ExpressionSearch.Found, isTurn: Bool, in recording: Recording) -> Bool {
        let first = isTurn && found.first > recording.start ? found.first.before : found.first
        return recording.hasDoubtfulStates(from: first, to: isTurn ? found.first : found.last)
    }

    /// Whether a stretch has computed states.
    private static func hasComputed(_ found: ExpressionSearch.Found, in scan: ExpressionScan) -> Bool {
        guard let computed = scan.computed else { return false }
        return found.first <= computed.last && Recording.Position(seq: computed.seq, reducer: 1) <= found.last
    }

    /// The positions, their count unless only turns are listed, the time, the action, and the values.
    private func cells(_ found: ExpressionSearch.Found, _ text: OriginText) throws -> [String] {
        let range = found.count == 1 || search.onlyTurns ? "\(found.first)" : "\(found.first) to \(found.last)"
        var (time, action) = ("", "(the start)")
        if found.first.seq > recording.start.seq {
            let parts = try text.parts(at: found.first)
            time = parts.time
            action = (found.first.reducer == nil ? "" : "\(parts.reducer): ") + parts.action
        }
        if console.terminal.isLimited { action = action.clipped(to: Self.widestAction) }
        let count = search.onlyTurns ? [] : ["\(Quantities.grouped(found.count))×"]
        return try [mark(found) + range] + count + [time, action, values.text(at: found.first, head: "")]
    }

    private func print(_ rows: [[String]]) {
        let action = search.onlyTurns ? 2 : 3
        let table = Table(rows, most: Self.widestAction, rightAligned: search.onlyTurns ? [0] : [0, 1])
        for row in rows {
            let line = table.line(row) { 1..<action ~= $0 ? console.style.faint($1) : $1 }
            console.print("  " + line.trimmed, hanging: 6)
        }
    }

    private var values: ExpressionValues {
        ExpressionValues(expression: scan.expression, recording: recording, computed: scan.computed)
    }

    /// Notes what the answer does not know.
    func printRemarks() throws {
        if names.paths.isEmpty, let first = search.firstNull {
            let count = Quantities.counted(search.nullCount - search.nullAtStartCount, "position")
            console.print(
                faint: "It is NULL, which counts as not true, at \(count), first at \(first): a value in it is null or"
                    + " not there."
            )
        }
        if search.unknownCount > 0 {
            let ranges = search.unknown.map {
                $0.lowerBound == $0.upperBound ? "\($0.lowerBound)" : "\($0.lowerBound) to \($0.upperBound)"
            }
            console.print(
                "It is not known at \(Quantities.counted(search.unknownCount, "position")) "
                    + "(\(Quantities.list(ranges, most: 3))): "
                    + "\(try Self.whyUnknown(scan.expression, in: recording))."
            )
        }
        if let range = doubtfulRange { tool.noteDoubt(in: recording, from: range.lowerBound, to: range.upperBound) }
        if scan.expression.joinsConditionsAsTexts {
            console.note("|| joins two texts. To combine conditions, write OR.")
        }
        try tool.note(names, in: recording)
        for path in try recording.redacted(scan.expression.paths) {
            console.note(RedactionText.line(path))
        }
        if scan.expression.readsRedactedPayload(in: recording) { console.note(Self.lineAboutRedactedPayload) }
    }

    /// Why the result of an expression may not be known, as a clause: at a position, or anywhere.
    static func whyUnknown(
        _ expression: RecordingExpression,
        at position: Recording.Position? = nil,
        in recording: Recording
    ) throws -> String {
        let isRedacted =
            try expression.readsRedactedPayload(in: recording) || !recording.redacted(expression.paths).isEmpty
        let isWhole =
            position.map { recording.absence(at: $0) == nil && recording.absence(ofChangesIn: $0.seq) == nil }
            ?? (recording.skipped.isEmpty && recording.end.seq == recording.actionCount)
        if isRedacted, isWhole { return "what it reads there is redacted" }
        let others = isRedacted ? ", or what it reads there is redacted" : ""
        return "their states or changes were not recorded\(others)"
    }

    /// Says that actions have placeholders.
    static let lineAboutRedactedPayload =
        "payload has redacted values in some actions: the recording has placeholders in their place."

    /// Whether the answer is empty because of a mistake.
    var isMistaken: Bool {
        search.trueCount == 0 && (search.unknownCount == 0 ? !names.isEmpty : names.lacksNames)
    }

    // MARK: For programs

    static func line(_ found: ExpressionSearch.Found, onlyTurns: Bool, of scan: ExpressionScan) -> String {
        let members: Node = .members([
            "position": .string(found.first.description), "to": .string(found.last.description),
            "count": .int(found.count), "unknown": found.unknownBefore.map(node),
            "doubtful": isDoubtful(found, isTurn: onlyTurns, in: scan.recording) ? true : nil,
            "computed": hasComputed(found, in: scan) ? true : nil,
        ])
        return printable(members)
    }

    private static func node(_ range: ClosedRange<Recording.Position>) -> Node {
        [.string(range.lowerBound.description), .string(range.upperBound.description)]
    }

    func summary() throws -> String {
        printable([
            "event": "summary",
            "positions": .int(search.positionCount),
            "true": .int(search.trueCount),
            "null": .int(search.nullCount),
            "unknown": .int(search.unknownCount),
            "turns": search.onlyTurns ? .int(search.stretchCount) : .null,
            "unknownRanges": .array(search.unknown.map(Self.node)),
            "doubtful": .bool(doubtfulRange != nil),
            "missing": .array(names.paths.map { .string($0.description) }),
            "missingTypes": .array(names.types.map { .string($0) }),
            "missingReducers": .array(names.reducers.map { .string($0) }),
            "otherKind": .array(names.comparisons.map { .string($0.path.description) }),
            "redacted": .array(try recording.redacted(scan.expression.paths).map { .string($0.description) }),
        ])
    }
}

/// The values at the paths that an expression names: `/cart/total = 0`.
struct ExpressionValues {
    let expression: RecordingExpression
    let recording: Recording
    /// The states after the last recorded one; `nil` if none was computed.
    var computed: ComputedSteps?

    private static let most = 4

    /// The values after `head`; empty if there are none, or if the state is not known.
    func text(at position: Recording.Position, head: String = ": ") throws -> String {
        guard !expression.paths.isEmpty else { return "" }
        let computed = computed?.state(at: position)
        guard computed != nil || recording.absence(at: position) == nil else { return "" }
        let state = try computed ?? recording.state(at: position)
        let text = ValueText(budget: 40, maxStringLength: 40)
        let pairs = expression.paths.prefix(Self.most).map { path in
            let value = state[path].map { text.text(of: $0) } ?? "nothing"
            return "\(path.shown("state")) = \(value)"
        }
        return head + pairs.joined(separator: ", ")
    }
}
