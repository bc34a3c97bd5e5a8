import HindsightFormat
import HindsightSQLite
import HindsightSupport
import HindsightTree

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One examination.
final class Examiner {
    private var examination: Examination
    private let file: LenientFile
    private let journal: JournalInspection
    private var findings = Findings()
    private var head: LenientHead
    /// The actions after which the states are not known: damaged, or never written.
    private var breaks: [Break] = []
    private var lastTime: Int64 = 0
    /// The doubtful states that the recorder marked, from the present action on.
    private var marked: ArraySlice<DoubtfulStates> = []
    /// Whether the changes of the last run without states are known.
    private var bridge: (run: ClosedRange<Int>, isThere: Bool)?
    private let deadline: Deadline
    /// Whether the deadline passed before the last action.
    private var isCutShort = false

    private struct Break {
        var actions: ClosedRange<Int>
        var isDamage: Bool
        /// Whether a keyframe stands at its end.
        var endsInState = false
    }

    /// Examining 100 MB takes some seconds, so this is generous.
    private static func usualTime(forBytes bytes: Int64) -> Duration { .seconds(60 + bytes / 100_000) }

    /// - Parameter limit: The time limit; `nil` for a generous one for the file's size.
    init(_ url: URL, within limit: Duration?) throws {
        examination = Examination(url: url)
        // The recorder must come first: if it is gone, later reads are final.
        journal = try JournalInspection.of(FileSystem.place(of: url.path))
        file = try LenientFile(path: url.path)
        head = LenientHead()
        let bytes = FileSystem.size(of: file.place) + FileSystem.size(of: file.place + "-wal")
        deadline = Deadline(in: limit ?? Self.usualTime(forBytes: bytes))
    }

    func examine(_ progress: (Int, Int) -> Void) throws -> Examination {
        for finding in file.findings { findings.add(finding) }
        try file.connection.snapshot {
            let pages = PageCheck(file.connection)
            for finding in pages.findings { findings.add(finding) }
            examination.remarks = pages.remarks
            head = LenientHead(file, &findings)
            marked = head.doubtful[...]
            examineNumbers()
            try examineActions(progress)
            examineJournal()
        }
        examination.skipped = head.skipped
        examination.marked = head.doubtful.map(\.actions)
        examination.reducerNames = head.reducers
        examination.findings = findings.all
        examination.moreFindings = findings.more
        return examination
    }

    // MARK: Actions and states

    /// Finds rows with numbers below those that a recorder gives, which no other check reads.
    private func examineNumbers() {
        let actions = "SELECT seq FROM action WHERE seq < 1 ORDER BY seq LIMIT 1"
        if let seq = try? file.connection.integer(actions) {
            findings.add(Finding(.action, at: Int(seq), "its number is none that a recorder gives"))
        }
        let states = "SELECT seq FROM keyframe WHERE seq < 0 ORDER BY seq LIMIT 1"
        if let seq = try? file.connection.integer(states) {
            findings.add(Finding(.state, at: Int(seq), "a whole state has a number that no recorder gives"))
        }
    }

    private func examineActions(_ progress: (Int, Int) -> Void) throws {
        let names = LenientNames(file.table(Schema.name, &findings))
        let actions = file.table(Schema.action, &findings)
        let states = file.table(Schema.keyframe, &findings)
        let keyframes = try numbers(of: states)
        examination.wholeStates = keyframes.count
        let last = try lastAction()
        guard let first = try firstPosition(keyframes, actions) else { return }
        if let count = try usualReducers(actions) { head.expectReducers(count, &findings) }
        if keyframes.first != first {
            findings.add(Finding(.state, at: first, "the whole state at the beginning is missing"))
        }

        var finder = ConsistentRunFinder(from: first, until: deadline) { seq in
            try actions?.read(seq) { try? LenientRow.way($0) }
        }
        var rest = keyframes.drop { $0 < first }
        var end = first
        try anchor(&finder, first, &rest, states)
        while let actions {
            if deadline.hasPassed {
                isCutShort = true
                findings.add(Finding(.limit, in: min(end + 1, max(last, 1))...max(last, 1), "would take too long"))
                try finish(&finder, first...end, [])
                return
            }
            switch try actions.next(after: end) {
            case .end:
                try finish(&finder, first...end, rest)
                return
            case .lost(let from, let error):
                findings.add(Finding(.missing, at: from, "it and all that come after it cannot be read: \(error)"))
                if let keyframe = rest.last, keyframe > end {
                    try interrupt(&finder, end + 1...keyframe, isDamage: true, &rest, states)
                    end = keyframe
                }
                try finish(&finder, first...end, rest)
                return
            case .unreadable(let range, let error):
                let actions = end + 1...max(range.upperBound, end + 1)
                findings.add(
                    error.code == .tooBig
                        ? Finding(.limit, in: actions, "too big to be examined")
                        : Finding(.missing, in: actions, "cannot be read: \(error)")
                )
                try interrupt(&finder, actions, isDamage: true, &rest, states)
                end = actions.upperBound
            case .row(let seq):
                guard seq <= Position.lastPossibleAction else {
                    findings.add(Finding(.missing, at: seq, "its number is none that a recorder gives"))
                    try finish(&finder, first...end, rest)
                    return
                }
                if seq > end + 1 {
                    findings.add(Finding(.missing, in: end + 1...seq - 1, "missing"))
                    try interrupt(&finder, end + 1...seq - 1, isDamage: true, &rest, states)
                }
                let row = try LenientRow(
                    actions.row,
                    names,
                    lastTime: lastTime,
                    reducers: head.reducersAreKnown ? head.reducers.count : nil,
                    isSkipped: head.skipped.range(with: seq) != nil
                )
                try take(row, actions, &finder, &rest, states)
                end = seq
                progress(seq, max(last, seq))
            }
        }
        try finish(&finder, first...end, rest)
    }

