import HindsightSupport
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A file that is written beside its destination, under a name of its own, and moved there once it is complete.
///
/// The name is `.NAME.XXXXXXXX.part`. No two drafts share one, so that two processes with the same destination do not
/// write into each other's file: the first that is complete wins, and the other one fails. A process that is killed
/// leaves its draft, which may be deleted.
package struct DraftFile {
    /// The draft, which is empty at first, and which only its owner can read and write.
    package let path: String
    /// A second draft, for another form of the file. It does not exist at first.
    package var otherPath: String { path + Self.suffix }
    private let destination: String
    /// What stood at the destination when the draft was made.
    private let before: FileFingerprint?

    private static let suffix = ".part"
    /// Leaves room for the rest of a draft's name, and for SQLite's suffixes.
    private static let longestName = 200

    /// Creates the draft.
    ///
    /// - Parameter overwrite: Whether it may replace a file.
    /// - Throws: A ``RecordingError``: `inUse`, `exists` or `unwritable`.
    package init(for destination: String, overwrite: Bool) throws(RecordingError) {
        try NewFile.check(destination, overwrite: overwrite)
        self.destination = destination
        before = FileFingerprint(ofEntry: destination)
        // The file may have come after the check.
        if before != nil, !overwrite { throw RecordingError(.exists, file: destination) }
        path = Self.name(beside: destination)
        do {
            try NewFile.createExclusively(path)
        } catch {
            throw RecordingError(.unwritable, file: destination, cause: error.cause)
        }
        RemovableDraft.begin(path, otherPath)
    }

    private static func name(beside destination: String) -> String {
        let directory = destination.lastIndex(of: "/").map { destination[...$0] } ?? ""
        var name = destination.dropFirst(directory.count)
        while name.utf8.count > longestName { name.removeLast() }
        return "\(directory).\(name).\(UUID().uuidString.prefix(8))\(suffix)"
    }

    /// Moves the draft to the destination, if that is still as it was when the draft was made.
    ///
    /// - Parameters:
    ///   - path: The file to move there instead, such as ``otherPath``.
    ///   - check: Called when no other process can move a draft to a destination that exists.
    /// - Throws: A ``RecordingError`` with the code `unwritable`, or the error of `check`.
    package func commit(
        _ path: String? = nil,
        checking check: () throws(RecordingError) -> Void = {}
    ) throws(RecordingError) {
        let path = path ?? self.path
        // Of two processes that replace the same file, the second waits here, and then finds that it has changed.
        let lock = before == nil ? -1 : open(destination, O_RDONLY | O_CLOEXEC)
        defer { if lock >= 0 { close(lock) } }
        if lock >= 0 { while flock(lock, LOCK_EX) != 0, errno == EINTR {} }
        try check()
        guard FileFingerprint(ofEntry: destination) == before else { throw refusal }
        // SQLite would use the files of an earlier database for the new one.
        NewFile.removeRemains(of: destination)
        // Unlike a rename, a link never replaces a file.
        if before == nil, link(path, destination) == 0 {
            unlink(path)
        } else if before == nil, errno == EEXIST {
            throw refusal
        } else if rename(path, destination) != 0 {
            let reason = "the new file could not be moved there: \(SystemError.last)"
            throw RecordingError(.unwritable, file: destination, reason: reason)
        }
    }

    private var refusal: RecordingError {
        let reason = before == nil ? "another process has created it meanwhile" : "it has changed meanwhile"
        return RecordingError(.unwritable, file: destination, reason: "\(reason). Run it again")
    }

    /// Removes what is left of the draft.
    package func discard() {
        for suffix in [""] + SidecarFiles.suffixes { unlink(path + suffix) }
        unlink(otherPath)
        RemovableDraft.end(path)
    }
}

/// The draft that the handler of a signal removes before it ends the process: the first one in progress.
package enum RemovableDraft {
    /// The address of the paths of both forms, one after the other; 0 if there is none. The text is never freed,
    /// because a handler may be reading it.
    private static let address = Atomic<UInt>(0)

    fileprivate static func begin(_ path: String, _ other: String) {
        let bytes = path.utf8CString + other.utf8CString
        let text = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count)
        text.initialize(from: Array(bytes), count: bytes.count)
        let (isFirst, _) = address.compareExchange(
            expected: 0,
            desired: UInt(bitPattern: text),
            ordering: .sequentiallyConsistent
        )
        if !isFirst { text.deallocate() }
    }

    fileprivate static func end(_ path: String) {
        guard let text, strcmp(text, path) == 0 else { return }
        address.store(0, ordering: .sequentiallyConsistent)
    }

    private static var text: UnsafePointer<CChar>? {
        UnsafePointer(bitPattern: address.load(ordering: .sequentiallyConsistent))
    }

    /// Must be called before a handler that calls ``remove()`` is installed.
    package static func prepare() { _ = text }

    /// Removes the draft. Safe in a signal handler.
    package static func remove() {
        guard let text else { return }
        unlink(text)
        unlink(text + strlen(text) + 1)
    }
}
