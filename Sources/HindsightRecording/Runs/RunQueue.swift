import HindsightFormat

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The runs that come in a directory, one after the other.
///
/// A run is new where its name is, whatever its date says: clocks are set back.
package final class RunQueue {
    private let directory: RunDirectory
    /// The names of runs that are not new.
    private var seen: Set<String> = []

    /// - Parameter run: The run behind which the queue begins.
    /// - Throws: A ``RecordingError``: `unreadable` where the directory cannot be listed, and what opening `run` throws.
    package init(in directory: URL, after run: URL) throws {
        self.directory = RunDirectory(directory)
        let first = try Recording(at: run).created
        // What has begun since, or is just beginning, is yet to come.
        seen = Set(try RunFile.names(in: self.directory.url).filter { begin(of: $0).map { $0 <= first } ?? false })
        seen.insert(run.lastPathComponent)
    }

    /// The next run that has begun; `nil` where none has.
    ///
    /// Costs listing the directory, and opening each run that is new there.
    ///
    /// - Throws: A ``RecordingError`` with the code `unreadable` where the directory cannot be listed.
    package func next() throws -> URL? {
        let begun = try RunFile.names(in: directory.url).filter { !seen.contains($0) }.compactMap { name in
            begin(of: name).map { (at: $0, name: name) }
        }
        guard let next = begun.min(by: { ($0.at, $0.name) < ($1.at, $1.name) }) else { return nil }
        seen.insert(next.name)
        return directory.url.appendingPathComponent(next.name)
    }

    /// When a run began; `nil` where it cannot be read, as when it is just beginning.
    private func begin(of name: String) -> Int64? {
        try? Recording(at: directory.url.appendingPathComponent(name)).created
    }
}