    private func take(
        _ row: LenientRow,
        _ actions: LenientTable,
        _ finder: inout ConsistentRunFinder,
        _ rest: inout ArraySlice<Int>,
        _ states: LenientTable?
    ) throws {
        let seq = row.action.seq
        examination.actions += 1
        lastTime = row.action.at
        for trouble in row.troubles { findings.add(trouble) }
        if isMarked(seq) {
            // The recorder marked these states. Nothing leads across them to the keyframe that follows.
            try interrupt(&finder, seq...seq, isDamage: false, &rest, states)
        } else if let steps = row.steps {
            finder.apply(seq, steps.read, bytes: steps.text.utf8.count)
            if let run = head.skipped.range(with: seq), run.upperBound == seq {
                // Nothing leads across a run of which an action is missing, or whose changes do not fit.
                note(Break(actions: run, isDamage: !finder.isFollowing, endsInState: true))
            }
            try anchor(&finder, seq, &rest, states)
        } else if !row.stepsAreLost, let run = head.skipped.range(with: seq), try isBridged(run, actions) {
            // The last action of a run has the changes of the whole run.
            finder.apply(seq, [], bytes: 0)
        } else {
            try interrupt(&finder, seq...seq, isDamage: row.stepsAreLost, &rest, states)
        }
    }

    private func isBridged(_ run: ClosedRange<Int>, _ actions: LenientTable) throws -> Bool {
        if let bridge, bridge.run == run { return bridge.isThere }
        let isThere = try actions.read(run.upperBound) { !$0.isNull(LenientRow.stepsColumn) } ?? false
        bridge = (run, isThere)
        return isThere
    }

    /// Whether the recorder marked an action's states as doubtful.
    private func isMarked(_ seq: Int) -> Bool {
        marked = marked.drop { $0.actions.upperBound < seq }
        return marked.first?.actions.contains(seq) ?? false
    }

    /// Notes that the changes of some actions are unknown.
    private func interrupt(
        _ finder: inout ConsistentRunFinder,
        _ actions: ClosedRange<Int>,
        isDamage: Bool,
        _ rest: inout ArraySlice<Int>,
        _ states: LenientTable?
    ) throws {
        // A keyframe within a gap is valid.
        var next = actions.lowerBound
        while let keyframe = rest.first, keyframe <= actions.upperBound {
            if keyframe >= next {
                note(Break(actions: next...keyframe, isDamage: isDamage, endsInState: true))
                finder.interrupt(at: keyframe)
            }
            try anchor(&finder, keyframe, &rest, states)
            next = keyframe + 1
        }
        guard next <= actions.upperBound else { return }
        note(Break(actions: next...actions.upperBound, isDamage: isDamage))
        finder.interrupt(at: actions.upperBound)
    }

    private func note(_ next: Break) {
        guard let last = breaks.last, last.isDamage == next.isDamage, !last.endsInState,
            last.actions.upperBound + 1 == next.actions.lowerBound
        else { return breaks.append(next) }
        breaks[breaks.count - 1].actions = last.actions.lowerBound...next.actions.upperBound
        breaks[breaks.count - 1].endsInState = next.endsInState
    }

