import HindsightFormat
import HindsightSupport

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What folding into a recording what stood beside it has done.
///
/// A process that ends without closing its recorder leaves files beside the recording: SQLite's `-wal` and `-shm`, and the
/// recorder's `-ahead`, which has the last actions. Every command reads them; who moves or sends the recording must take
/// them along, or recover it first:
///
/// ```swift
/// let recovery = try Recording.recover(url)
/// print(recovery.actions as Any, recovery.ending)
/// ```
public struct Recovery: Sendable, Hashable {
    /// The actions that were in the journal alone; `nil` where there were none. The states after them are not known.
    public internal(set) var actions: ClosedRange<Int>?
    /// Actions that had begun and are in no file, as it happens where the machine itself stopped; `nil` where there are
    /// none.
    public internal(set) var lost: ClosedRange<Int>?
    /// The names of the files that stood beside the recording and are gone.
    public internal(set) var removed: [String] = []
    /// The names of SQLite's files that still stand beside the recording, since another connection has it open. They are
    /// empty of content: the recording's file stands alone, and recovering it again removes them.
    public internal(set) var left: [String] = []
    /// How the recording ended.
    public internal(set) var ending: Ending

    /// Whether there was anything to do.
    public internal(set) var isNeeded = true
}

extension Recording {
    /// Folds into a recording what stands beside it, after which its file stands alone.
    ///
    /// What was known is known afterwards, and nothing else: an action whose states were lost with its process has none,
    /// and replaying it computes them. Where the process ended is written into the file.
    ///
    /// It may be interrupted at any moment: run again, it does what is left to do. Where there is nothing to do it
    /// changes nothing. Other processes may read the recording meanwhile; it waits for them for half a second at most. In
    /// this process no ``Recording`` of it may be open.
    ///
    /// - Throws: A ``RecordingError``: what opening it throws; `live` where its recorder is at work; `newerFormat` or
    ///   `damaged` where its journal cannot be read, or `journalGap` if that does not go on where the file ends, and nothing
    ///   is changed then; `unwritable` where it cannot be written;
    ///   `beingRead` where another connection reads it for longer than that. It may then be run again.
    public static func recover(_ url: URL) throws -> Recovery {
        try RecoveryRun(path: url.path).run()
    }

    /// The names of the files that stand beside this one and are part of it, until it is closed or recovered.
    public var companions: [String] {
        SidecarFiles.existing(beside: file.place).map { FileSystem.name(of: file.place + $0) }
    }
}
