#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The runs that come in a directory, in the order in which they began.
package final class RunQueue {
    private let directory: RunDirectory
    /// Names of runs that began before the one that is looked at, or are that.
    private var seen: Set<String> = []
    private var last: Int64

    /// - Parameter run: The run behind which the queue begins.
    /// - Throws: A ``RecordingError`` with the code `unreadable` where the directory cannot be listed.
    package init(in directory: URL, after run: URL) throws {
        self.directory = RunDirectory(directory)
        last = try Recording(at: run).created
        seen = [run.lastPathComponent]
    }

    /// The next run that has begun; `nil` where none has.
    ///
    /// Costs listing the directory, and opening each run that is new there.
    ///
    /// - Throws: A ``RecordingError`` with the code `unreadable` where the directory cannot be listed.
    package func next() throws -> URL? {
        var begun: [(created: Int64, name: String)] = []
        for name in try directory.names() where !seen.contains(name) {
            // One that cannot be read may be just beginning: it is looked at again.
            guard let created = try? Recording(at: directory.url.appendingPathComponent(name)).created else { continue }
            if created < last { seen.insert(name) } else { begun.append((created, name)) }
        }
        guard let next = begun.min(by: { ($0.created, $0.name) < ($1.created, $1.name) }) else { return nil }
        seen.insert(next.name)
        last = next.created
        return directory.url.appendingPathComponent(next.name)
    }
}