    /// Adds the keyframe at a position, if there is one.
    private func anchor(
        _ finder: inout ConsistentRunFinder,
        _ seq: Int,
        _ rest: inout ArraySlice<Int>,
        _ states: LenientTable?
    ) throws {
        guard rest.first == seq else { return }
        rest.removeFirst()
        let text = try states?.read(seq) { row in row.withText(1) { String(validating: $0, as: UTF8.self) } ?? nil }
        guard let text else {
            let isTooBig = states?.isTooBig == true
            let what = "the whole state \(isTooBig ? "is too big to be examined" : "cannot be read")"
            return findings.add(Finding(isTooBig ? .limit : .state, at: seq, what))
        }
        if let trouble = try finder.anchor(text) {
            findings.add(Finding(.state, at: seq, "the whole state: \(trouble)"))
        }
    }

    // MARK: Results

    private func finish(_ finder: inout ConsistentRunFinder, _ positions: ClosedRange<Int>, _ rest: ArraySlice<Int>)
        throws
    {
        for keyframe in rest {
            findings.add(Finding(.state, at: keyframe, "a whole state stands at no action"))
        }
        if let range = finder.unexamined {
            findings.add(Finding(.limit, in: range, "states are too big to be examined"))
        }
        let verdict = ConsistencyVerdict(of: finder.chains)
        for chain in verdict.refuted {
            for anchor in chain.anchors {
                let what = "the whole state contradicts what comes before and after it"
                findings.add(Finding(.state, at: anchor, what))
            }
        }
        let refuted = Set(verdict.refuted.flatMap(\.anchors))
        for chain in finder.chains where !refuted.contains(chain.anchors[0]) {
            if let misfit = chain.misfit {
                findings.add(Finding(.steps, at: misfit.seq, reducer: misfit.reducer, misfit.what))
            }
            if chain.isContradiction, let anchor = chain.anchors.first {
                findings.add(Finding(.state, at: anchor, "the whole state contradicts what comes before it"))
            }
        }
        examination.positions = positions
        examination.pieces = verdict.pieces.compactMap(withoutUnwrittenEnds)
        examination.doubtful = verdict.doubtful
        var runs = head.skipped[...]
        for piece in examination.pieces {
            var low = piece.positions.lowerBound
            runs = runs.drop { $0.upperBound <= low }
            while let run = runs.first, run.upperBound <= piece.positions.upperBound {
                addSound(low, run.lowerBound - 1)
                low = run.upperBound
                runs.removeFirst()
            }
            addSound(low, piece.positions.upperBound)
        }
        judgeBreaks(positions)
        examination.stored = longestRun(positions)
        examination.longest = examination.stored
    }

    private func addSound(_ low: Int, _ high: Int) {
        guard low <= high else { return }
        // Adjacent ranges are merged.
        if let last = examination.sound.last, last.upperBound + 1 == low {
            examination.sound[examination.sound.count - 1] = last.lowerBound...high
        } else {
            examination.sound.append(low...high)
        }
    }

    /// The part of a range with known states, so that no end of it lies within a run without states.
    private func withoutUnwrittenEnds(_ piece: ConsistencyVerdict.Piece) -> ConsistencyVerdict.Piece? {
        var (low, high) = (piece.positions.lowerBound, piece.positions.upperBound)
        if let run = head.skipped.range(with: low) { low = run.upperBound }
        if let run = head.skipped.range(with: high), high < run.upperBound { high = run.lowerBound - 1 }
        return low <= high ? ConsistencyVerdict.Piece(positions: low...high, chain: piece.chain) : nil
    }

    /// States are missing without damage if the process died, or if the recorder left them out and a keyframe follows.
    /// Anything else is damage.
    private func judgeBreaks(_ positions: ClosedRange<Int>) {
        let marked = head.doubtful.map(\.actions)
        let runs = Dictionary((head.skipped + marked).map { ($0.upperBound, $0) }) { first, _ in first }
        if let last = head.skipped.last, last.upperBound > positions.upperBound {
            findings.add(Finding(.head, "it says that states were left out up to action \(last.upperBound)"))
        }
        for (index, present) in breaks.enumerated() where !present.isDamage {
            let isLast = present.actions.upperBound == positions.upperBound && !present.endsInState
            let run = runs[present.actions.upperBound].map { $0.lowerBound <= present.actions.lowerBound } ?? false
            guard isLast || (present.endsInState && run) else {
                breaks[index].isDamage = true
                findings.add(Finding(.steps, in: present.actions, "what its reducers did is missing"))
                continue
            }
            if marked.contains(where: { $0.contains(present.actions.lowerBound) }) { continue }
            let upper = present.endsInState ? present.actions.upperBound - 1 : present.actions.upperBound
            if present.actions.lowerBound <= upper { examination.unwritten.append(present.actions.lowerBound...upper) }
        }
    }

