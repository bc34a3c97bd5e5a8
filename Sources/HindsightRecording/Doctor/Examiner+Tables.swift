import HindsightFormat
import HindsightSQLite

/// What the tables hold as a whole, and the journal.
extension Examiner {
    /// Finds rows with numbers below those that a recorder gives, which no other check reads.
    func examineNumbers() {
        // A table that cannot be read is a finding of its own check.
        let actions = "SELECT seq FROM action WHERE seq < 1 ORDER BY seq LIMIT 1"
        if let seq = try? file.connection.integer(actions) {
            findings.add(Finding(.action, at: Int(seq), "its number is none that a recorder gives"))
        }
        let states = "SELECT seq FROM keyframe WHERE seq < 0 ORDER BY seq LIMIT 1"
        if let seq = try? file.connection.integer(states) {
            findings.add(Finding(.state, at: Int(seq), "a keyframe has a number that no recorder gives"))
        }
    }

    func numbers(of table: LenientTable?) throws -> [Int] {
        var numbers: [Int] = []
        var last = -1
        while let table {
            switch try table.next(after: last) {
            case .end: return numbers
            case .lost(let from, let error):
                findings.add(Finding(.state, at: from, "keyframes from there on cannot be read: \(error)"))
                return numbers
            case .row(let seq) where seq > Recording.Position.lastPossibleAction:
                findings.add(Finding(.state, at: seq, "a keyframe has a number that no recorder gives"))
                return numbers
            case .unreadable(let range, let error) where range.upperBound > Recording.Position.lastPossibleAction:
                findings.add(Finding(.state, in: range, "keyframes from there on cannot be read: \(error)"))
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
                        Finding(.state, in: range, "keyframes there, if there are any, cannot be read: \(error)")
                    )
                }
                last = range.upperBound
            }
        }
        return numbers
    }

    /// The number of reducers that changed something in most of the first actions; `nil` if unknown.
    func usualReducers(_ actions: LenientTable?) throws -> Int? {
        var counts: [Int: Int] = [:]
        var (last, looked) = (0, 0)
        while let actions, looked < 100, case .row(let seq) = try actions.next(after: last) {
            last = seq
            looked += 1
            var ignored = Findings()
            guard let steps = try ignored.steps(actions.row, Schema.stepsColumn, at: seq).value,
                steps.allSatisfy({ $0.duration != nil })
            else { continue }
            counts[steps.count, default: 0] += 1
        }
        return counts.max { ($0.value, $0.key) < ($1.value, $1.key) }?.key
    }

    func lastAction() throws -> Int {
        Int((try? file.connection.integer("SELECT max(seq) FROM action")) ?? 0)
    }

    func firstPosition(_ keyframes: [Int], _ actions: LenientTable?) throws -> Int? {
        var first: Int?
        if case .row(let seq)? = try actions?.next(after: 0) { first = seq - 1 }
        guard let keyframe = keyframes.first, 0...Recording.Position.lastPossibleAction ~= keyframe else {
            return first
        }
        // A recording with a limit begins with its first keyframe. Older actions may be about to be deleted.
        return head.isLimited ? keyframe : min(first ?? keyframe, keyframe)
    }

    func examineJournal() {
        let journal = file.journal
        switch journal.snapshot?.trouble {
        case .newer(let version)?:
            findings.add(Finding(.journal, "it has version \(version), which this version of Hindsight does not read"))
        case .damaged(let reason)?:
            findings.add(Finding(.journal, reason))
        case nil:
            break
        }
        if let lost = head.lost { findings.add(Finding(.journal, in: lost, "begun, and in no file")) }
        let isEnded = [Metadata.Key.closed, Metadata.Key.stopped, Metadata.Key.recovered, Metadata.Key.salvaged]
            .contains { head.metadata[$0] != nil }
        if journal.isMissing, journal.snapshot?.trouble == nil,
            !isEnded || head.metadata[Metadata.Key.lacksJournal] != nil
        {
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
            let fault = SidecarFiles.faultOfLog(beside: file.place)
            let what = "in no file, and the journal goes on at action \(missing.upperBound + 1): the -wal \(fault)"
            findings.add(Finding(.journal, in: missing, what))
        } else if let mark = snapshot.mark, mark.phase != .stopped, mark.seq > last {
            findings.add(Finding(.journal, in: last + 1...mark.seq, "begun, and in no file"))
        }
    }

    /// Finds notes at places that the recording does not have.
    func examineNotes() throws {
        guard file.has(Schema.note), let positions = examination.positions, !isCutShort else { return }
        // A limit may be about to delete older notes.
        let first = head.isLimited ? 0 : positions.lowerBound
        // Without an orderly end, an action may be missing whose note is there.
        let isComplete = head.metadata[Metadata.Key.closed] != nil || head.metadata[Metadata.Key.salvaged] != nil
        let last = isComplete ? max(positions.upperBound, examination.journaled?.upperBound ?? 0) : .max
        try findings.read(.note, "the notes") { findings in
            let row = try file.connection.prepare("SELECT seq, reducer FROM note ORDER BY seq")
            while try row.step() {
                let (seq, reducer) = (Int(try row.integer(0)), try row.optionalInteger(1).map { Int($0) })
                if seq < first || seq > last || (reducer != nil && seq == first) {
                    findings.add(Finding(.note, at: seq, "a note stands there, and there is no such action"))
                } else if let reducer, reducer < 0 || head.reducersAreKnown && reducer > head.reducers.count {
                    let what = "a note stands there, and there are \(head.reducers.count) reducers"
                    findings.add(Finding(.note, at: seq, reducer: reducer, what))
                }
            }
        }
    }
}
