import Foundation
import HindsightFormat

/// The runs of a directory, one after the other.
///
/// A run is new if its name is, because clocks may be set back.
package final class RunQueue {
    private let directory: RunDirectory
    /// The names of known runs.
    private var seen: Set<String> = []

    /// - Parameter run: The run after which the queue begins.
    /// - Throws: A `RecordingError` with the code `unreadable` if the directory cannot be listed, or a code of opening
    ///   `run`.
    package init(in directory: URL, after run: URL) throws {
        self.directory = RunDirectory(at: directory)
        let first = try Recording(at: run).createdNanoseconds
        // Runs that began later, or are just beginning, are new.
        seen = Set(try RunFile.names(in: self.directory.url).filter { begin(of: $0).map { $0 <= first } ?? false })
        seen.insert(run.lastPathComponent)
    }

    /// Returns the next run that has begun; `nil` if there is none.
    ///
    /// Costs listing the directory, and opening each new run.
    ///
    /// - Throws: A `RecordingError` with the code `unreadable` if the directory cannot be listed.
    package func next() throws -> URL? {
        let begun = try RunFile.names(in: directory.url).filter { !seen.contains($0) }.compactMap { name in
            begin(of: name).map { (at: $0, name: name) }
        }
        guard let next = begun.min(by: { ($0.at, $0.name) < ($1.at, $1.name) }) else { return nil }
        seen.insert(next.name)
        return directory.url.appendingPathComponent(next.name)
    }

    /// When a run began; `nil` if it cannot be read, for example because it is just beginning.
    private func begin(of name: String) -> Int64? {
        try? Recording(at: directory.url.appendingPathComponent(name)).createdNanoseconds
    }
}
