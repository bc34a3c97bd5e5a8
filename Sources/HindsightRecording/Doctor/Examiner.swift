import Foundation
import HindsightFormat
import HindsightSQLite
import HindsightSupport
import HindsightTree

/// One examination.
final class Examiner {
    var examination: Examination
    let file: ReadableFile
    var findings = Findings()
    var head = RecordingHead()
    /// The actions after which the states are not known: damaged, or never written.
    var breaks: [Break] = []
    /// Follows the states. Replaced once the first position is known.
    var finder = ConsistentRunFinder(from: 0) { _ in nil }
    private var states: LenientTable?
    /// The keyframes that are still to come.
    var keyframes: ArraySlice<Int> = []
    /// Whether the changes of the last run without states are known.
    private var bridge: (run: ClosedRange<Int>, isThere: Bool)?
    private let deadline: ContinuousClock.Instant

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
        file = try ReadableFile.damaged(at: url.path)
        let bytes = FileSystem.size(of: file.place) + FileSystem.size(of: file.place + "-wal")
        deadline = ContinuousClock.now + (limit ?? Self.usualTime(forBytes: bytes))
    }

    func examine(_ progress: (Int, Int) -> Void) throws -> Examination {
        for fault in file.faults { findings.add(Finding(.file, fault)) }
        try file.connection.snapshot {
            let pages = PageCheck(file.connection)
            for finding in pages.findings { findings.add(finding) }
            examination.remarks = pages.remarks
            if file.isText {
                examination.remarks.append("It is a recording in text: every line was read, and every change applied.")
            }
            head = try RecordingHead(examining: file, &findings)
            examination.marked = head.doubtful.map(\.actions)
            examineNumbers()
            try examineActions(progress)
            try examineJournal()
            try examineNotes()
        }
        examination.skipped = head.skipped
        examination.reducerNames = head.reducers
        examination.describesStates = head.metadata[Metadata.Key.described] != nil
        examination.findings = findings.all
        examination.moreFindings = findings.more
        return examination
    }

    // MARK: Actions and states

    private func examineActions(_ progress: (Int, Int) -> Void) throws {
        let names = try file.reader(of: Schema.name, &findings, NameTexts.init)
        let actions = try file.reader(of: Schema.action, &findings, LenientTable.init)
        states = try file.reader(of: Schema.keyframe, &findings, LenientTable.init)
        let keyframes = try numbers(of: states)
        examination.wholeStates = keyframes.count
        guard let first = try firstPosition(keyframes, actions) else { return }
        if let count = try usualReducers(actions) { head.expectReducers(count, &findings) }
        if keyframes.first != first {
            findings.add(Finding(.state, at: first, "the keyframe at the beginning is missing"))
        }
        finder = ConsistentRunFinder(from: first, until: deadline) { try actions?.changes(in: $0) }
        self.keyframes = keyframes.drop { $0 < first }
        try anchor(first)
        let end = try actions.map { try follow($0, from: first, names, progress) } ?? first
        finish(first...end)
    }

    /// Examines the actions after a position in their order, and the states after them.
    ///
    /// - Returns: The last position.
    private func follow(
        _ actions: LenientTable,
        from first: Int,
        _ names: NameTexts?,
        _ progress: (Int, Int) -> Void
    ) throws -> Int {
        let last = try lastAction()
        var end = first
        while true {
            if ContinuousClock.now >= deadline {
                examination.isCutShort = true
                findings.add(Finding(.limit, in: min(end + 1, max(last, 1))...max(last, 1), "would take too long"))
                keyframes = []
                return end
            }
            switch try actions.next(after: end) {
            case .end:
                return end
            case .lost(let from, let error):
                examination.isEndLost = true
                findings.add(Finding(.missing, at: from, "it and all that come after it cannot be read: \(error)"))
                guard let keyframe = keyframes.last, keyframe > end else { return end }
                try interrupt(end + 1...keyframe, isDamage: true)
                return keyframe
            case .unreadable(let range, let error):
                let actions = end + 1...max(range.upperBound, end + 1)
                findings.add(
                    error.code == .tooBig
                        ? Finding(.limit, in: actions, "too big to be examined")
                        : Finding(.missing, in: actions, "cannot be read: \(error)")
                )
                try interrupt(actions, isDamage: true)
                end = actions.upperBound
            case .row(let seq):
                guard seq <= Recording.Position.lastPossibleAction else {
                    findings.add(Finding(.missing, at: seq, "its number is none that a recorder gives"))
                    return end
                }
                if seq > end + 1 {
                    findings.add(Finding(.missing, in: end + 1...seq - 1, "missing"))
                    try interrupt(end + 1...seq - 1, isDamage: true)
                }
                let row = try ExaminedAction(
                    actions.row,
                    names,
                    lastTime: 0,
                    reducers: head.reducersAreKnown ? head.reducers.count : nil,
                    isSkipped: head.skipped.range(with: seq) != nil,
                    &findings
                )
                try take(row, actions)
                end = seq
                progress(seq, max(last, seq))
            }
        }
    }

    private func take(_ row: ExaminedAction, _ actions: LenientTable) throws {
        let seq = row.action.seq
        examination.actions += 1
        if examination.marked.range(with: seq) != nil {
            // The recorder marked these states. Nothing leads across them to the keyframe that follows.
            try interrupt(seq...seq, isDamage: false)
        } else if let steps = row.steps {
            finder.apply(seq, steps.read, bytes: steps.text.utf8.count)
            if let run = head.skipped.range(with: seq), run.upperBound == seq {
                // Nothing leads across a run of which an action is missing, or whose changes do not fit.
                note(Break(actions: run, isDamage: !finder.isFollowing, endsInState: true))
            }
            try anchor(seq)
        } else if !row.stepsAreLost, let run = head.skipped.range(with: seq), try isBridged(run, actions) {
            // The last action of a run has the changes of the whole run.
            finder.apply(seq, [], bytes: 0)
            if keyframes.first == seq {
                keyframes.removeFirst()
                findings.add(Finding(.state, at: seq, "a keyframe stands among actions whose states were left out"))
            }
        } else {
            try interrupt(seq...seq, isDamage: row.stepsAreLost)
        }
    }

    private func isBridged(_ run: ClosedRange<Int>, _ actions: LenientTable) throws -> Bool {
        if let bridge, bridge.run == run { return bridge.isThere }
        let isThere = try actions.read(run.upperBound) { !$0.isNull(Schema.stepsColumn) } ?? false
        bridge = (run, isThere)
        return isThere
    }

    /// Notes that the changes of some actions are unknown.
    private func interrupt(_ actions: ClosedRange<Int>, isDamage: Bool) throws {
        // A keyframe within a gap is valid.
        var next = actions.lowerBound
        while let keyframe = keyframes.first, keyframe <= actions.upperBound {
            if keyframe >= next {
                note(Break(actions: next...keyframe, isDamage: isDamage, endsInState: true))
                finder.interrupt(at: keyframe)
            }
            try anchor(keyframe)
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
    private func anchor(_ seq: Int) throws {
        guard keyframes.first == seq else { return }
        keyframes.removeFirst()
        guard let text = try states?.wholeState(at: seq) else {
            let isTooBig = states?.isTooBig == true
            let what = "the keyframe \(isTooBig ? "is too big to be examined" : "cannot be read")"
            return findings.add(Finding(isTooBig ? .limit : .state, at: seq, what))
        }
        if let trouble = try finder.anchor(text) {
            findings.add(Finding(.state, at: seq, "the keyframe: \(trouble)"))
        }
    }
}
