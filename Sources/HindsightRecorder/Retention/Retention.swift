import HindsightFormat

/// How many of an app's runs a directory keeps.
///
/// ```swift
/// let recorder = try Recorder<AppState, AppAction>(in: directory, keep: Retention(runs: 10), app: info)
/// ```
///
/// What is more is deleted when a run begins, the oldest first, each with all files that stand beside it; whatever limit
/// is met first counts. Only recordings of the same app are looked at, and one that is being recorded, by whatever
/// process, is never deleted.
public struct Retention: Sendable, Hashable {
    /// The number of runs, with the one that begins. Those that are being recorded count.
    public var runs: Int?
    /// The bytes of all runs together, with what stands beside them. The one that begins counts as much as its own limit
    /// of bytes allows it, where it has one.
    public var bytes: Int?
    /// Runs that ended longer ago are deleted.
    public var age: Duration?

    public init(runs: Int? = nil, bytes: Int? = nil, age: Duration? = nil) {
        self.runs = runs.map { max(1, $0) }
        self.bytes = bytes
        self.age = age
    }

    /// Nothing is deleted.
    public static let all = Retention()

    /// The last so many runs are kept.
    public static func runs(_ count: Int) -> Retention { Retention(runs: count) }
}

extension Retention {
    /// A run beside the one that begins.
    struct Run: Equatable {
        var path: String
        /// In nanoseconds since 1970.
        var created: Int64
        var ended: Int64
        var bytes: Int64
        var isLive: Bool
        var file: RunFile.Identity?
    }

    /// The runs that are to be deleted, the oldest first.
    ///
    /// - Parameters:
    ///   - runs: All but the one that begins, in any order.
    ///   - present: What that one may take.
    ///   - now: In nanoseconds since 1970.
    func expired(of runs: [Run], present: Int64, now: Int64) -> [Run] {
        var bytes = present
        var expired: [Run] = []
        for (index, run) in runs.sorted(by: { ($1.created, $1.path) < ($0.created, $0.path) }).enumerated() {
            let (sum, isTooMuch) = bytes.addingReportingOverflow(run.bytes)
            bytes = isTooMuch ? .max : sum
            if run.isLive { continue }
            // One place is that of the run that begins.
            let isOver = self.runs.map { index + 1 >= $0 } ?? false || self.bytes.map { bytes > Int64($0) } ?? false
            let isOld = age.map { now.subtractingReportingOverflow(run.ended).partialValue > $0.nanoseconds } ?? false
            if isOver || isOld { expired.append(run) }
        }
        return expired.reversed()
    }
}
