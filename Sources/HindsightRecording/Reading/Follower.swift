import HindsightFormat
import HindsightSQLite
import HindsightSupport

/// Follows a recording while this or another process makes it.
///
/// Between two looks it holds no part of the recording open: the recorder may close it, and the next run may take its
/// path.
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
    /// The changes since the last look.
    package struct Look {
        package let recording: Recording
        /// The new actions.
        package let actions: ClosedRange<Int>?
        /// The actions that the recording's limit dropped before they were returned.
        package let dropped: ClosedRange<Int>?
        /// Whether this is another run. `actions` then begins with its first.
        package let isNewRun: Bool
        /// Whether the recording is complete, and no more actions will come.
        package let isOver: Bool
    }

    private let place: String
    private let open: () throws -> Recording
    private var seen: Stamp?
    private var run: Int64?
    /// The next action to return; `nil` for all.
    private var next: Int?
    private var misses = 0
    /// The journal's mark, and since when it has been the same, in nanoseconds of the monotonic clock.
    private var mark: (mark: ReducerMark?, since: Int64) = (nil, SystemClock.monotonic)

    /// The largest number of actions in a look.
    private static let most = 500
    /// The number of looks that may fail while another run replaces the file.
    private static let patience = 40

    /// - Parameter open: Opens the recording, for each look anew.
    package init(path: String, open: @escaping () throws -> Recording) {
        place = FileSystem.place(of: path)
        self.open = open
    }

    /// Whether to wait for a file that was deleted.
    package var waitsForFile = false

    /// Begins with a later action than the first.
    package func begin(at seq: Int) { next = seq }

    /// Returns what is new.
    ///
    /// An action is returned once it is in the file with its changes, a moment after its last reducer. Actions that are
    /// only in the journal are returned once the recorder is gone.
    ///
    /// - Returns: `nil` if nothing is new, which costs a few system calls.
    /// - Throws: An error of opening the recording, if it persists.
    package func look() throws -> Look? {
        let stamp = try Stamp(place)
        let present = stamp.pulse.isLive ? stamp.pulse.mark : nil
        if present != mark.mark { mark = (present, SystemClock.monotonic) }
        guard stamp != seen else { return nil }
        do {
            let look = try look(at: try open())
            misses = 0
            // If more actions are available, the next look does not wait for a change.
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
        let isNewRun = run != nil && run != recording.createdNanoseconds
        if isNewRun { next = nil }
        run = recording.createdNanoseconds
        let last = recording.lastFinal
        let start = recording.start.seq
        var dropped: ClosedRange<Int>?
        if let next, next <= start { dropped = next...start }
        let first = max(next ?? 0, start + 1)
        let end = min(last, first.addingClamped(Self.most - 1))
        if first <= end { next = end + 1 }
        return Look(
            recording: recording,
            actions: first <= end ? first...end : nil,
            dropped: dropped,
            isNewRun: isNewRun,
            isOver: !recording.isLive && end >= last
        )
    }

    /// The running action and reducer, and for how many nanoseconds they have been running; `nil` if none is.
    package var running: (seq: Int, reducer: Int, time: Int64)? {
        guard let present = mark.mark, present.phase == .reducing else { return nil }
        return (present.seq, present.reducer, SystemClock.monotonic - mark.since)
    }
}

/// Changes whenever the recording does.
private struct Stamp: Equatable {
    var pulse: JournalFingerprint
    var numbers: [Int64]

    init(_ place: String) throws {
        pulse = try JournalFingerprint(of: place)
        numbers = ["", "-wal"].flatMap { suffix in
            var present = stat()
            guard stat(place + suffix, &present) == 0 else { return [Int64(-1)] }
            return [Int64(present.st_ino), Int64(present.st_size), RunFile.written(present)]
        }
    }
}
