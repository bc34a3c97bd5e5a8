import HindsightFormat
import HindsightRecording
import HindsightSupport
import HindsightTree

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Which positions of a recording write which paths.
///
/// ```swift
/// let index = try ChangeIndex(of: recording)
/// for position in try index.positions(touching: NodePath(["cart", "total"]), in: 1...recording.actionCount) {
///     print(position)
/// }
/// ```
///
/// Building it costs one pass over the recorded changes. Use it on the thread of its recording.
package final class ChangeIndex {
    /// The recording, as of the creation of the index.
    let recording: Recording
    let keys: StepKeys
    /// The parts, which follow one another in time.
    private let tables: [PostingTable]
    private var lists: [ScalarKey: [Int]] = [:]

    /// The most lists of keys to keep in memory.
    private static let maxLists = 100_000

    /// The last action in the index.
    private let end: Int
    /// Why the index could not be kept in the cache folder; `nil` if it was kept, or was not to be.
    package let storageFailure: (any Error)?

    /// The size of a recording, in bytes, from which on its index is kept. Building that of a smaller one takes a few
    /// milliseconds.
    package static let smallestKept = 1 << 20
    /// The most actions to index again each time, rather than to write the file anew.
    private static let maxUnkept = 4096

    /// The folder `hindsight` in the user's cache folder: `$XDG_CACHE_HOME` or `~/.cache`, on macOS `~/Library/Caches`.
    /// `nil` if the environment names no home.
    package static var defaultCache: URL? { SystemFiles.caches.map { URL(fileURLWithPath: $0 + "/hindsight") } }

    /// Uses the index in the user's cache folder if it fits the recording, extends it if the recording grew, or builds
    /// it.
    ///
    /// An index that is damaged or of another recording is not used. Nothing is written beside the recording or into it.
    /// If the process ends while it builds the index, nothing of it is left. The index of a recording of less than a
    /// megabyte is not kept.
    ///
    /// - Parameters:
    ///   - cache: The folder of indexes; `nil` to keep no index.
    ///   - smallestKept: The size of a recording, in bytes, from which on its index is kept.
    ///   - progress: Called with the part that is done, from 0 to 1, while the index is built.
    /// - Throws: A `RecordingError` with the code `damaged` or `unreadable`.
    package init(
        of recording: Recording,
        cache: URL? = ChangeIndex.defaultCache,
        smallestKept: Int = ChangeIndex.smallestKept,
        progress: ((Double) -> Void)? = nil
    ) throws(RecordingError) {
        self.recording = recording
        let keys = StepKeys(reducerCount: recording.reducers.count)
        self.keys = keys
        // A malicious file may have any numbers.
        guard !(recording.actionCount + 1).multipliedReportingOverflow(by: keys.stride).overflow else {
            throw recording.damaged("its actions are not numbered from 1", seq: nil)
        }
        var file: IndexFile?
        if let cache, IndexFile.size(of: recording) >= smallestKept, recording.end > recording.start {
            file = IndexFile(of: recording, keys, in: cache)
        }
        let kept = try file?.read()
        let start = kept?.start ?? recording.start.seq
        let known = kept?.end ?? start
        end = recording.end.seq
        let rest = try Self.table(of: recording, keys, after: known, upTo: end, progress)
        tables = kept.map { [$0.table, rest] } ?? [rest]
        var failure: (any Error)?
        if let file, kept == nil || end - known > max(Self.maxUnkept, (known - start) / 8) {
            do {
                try file.write(kept?.table.appending(rest) ?? rest, from: start, to: end)
            } catch {
                failure = error
            }
        }
        storageFailure = failure
    }

    /// Whether the index has all changes of a recording.
    func covers(_ recording: Recording) -> Bool { recording === self.recording && end >= recording.end.seq }

    /// The positions with an operation at the path, inside it, or at a place around it, in order.
    ///
    /// A position is that after the reducer; time travel, and a run of actions whose states were left out, have the
    /// position after the action. The positions are exact or a superset, never less: an element that is added to an
    /// array or removed from it moves the others, so it counts for the whole array; and where the recording does not
    /// have the changes of a run, or has doubtful states, the position after it counts for every path.
    ///
    /// - Parameter range: The numbers of the actions. It may exceed the recording.
    /// - Throws: A `RecordingError` with the code `damaged` or `unreadable`.
    package func positions(
        touching path: NodePath,
        in range: ClosedRange<Int>
    ) throws(RecordingError) -> [Recording.Position] {
        let first = min(max(range.lowerBound, 0), recording.actionCount)
        let last = min(max(range.upperBound, first), recording.actionCount)
        let bounds = keys.keys(of: first...last)
        let unknown = unknownRanges.map { keys.last(upTo: Recording.Position(seq: $0.upperBound)) }
        return unique(keys(touching: path) + unknown).filter(bounds.contains).map(keys.position)
    }

    /// The keys of all steps that touch a path, in order.
    func keys(touching path: NodePath) -> [Int] {
        var found = keys(at: path) + keys(inside: path)
        for outer in path.ancestors { found += keys(at: outer) }
        return unique(found)
    }

    private func unique(_ keys: [Int]) -> [Int] {
        var unique: [Int] = []
        for key in keys.sorted() where key != unique.last { unique.append(key) }
        return unique
    }

    /// The ranges of actions whose changes are not recorded one by one, or are doubtful, in order. The states before and
    /// after each are known and exact.
    private(set) lazy var unknownRanges: [ClosedRange<Int>] = {
        var ranges: [ClosedRange<Int>] = []
        let all = (recording.gaps + recording.doubtful.map(\.actions)).sorted { $0.lowerBound < $1.lowerBound }
        for range in all where range.upperBound > recording.start.seq {
            // The state before must be known.
            let before = recording.lastRecorded(before: max(range.lowerBound, recording.start.seq + 1)).seq
            let first = max(before, recording.start.seq) + 1
            if let last = ranges.last, first <= last.upperBound {
                ranges[ranges.count - 1] = last.lowerBound...max(last.upperBound, range.upperBound)
            } else {
                ranges.append(first...range.upperBound)
            }
        }
        return ranges
    }()

    /// The keys of the steps that write exactly a path, or that move its elements, in order.
    func keys(at path: NodePath) -> [Int] {
        list("", of: path) { bytes in
            tables.flatMap { table in table.index(of: bytes).map { table.keys($0) } ?? [] }
        }
    }

    /// The keys of the steps that write inside a path, in order.
    func keys(inside path: NodePath) -> [Int] {
        list("inside", of: path) { bytes in
            unique(tables.flatMap { table in table.indices(inside: bytes).flatMap { table.keys($0) } })
        }
    }

    /// The keys of the steps that write at or inside several elements of an array, in order.
    ///
    /// A step that only inserts or removes elements writes the array itself. The keys are exact or a superset.
    func keys(amongElementsOf array: NodePath) -> [Int] {
        // A key is in one table only.
        list("among", of: array) { bytes in unique(tables.flatMap { Self.keys(amongElementsOf: bytes, in: $0) }) }
    }

    private static func keys(amongElementsOf array: [UInt8], in table: PostingTable) -> [Int] {
        // The paths of an element follow one another in the table.
        var elements: [(name: [UInt8], keys: [Int])] = []
        for number in table.indices(inside: array) {
            let name = Array(table.path(number).utf8.dropFirst(array.count + 1).prefix { $0 != UInt8(ascii: "/") })
            if elements.last?.name != name { elements.append((name, [])) }
            elements[elements.count - 1].keys += table.keys(number)
        }
        guard elements.count > 1, let first = elements.lazy.compactMap({ $0.keys.min() }).min(),
            let last = elements.lazy.compactMap({ $0.keys.max() }).max()
        else { return [] }
        let count = elements.reduce(0) { $0 + $1.keys.count }
        // A malicious file may have any numbers.
        guard (last - first) / 64 <= max(count, 1 << 20) else { return elements.flatMap(\.keys) }
        var shared: [Int] = []
        // Whether an earlier element has the key: a bit each.
        var seen = [UInt64](repeating: 0, count: (last - first) / 64 + 1)
        for element in elements {
            for key in element.keys where seen[(key - first) / 64] >> UInt64((key - first) % 64) & 1 == 1 {
                shared.append(key)
            }
            for key in element.keys { seen[(key - first) / 64] |= 1 << UInt64((key - first) % 64) }
        }
        return shared
    }

    /// A list of keys, which is found once.
    ///
    /// - Parameter kind: A word. No path begins with a letter.
    private func list(_ kind: String, of path: NodePath, _ find: (_ path: [UInt8]) -> [Int]) -> [Int] {
        let name = kind + path.description
        if let found = lists[ScalarKey(name)] { return found }
        // An index that was kept may begin with actions that the recording's limit has dropped since.
        let dropped = keys.last(upTo: recording.start)
        let found = find(Array(path.description.utf8)).filter { $0 > dropped }
        if lists.count >= Self.maxLists { lists = [:] }
        lists[ScalarKey(name)] = found
        return found
    }

    // MARK: Building

    /// Scans the steps after an action, up to another one.
    static func table(
        of recording: Recording,
        _ keys: StepKeys,
        after start: Int,
        upTo end: Int,
        _ progress: ((Double) -> Void)? = nil
    ) throws(RecordingError) -> PostingTable {
        var collector = PostingCollector()
        guard start < end else { return collector.finish() }
        let step = max(4096, (end - start) / 200)
        let cursor = try ActionCursor(of: recording, reading: [.steps])
        try cursor.forEach(in: start + 1...end) { seq in
            try cursor.withSteps { text in
                do {
                    try TimedPatches.scan(text) { operation in
                        let key = keys.key(seq, entry: operation.entry, isTimed: operation.isTimed)
                        if operation.isEscaped {
                            Array(try unescaped(operation.path).utf8).withUnsafeBufferPointer {
                                collector.add(key, to: operation.place(at: $0))
                            }
                        } else {
                            collector.add(key, to: operation.place(at: operation.path))
                        }
                    }
                } catch {
                    throw recording.damaged("what its reducers did is not what it should be", seq: seq, cause: error)
                }
            }
            if let progress, (seq - start) % step == 0 { progress(Double(seq - start) / Double(end - start)) }
        }
        return collector.finish()
    }

    private static func unescaped(_ path: UnsafeBufferPointer<UInt8>) throws -> String {
        guard case .string(let text) = try Node(json: "\"\(String(decoding: path, as: UTF8.self))\"") else { return "" }
        return text
    }
}
