import HindsightFormat
import HindsightSQLite
import HindsightSupport

/// Follows a recording while it is being made, by this process or another.
///
/// Between two looks it holds nothing of the recording: its recorder may close it, and the next run may take its place.
///
/// ```swift
/// let follower = Follower(path: path) { try Recording(at: url) }
/// while true {
///     guard let look = try follower.look() else { /* wait a moment */ continue }
///     // … look.actions of look.recording …
///     if look.isOver { break }
/// }
/// ```
package final class Follower {
    /// What has come since the last look.
    package struct Look {
        package let recording: Recording
        /// The actions that have come.
        package let actions: ClosedRange<Int>?
        /// Actions that the recording's limit has dropped before they could be given.
        package let dropped: ClosedRange<Int>?
        /// Whether this is another run than the one before: `actions` then begin anew.
        package let isNewRun: Bool
        /// Whether this was all, and no more will come.
        package let isOver: Bool
    }

    private let place: String
    private let open: () throws -> Recording
    private var seen: Stamp?
    private var run: Int64?
    /// The next action to give; `nil` where all are wanted.
    private var next: Int?
    private var misses = 0
    /// The journal's mark, and since when it has been the same, in nanoseconds of the monotonic clock.
    private var mark: (mark: ReducerMark?, since: Int64) = (nil, SystemClock.monotonic)

    /// A look gives at most this many actions.
    private static let most = 500
    /// So many looks may fail while another run takes the file's place.
    private static let patience = 40

    /// - Parameter open: Opens the recording, anew each time.
    package init(path: String, open: @escaping () throws -> Recording) {
        place = FileSystem.place(of: path)
        self.open = open
    }

    /// Whether a file that is gone is waited for.
    package var waitsForFile = false

    /// Begins with an action and not with the first.
    package func begin(at seq: Int) { next = seq }

    /// Looks what has come.
    ///
    /// An action comes once it is in the file together with what it did: a moment after its last reducer. What is in the
    /// journal alone comes when the recorder is gone.
    ///
    /// - Returns: `nil` where nothing has; that costs a few calls of the system.
    /// - Throws: What opening a recording throws, where it goes on doing so.
    package func look() throws -> Look? {
        let stamp = try Stamp(place)
        let present = stamp.pulse.isLive ? stamp.pulse.mark : nil
        if present != mark.mark { mark = (present, SystemClock.monotonic) }
        guard stamp != seen else { return nil }
        do {
            let look = try look(at: try open())
            misses = 0
            // Where more has come than was given, the next look goes on at once.
            if look.isOver || look.actions.map({ $0.count < Self.most }) ?? true { seen = stamp }
            return look
        } catch {
            misses += 1
            let isGone = waitsForFile && (error as? RecordingError)?.code == .notFound
            guard run != nil, misses < Self.patience || isGone else { throw error }
            return nil
        }
    }

    private func look(at recording: Recording) throws -> Look {
        let isNewRun = run != nil && run != recording.created
        if isNewRun { next = nil }
        run = recording.created
        let isLive = recording.ending == .open(live: true)
        let last = isLive ? recording.lastStored : recording.actionCount
        let start = recording.start.seq
        var dropped: ClosedRange<Int>?
        if let next, next <= start { dropped = next...start }
        let first = max(next ?? 0, start + 1)
        let end = min(last, first.addingReportingOverflow(Self.most - 1).partialValue)
        if first <= end { next = end + 1 }
        return Look(
            recording: recording,
            actions: first <= end ? first...end : nil,
            dropped: dropped,
            isNewRun: isNewRun,
            isOver: !isLive && end >= last
        )
    }

    /// The action and the reducer that have been running, and for how many nanoseconds; `nil` where none is.
    package var running: (seq: Int, reducer: Int, time: Int64)? {
        guard let present = mark.mark, present.phase == .reducing else { return nil }
        return (present.seq, present.reducer, SystemClock.monotonic - mark.since)
    }
}

/// What differs where a recording has gone on.
private struct Stamp: Equatable {
    var pulse: JournalFingerprint
    var numbers: [Int64]

    init(_ place: String) throws {
        pulse = try JournalFingerprint(of: place)
        numbers = ["", "-wal"].flatMap { suffix in
            var present = stat()
            guard stat(place + suffix, &present) == 0 else { return [Int64(-1)] }
            #if canImport(Darwin)
                let time = present.st_mtimespec
            #else
                let time = present.st_mtim
            #endif
            return [Int64(present.st_ino), Int64(present.st_size), Int64(time.tv_sec), Int64(time.tv_nsec)]
        }
    }
}
