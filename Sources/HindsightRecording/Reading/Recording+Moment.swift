import HindsightFormat
import HindsightSQLite
import HindsightSupport

extension Recording {
    /// The position at a moment; `nil` if the text is no moment.
    ///
    /// - Parameter isFirst: Whether it is the first position that was reached at or after the moment, not the last one at
    ///   or before it.
    /// - Throws: A `RecordingError` with the code `positionOutOfRange`, `ambiguousPosition`, `damaged` or `unreadable`.
    func position(atMoment text: String, isFirst: Bool) throws(RecordingError) -> Position? {
        guard let moment = MomentText(text) else { return nil }
        return Position(seq: try MomentSearch(in: self, for: text).action(at: moment, isFirst: isFirst))
    }
}

/// Finds the last action that was dispatched at or before a moment, or the first one at or after it.
///
/// Costs a binary search, a look at some evenly spread actions, and a pass over some thousand around the result: these
/// show whether the clock was set back. If it was, costs a pass over all actions, because a moment may have come twice.
/// A clock that was set back between two of these looks, and by less than the time between them, is not noticed.
private final class MomentSearch {
    private let recording: Recording
    private let text: String
    private let cursor: ActionCursor
    private var first: Int { recording.start.seq + 1 }
    private var last: Int { recording.actionCount }
    /// The time since which the recording has everything, and the time at which it ended: when it was closed, or, if it
    /// was not, that of its last action.
    private var begin: Int64
    private var end: Int64

    /// The number of evenly spread actions, and of those before and after the result, to look at.
    private static let spread = 64
    private static let around = 2048
    /// The most choices to list.
    private static let maxChoices = 12
    private static let second = 1_000_000_000
    private static let day = 86_400

    init(in recording: Recording, for text: String) throws(RecordingError) {
        self.recording = recording
        self.text = text
        cursor = try ActionCursor(of: recording, reading: [.at])
        begin = recording.keptSinceNanoseconds ?? recording.cutOrigin?.since ?? recording.createdNanoseconds
        end = begin
        if first <= last {
            end = try time(of: last)
            // The clock may have been set back before the first action.
            begin = min(begin, try time(of: first))
        }
        end = max(end, recording.closedNanoseconds ?? end)
    }

    func action(at moment: MomentText, isFirst: Bool) throws(RecordingError) -> Int {
        let times = try self.times(of: moment)
        func isInside(_ time: Range<Int64>) -> Bool { time.upperBound > begin && time.lowerBound <= end }
        var inside = times.filter(isInside)
        // A shorter recording has nothing before its start.
        if case .beforeEnd = moment.kind, let time = times.first, time.upperBound <= begin { return first - 1 }
        if inside.isEmpty, let time = times.first, first <= last {
            // The clock may have shown times before the start.
            if try isSetBack() { inside = [time] }
        }
        guard inside.count <= 1 else {
            throw ambiguous(
                inside.prefix(Self.maxChoices).map {
                    // A choice lasts as long as the moment does.
                    shown($0.lowerBound, milliseconds: moment.length < Int64(Self.second))
                },
                "it came \(inside.count) times"
            )
        }
        guard let time = inside.first else { throw outside() }
        return try action(in: time, isFirst: isFirst)
    }

    // MARK: Times

    /// The times that a moment may be: a nanosecond, a millisecond or a second each.
    private func times(of moment: MomentText) throws(RecordingError) -> [Range<Int64>] {
        func range(_ time: Int64) -> Range<Int64> {
            let (after, overflows) = time.addingReportingOverflow(moment.length)
            return overflows ? Int64.max - 1..<Int64.max : time..<after
        }
        switch moment.kind {
        case .afterStart(let time):
            return [range(recording.createdNanoseconds.addingClamped(time))]
        case .beforeEnd(let time):
            return [range(end.addingClamped(-time))]
        case .date(let days, let time, let zone):
            let times = self.times(on: days, time, zone)
            if times.isEmpty { throw skipped() }
            return times.map(range)
        case .clock(let time, let zone):
            let days = day(of: begin, zone)...max(day(of: begin, zone), day(of: end, zone))
            return days.flatMap { self.times(on: $0, time, zone) }.map(range)
        }
    }

    /// The times that a date and a time of day may be.
    private func times(on days: Int, _ time: Int64, _ zone: Int?) -> [Int64] {
        let (seconds, rest) = Int(time).quotientAndRemainder(dividingBy: Self.second)
        let local = days * Self.day + seconds
        let all = zone.map { [local - $0] } ?? recording.localClock.times(showing: local)
        return all.map { seconds in
            let (time, overflows) = Int64(seconds).multipliedReportingOverflow(by: Int64(Self.second))
            return overflows ? (seconds < 0 ? .min : .max) : time.addingClamped(Int64(rest))
        }
    }

