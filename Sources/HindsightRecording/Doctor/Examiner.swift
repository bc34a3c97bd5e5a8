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
    var examination: Examination
    let file: LenientFile
    let journal: JournalInspection
    var findings = Findings()
    var head: LenientHead
    /// The actions after which the states are not known: damaged, or never written.
    var breaks: [Break] = []
    private var lastTime: Int64 = 0
    /// The doubtful states that the recorder marked, from the present action on.
    private var marked: ArraySlice<Recording.DoubtfulStates> = []
    /// Whether the changes of the last run without states are known.
    private var bridge: (run: ClosedRange<Int>, isThere: Bool)?
    private let deadline: Deadline
    /// Whether the deadline passed before the last action.
    var isCutShort = false

    struct Break {
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
                guard seq <= Recording.Position.lastPossibleAction else {
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
            if rest.first == seq {
                rest.removeFirst()
                findings.add(Finding(.state, at: seq, "a whole state stands among actions whose states were left out"))
            }
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
}