    /// Joins parts that are separated only by states that were never written, because they can be saved together.
    private func longestRun(_ positions: ClosedRange<Int>) -> ClosedRange<Int>? {
        let bridges = Dictionary(breaks.filter { !$0.isDamage }.map { ($0.actions.lowerBound, $0.actions.upperBound) })
        {
            max($0, $1)
        }
        var best: ClosedRange<Int>?
        var run: ClosedRange<Int>?
        for piece in examination.pieces {
            if let last = run, bridges[last.upperBound + 1] == piece.positions.lowerBound {
                run = last.lowerBound...piece.positions.upperBound
            } else {
                run = piece.positions
            }
            // At the end, actions follow whose states were lost with the process.
            if let last = run, bridges[last.upperBound + 1] == positions.upperBound, piece == examination.pieces.last {
                run = last.lowerBound...positions.upperBound
            }
            if let last = run, best.map({ $0.count < last.count }) ?? true { best = run }
        }
        return best
    }

    // MARK: Other tables

    private func numbers(of table: LenientTable?) throws -> [Int] {
        var numbers: [Int] = []
        var last = -1
        while let table {
            switch try table.next(after: last) {
            case .end: return numbers
            case .lost(let from, let error):
                findings.add(Finding(.state, at: from, "whole states from there on cannot be read: \(error)"))
                return numbers
            case .row(let seq) where seq > Position.lastPossibleAction:
                findings.add(Finding(.state, at: seq, "a whole state has a number that no recorder gives"))
                return numbers
            case .unreadable(let range, let error) where range.upperBound > Position.lastPossibleAction:
                findings.add(Finding(.state, in: range, "whole states from there on cannot be read: \(error)"))
                return numbers
            case .row(let seq):
                numbers.append(seq)
                last = seq
            case .unreadable(let range, let error):
                // If the number of a row can be read, its state may be readable too.
                if range.count == 1 {
                    numbers.append(range.lowerBound)
                } else {
                    findings.add(
                        Finding(.state, in: range, "whole states there, if there are any, cannot be read: \(error)")
                    )
                }
                last = range.upperBound
            }
        }
        return numbers
    }

    /// The number of reducers that changed something in most of the first actions; `nil` if unknown.
    private func usualReducers(_ actions: LenientTable?) throws -> Int? {
        var counts: [Int: Int] = [:]
        var (last, looked) = (0, 0)
        while let actions, looked < 100, case .row(let seq) = try actions.next(after: last) {
            last = seq
            looked += 1
            guard let steps = try? LenientRow.steps(actions.row),
                steps.allSatisfy({ $0.duration != nil })
            else { continue }
            counts[steps.count, default: 0] += 1
        }
        return counts.max { ($0.value, $0.key) < ($1.value, $1.key) }?.key
    }

    private func lastAction() throws -> Int {
        Int((try? file.connection.integer("SELECT max(seq) FROM action")) ?? 0)
    }

    private func firstPosition(_ keyframes: [Int], _ actions: LenientTable?) throws -> Int? {
        var first: Int?
        if case .row(let seq)? = try actions?.next(after: 0) { first = seq - 1 }
        guard let keyframe = keyframes.first, 0...Position.lastPossibleAction ~= keyframe else { return first }
        // A recording with a limit begins with its first keyframe. Older actions may be about to be deleted.
        return head.isLimited ? keyframe : min(first ?? keyframe, keyframe)
    }

    private func examineJournal() {
        switch journal.snapshot?.trouble {
        case .newer(let version)?:
            findings.add(Finding(.journal, "it has version \(version), which this version of Hindsight does not read"))
        case .damaged(let reason)?:
            findings.add(Finding(.journal, reason))
        case nil:
            break
        }
        if let lost = head.lost { findings.add(Finding(.journal, in: lost, "begun, and in no file")) }
        if journal == .absent, ["closed", "stopped", "recovered", "salvaged"].allSatisfy({ head[$0] == nil }) {
            let last = examination.positions?.upperBound ?? 0
            examination.remarks.append("Its journal is missing: what came after action \(last) is not known.")
        }
        guard let snapshot = journal.snapshot, !journal.isLive, !isCutShort else { return }
        let stored = examination.positions?.upperBound ?? 0
        let last = stored + snapshot.actions(after: stored).count
        if stored < last {
            examination.journaled = stored + 1...last
            examination.actions += last - stored
            if let longest = examination.longest, longest.upperBound == stored {
                examination.longest = longest.lowerBound...last
            }
        }
        if let missing = snapshot.missing(after: last) {
            let what = "in no file, and the journal goes on at action \(missing.upperBound + 1): the -wal is missing"
            findings.add(Finding(.journal, in: missing, what))
        } else if let mark = snapshot.mark, mark.phase != .stopped, mark.seq > last {
            findings.add(Finding(.journal, in: last + 1...mark.seq, "begun, and in no file"))
        }
    }
}