    private func day(of time: Int64, _ zone: Int?) -> Int {
        let seconds = Int(time).quotientAndRemainder(floor: Self.second).quotient
        let local = seconds + (zone ?? recording.localClock.offset(seconds))
        return local.quotientAndRemainder(floor: Self.day).quotient
    }

    // MARK: Searching

    private func time(of seq: Int) throws(RecordingError) -> Int64 {
        try cursor.move(to: seq)
        return try cursor.at()
    }

    /// The last action before the end of a time; the start if there is none. Or the first one since its beginning; the
    /// start if that was since then, and the last action if none was.
    private func action(in time: Range<Int64>, isFirst: Bool) throws(RecordingError) -> Int {
        if isFirst, time.lowerBound <= begin { return first - 1 }
        var found = try lastActions(in: isFirst ? time.lowerBound..<time.lowerBound : time)
        if isFirst {
            // No action follows the last one.
            if found.count > 1 { found.removeAll { $0 == last } }
            found = found.map { min($0 + 1, last) }
        }
        guard found.count <= 1 else {
            throw ambiguous(found.map(String.init), "the clock was set back while it was recorded")
        }
        guard let only = found.first else { throw outside() }
        return only
    }

    /// The last action before the end of a time; the start if there is none. Several if the clock was set back.
    private func lastActions(in time: Range<Int64>) throws(RecordingError) -> [Int] {
        var (low, high) = (first - 1, last + 1)
        while high - low > 1 {
            let middle = low + (high - low) / 2
            if try self.time(of: middle) < time.upperBound { low = middle } else { high = middle }
        }
        let near = max(first, low - Self.around)...max(first, min(last, low + Self.around))
        guard first <= last else { return [low] }
        var isSetBack = try isSetBack()
        if !isSetBack { isSetBack = try changes(in: near, at: time).isSetBack }
        return isSetBack ? try changes(in: first...last, at: time).crossings : [low]
    }

    /// Whether some evenly spread actions show that the clock was set back.
    private func isSetBack() throws(RecordingError) -> Bool {
        var previous = Int64.min
        for step in 0...Self.spread {
            let (high, low) = (last - first).multipliedFullWidth(by: step)
            let time = try self.time(of: first + Self.spread.dividingFullWidth((high, low)).quotient)
            if time < previous { return true }
            previous = time
        }
        return false
    }

    /// Looks at actions one by one.
    ///
    /// - Returns: Whether the clock was set back there; and each action that is the last one before the end of a time, while
    ///   the next one is not. If the clock was set back, there may be several.
    private func changes(in range: ClosedRange<Int>, at time: Range<Int64>) throws(RecordingError)
        -> (isSetBack: Bool, crossings: [Int])
    {
        var isSetBack = false
        var crossings: [Int] = []
        // Before the first action, the start stands for the time since the recording has everything.
        var previous = (seq: range.lowerBound - 1, time: range.lowerBound == first ? begin : Int64.max)
        func add(_ seq: Int, _ next: Int64) {
            if range.lowerBound < previous.seq + 1, next < previous.time { isSetBack = true }
            if previous.time < time.upperBound, next >= time.upperBound, crossings.count < Self.maxChoices {
                crossings.append(previous.seq)
            }
            previous = (seq, next)
        }
        for seq in range { add(seq, try self.time(of: seq)) }
        // The last action is the last one until the end of the recording.
        if range.upperBound == last, previous.seq == last, previous.time < time.upperBound {
            let closed = max(previous.time, recording.closedNanoseconds ?? previous.time)
            if time.lowerBound <= closed, crossings.count < Self.maxChoices { crossings.append(last) }
        }
        return (isSetBack, crossings)
    }

    // MARK: Failures

    private func ambiguous(_ choices: [String], _ reason: String) -> RecordingError {
        let file = recording.url.path
        return RecordingError(.ambiguousPosition, file: file, given: text, allowed: choices, reason: reason)
    }

    private func outside() -> RecordingError {
        recording.outOfRange(text, reason: "it spans \(shown(begin)) to \(shown(end))", knownOnly: false)
    }

    private func skipped() -> RecordingError {
        let reason = "there was no such local time, because clocks were set forward"
        return recording.outOfRange(text, reason: reason, knownOnly: false)
    }

    /// A time as ISO 8601 text in local time.
    private func shown(_ time: Int64, milliseconds: Bool = true) -> String {
        TimeText.local(nanoseconds: time, recording.localClock, showsMilliseconds: milliseconds)
    }
}
