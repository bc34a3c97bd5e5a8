import Foundation
import HindsightFormat
import HindsightSupport

/// The result of recovering a recording.
///
/// A process that ends without closing its recorder leaves files beside the recording: SQLite's `-wal` and `-shm`, and
/// the recorder's `-ahead`, which has the last actions. Every command reads them. Before you move or send the
/// recording, recover it, or take these files along:
///
/// ```swift
/// let recovery = try Recording.recover(at: url)
/// print(recovery.actions as Any, recovery.ending)
/// ```
public struct Recovery: Sendable, Hashable {
    /// The actions that were only in the journal; `nil` if there were none. The states after them are not known.
    public internal(set) var actions: ClosedRange<Int>?
    /// The names of the files that were removed.
    public internal(set) var removed: [String] = []
    /// The names of SQLite's files that remain because another connection is open. They have no content: the recording
    /// stands alone, and recovering it again removes them.
    public internal(set) var left: [String] = []
    /// How the recording ended.
    public internal(set) var ending: Recording.Ending

    /// Whether there was anything to recover.
    public internal(set) var isNeeded = true
}

extension Recording {
    /// Merges the files beside a recording into it, so that its file stands alone.
    ///
    /// A recovery adds no knowledge and loses none. If the states of an action were lost with the process, replaying
    /// computes them. The file then says where the process ended.
    ///
    /// You may interrupt a recovery at any moment, and run it again to finish it. If there is nothing to recover, it
    /// changes nothing. Other processes may read the recording meanwhile; the recovery waits for them for half a second
    /// at most. In this process, no ``Recording`` of the file may be open.
    ///
    /// It removes a journal only if each of its records is in the file then, and each action that had begun. Otherwise
    /// it throws, and changes nothing; ``Examination/salvage(to:overwrite:)`` saves what is readable.
    ///
    /// - Throws: A `RecordingError` with a code of ``init(at:)``; `live` if a recorder is writing; `newerFormat` or
    ///   `damaged` if not all of the journal, or of the `-wal`, can be read; `foreignJournal` if the journal belongs to
    ///   another recording; `journalGap` if actions are missing between the file and the journal; `foreignSchema` if a
    ///   table was changed; `unwritable` if the file cannot be written; or `beingRead` if a reader does not finish. If
    ///   it fails, you may run it again.
    public static func recover(at url: URL) throws(RecordingError) -> Recovery {
        do {
            return try RecoveryRun(path: url.path).run()
        } catch {
            throw RecordingError(error, reading: url.path)
        }
    }

    /// The names of the files that stand beside the recording and belong to it, until it is closed or recovered.
    public var sidecarFiles: [String] {
        file.sidecarSuffixes.map { FileSystem.name(of: file.place + $0) }
    }
}
