import HindsightFormat
import HindsightSupport

/// A part of a recording, as a recording of its own whose actions are numbered from 1.
struct RecordingPart {
    let recording: Recording
    let origin: CutOrigin

    var first: Int { origin.first }
    var last: Int { origin.last }

    /// - Parameter range: The position of the first state, and the last action.
    init(of recording: Recording, _ range: ClosedRange<Int>) throws(RecordingError) {
        self.recording = recording
        let first = range.lowerBound
        let since =
            first > recording.start.seq
            ? try recording.action(first).nanosecondsSinceEpoch
            : recording.keptSinceNanoseconds ?? recording.cutOrigin?.since ?? recording.createdNanoseconds
        origin = CutOrigin(
            file: FileSystem.name(of: recording.url.path),
            first: first,
            last: range.upperBound,
            since: since
        )
    }

    /// What the part says of itself.
    ///
    /// - Parameter whole: What the whole recording says.
    func facts(_ whole: [String: Metadata.Value]) throws -> [String: Metadata.Value] {
        var facts = whole
        for key in [RecordingLimit.Key.actions, RecordingLimit.Key.bytes, RecordingLimit.Key.age] { facts[key] = nil }
        if recording.unauditedCount > 0 {
            facts[Metadata.Key.unaudited] = .text("\(min(recording.unauditedCount, last - first))")
        }
        facts[Metadata.Key.computed] = recording.computedStates.map { .text($0.part(after: first, to: last).text) }
        if last == recording.actionCount { renumberEnding(&facts) } else { try close(&facts) }
        facts[Metadata.Key.cut] = .text(origin.node.json)
        return facts
    }

    /// Gives the facts about the end the numbers of the part.
    private func renumberEnding(_ facts: inout [String: Metadata.Value]) {
        if case .text(let text)? = facts[Metadata.Key.died], var died = RecordingPosition(text) {
            died.seq -= first
            facts[Metadata.Key.died] = died.seq >= 1 ? .text(died.description) : nil
        }
        if let lost = recording.lost {
            facts[Metadata.Key.lost] = .text("\(lost.lowerBound - first)-\(lost.upperBound - first)")
        }
        if facts[Metadata.Key.during] != nil {
            facts[Metadata.Key.during] = recording.lastActivity.map { .text($0.moved(by: -first).node.json) }
        }
        if case .number(let count)? = facts[Metadata.Key.recovered] {
            facts[Metadata.Key.recovered] = .number(min(count, Int64(last - first)))
        }
    }

    /// Removes the facts about the end, which the part does not have.
    private func close(_ facts: inout [String: Metadata.Value]) throws {
        for key in Metadata.Key.ofEnding { facts[key] = nil }
        var closed = origin.since
        if first < last {
            let action = try recording.action(last)
            closed =
                action.nanosecondsSinceEpoch.addingReportingOverflow(action.durationInNanoseconds ?? 0).partialValue
        }
        facts[Metadata.Key.closed] = .number(closed)
    }
}

extension LastActivity {
    /// The same with other numbers of the actions. Those before the first become none.
    fileprivate func moved(by distance: Int) -> LastActivity {
        switch self {
        case .idle(let seq): .idle(after: seq + distance)
        case .enteringMiddleware(let seq, let parent, let origin):
            .enteringMiddleware(
                after: seq + distance,
                parent: parent.flatMap { $0 + distance > 0 ? $0 + distance : nil },
                origin: origin
            )
        case .reducer(let reducer, let seq): .reducer(reducer, of: seq + distance)
        case .betweenReducers(let count, let seq): .betweenReducers(after: count, of: seq + distance)
        case .subscribers(let seq): .subscribers(of: seq + distance)
        case .leavingMiddleware(let seq): .leavingMiddleware(of: max(1, seq + distance))
        }
    }
}
