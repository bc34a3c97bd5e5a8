import Foundation
import HindsightRecording
import HindsightReplay
import HindsightSupport

/// The order of work for the children of ``VerificationJobs``: the parts of long recordings first, then the other files,
/// several at a time.
struct VerificationQueue {
    typealias Unit = VerificationJobs.Unit

    /// A recording that is verified in parts.
    ///
    /// The first part that does not match is verified again together with all after it, in one piece, and prints its
    /// result. If all match, nothing is left to verify, and only the result is printed.
    private struct Long {
        let starts: [Int]
        let end: Int
        var tallies: [VerificationTally?]
        /// What the reducers printed in each part; at last, in those that do not run again.
        var printed: [[UInt8]]
        /// The first part that did not match.
        var bad: Int?
        var needsWhole = false
        var isPrinting = false
        var seconds = 0.0
    }

    /// A shorter recording is verified in one piece.
    private static let longActions = 10_000
    private static let shortestPart = 5_000
    /// So many actions take more bytes.
    private static let longBytes = 1 << 18

    private var urgent: [Unit] = []
    private var plain: ArraySlice<Int> = []
    private var long: [Int: Long] = [:]
    private var sizes: [Int: Int] = [:]
    private var plainBytes = 0
    private let jobs: Int

    init(_ files: [String], jobs: Int, _ arguments: Arguments) {
        self.jobs = jobs
        for index in files.indices {
            let size = Int(FileSystem.size(of: files[index]))
            sizes[index] = size + 4096
            // The child that opens the file reports an error.
            if jobs > 1, size >= Self.longBytes, let parts = try? Self.parts(of: files[index], jobs, arguments) {
                long[index] = parts
                urgent += parts.starts.indices.map { Self.unit(index, parts, $0) }
            } else {
                plain.append(index)
                plainBytes += size + 4096
            }
        }
    }

    /// The parts of a recording; `nil` to verify it in one piece.
    private static func parts(of file: String, _ jobs: Int, _ arguments: Arguments) throws -> Long? {
        let options = try VerificationArguments.options(arguments)
        // A part begins on the recorded state. In one piece, ignored places have today's values.
        guard options.ignoredPaths.isEmpty, options.tolerances.isEmpty, !options.finalStateOnly else { return nil }
        let recording = try Recording(at: URL(filePath: file))
        let last = try VerificationArguments.end(arguments, of: recording)
        let end = min(recording.end, last ?? recording.end).seq
        let count = end - recording.start.seq
        guard count >= longActions else { return nil }
        let starts = try recording.verificationStarts(every: max(shortestPart, count / (3 * jobs))).filter { $0 < end }
        guard starts.count > 1 else { return nil }
        return Long(
            starts: starts,
            end: end,
            tallies: Array(repeating: nil, count: starts.count),
            printed: Array(repeating: [], count: starts.count)
        )
    }

    private static func unit(_ index: Int, _ parts: Long, _ part: Int) -> Unit {
        let end = part + 1 < parts.starts.count ? parts.starts[part + 1] : nil
        let scope = VerificationTask.Scope(start: parts.starts[part], end: end, isPart: true)
        return Unit(files: [index], scope: scope, part: part)
    }

    /// The next work; `nil` if all has begun.
    mutating func next() -> Unit? {
        if !urgent.isEmpty { return urgent.removeFirst() }
        guard !plain.isEmpty else { return nil }
        // Larger units at first, and single files at the end, so that all children end at about the same time.
        let goal = plainBytes / (3 * jobs)
        var (files, bytes) = ([Int](), 0)
        while let index = plain.first {
            let size = sizes[index] ?? 0
            if !files.isEmpty, bytes + size > goal || files.count >= 200 { break }
            plain.removeFirst()
            files.append(index)
            bytes += size
        }
        plainBytes -= bytes
        return Unit(files: files)
    }

    /// Returns the rest of a unit whose child has crashed.
    mutating func putBack(_ unit: Unit) {
        urgent.insert(Unit(files: unit.files), at: 0)
    }

    /// Takes the result of a part.
    mutating func end(
        _ index: Int,
        _ part: Int,
        _ details: VerificationTask.Details,
        printed: [UInt8] = []
    ) {
        guard var parts = long[index], !parts.isPrinting else { return }
        parts.seconds += details.seconds
        (parts.tallies[part], parts.printed[part]) = (details.tally, printed)
        if details.needsWhole { parts.needsWhole = true }
        if details.tally == nil { parts.bad = min(parts.bad ?? part, part) }
        defer { long[index] = parts }
        if parts.bad != nil || parts.needsWhole {
            urgent.removeAll { $0.files == [index] && ($0.part ?? -1) > (parts.needsWhole ? -1 : parts.bad ?? 0) }
        }
        var scope = VerificationTask.Scope()
        if !parts.needsWhole {
            let before = parts.tallies.prefix { $0 != nil }.compactMap { $0 }
            guard before.count == parts.starts.count || before.count == parts.bad else { return }
            scope.start = before.count == parts.starts.count ? parts.end : parts.starts[before.count]
            scope.tally = before.reduce(into: VerificationTally()) { $0.add($1) }
        }
        let kept = scope.start == nil ? 0 : parts.tallies.prefix { $0 != nil }.count
        parts.printed = Array(parts.printed.prefix(kept))
        parts.isPrinting = true
        urgent.insert(Unit(files: [index], scope: scope), at: 0)
    }

    /// Whether the result of a part no longer matters.
    func isObsolete(_ index: Int, _ part: Int) -> Bool {
        guard let parts = long[index] else { return false }
        return parts.needsWhole || parts.isPrinting || parts.bad.map { part > $0 } ?? false
    }

    /// What the reducers printed in the parts of a recording that do not run again.
    func printed(of index: Int) -> [UInt8] { Array((long[index]?.printed ?? []).joined()) }

    /// The seconds that the parts of a recording have taken.
    func seconds(of index: Int) -> Double { long[index]?.seconds ?? 0 }
}
