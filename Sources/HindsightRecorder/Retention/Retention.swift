import HindsightFormat
import HindsightSupport

/// The runs of an app that a directory keeps.
///
/// ```swift
/// let recorder = try Recorder<AppState, AppAction>(in: directory, keep: Retention(runs: 10), app: info)
/// ```
///
/// When a run begins, older runs are deleted with the files beside them, oldest first. The limit that is reached first
/// applies. Only recordings of the same app are deleted, and never one that any process is recording.
public struct Retention: Sendable, Hashable {
    /// The number of runs, including the new one and those that are being recorded.
    public var runs: Int?
    /// The size of all runs and the files beside them, in bytes. The new run counts with its own limit of bytes, if it
    /// has one.
    public var bytes: Int?
    /// The age beyond which runs are deleted, since their end.
    public var age: Duration?

    /// Creates a rule. `nil` limits nothing.
    public init(runs: Int? = nil, bytes: Int? = nil, age: Duration? = nil) {
        self.runs = runs.map { max(1, $0) }
        self.bytes = bytes
        self.age = age
    }

    /// Keeps all runs.
    public static let all = Retention()

    /// Keeps the last `count` runs.
    public static func runs(_ count: Int) -> Retention { Retention(runs: count) }
}

extension Retention {
    /// An older run.
    struct Run: Equatable {
        var path: String
        /// In nanoseconds since 1970.
        var created: Int64
        var ended: Int64
        var bytes: Int64
        var isLive: Bool
        var file: FileFingerprint?
    }

    /// The runs to delete, oldest first.
    ///
    /// - Parameters:
    ///   - runs: All runs except the new one, in any order.
    ///   - present: The bytes that the new run may take.
    ///   - now: In nanoseconds since 1970.
    func expired(of runs: [Run], present: Int64, now: Int64) -> [Run] {
        var bytes = present
        var expired: [Run] = []
        for (index, run) in runs.sorted(by: { ($1.created, $1.path) < ($0.created, $0.path) }).enumerated() {
            bytes = bytes.addingClamped(run.bytes)
            if run.isLive { continue }
            // One place is for the new run.
            let isOver = self.runs.map { index + 1 >= $0 } ?? false || self.bytes.map { bytes > Int64($0) } ?? false
            let isOld = age.map { now.subtractingReportingOverflow(run.ended).partialValue > $0.nanoseconds } ?? false
            if isOver || isOld { expired.append(run) }
        }
        return expired.reversed()
    }
}
