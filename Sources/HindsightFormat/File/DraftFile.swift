import Foundation
import HindsightSupport
import Synchronization

/// A file that is written beside its destination, under a name of its own, and moved there once it is complete.
///
/// The name is `.NAME.XXXXXXXX.part`. No two drafts share one, so that two processes with the same destination do not
/// write into each other's file: the first that is complete wins, and the other one fails. A process that is killed
/// leaves its draft. It no longer holds a lock on it, and the next draft for the same destination removes it.
package struct DraftFile {
    /// The draft, which is empty at first, and which only its owner can read and write.
    package let path: String
    /// A second draft, for another form of the file. It does not exist at first.
    package var otherPath: String { path + Self.suffix }
    private let destination: String
    /// What stood at the destination when the draft was made.
    private let before: FileFingerprint?
    /// Held until the draft has its destination; `nil` if the file system has no locks.
    private let lock: FileLock?

    private static let suffix = ".part"
    /// Leaves room for the rest of a draft's name, and for SQLite's suffixes.
    private static let maxNameLength = 200
    /// The length of the random part of the name.
    private static let randomCount = 8

    /// Creates the draft.
    ///
    /// - Parameters:
    ///   - overwrite: Whether it may replace a file.
    ///   - locking: Locks a file.
    /// - Throws: A ``RecordingError``: `inUse`, `exists` or `unwritable`.
    package init(
        for destination: String,
        overwrite: Bool,
        locking: Locking = { (path: String) throws(SystemError) in try FileLock(on: path) }
    ) throws(RecordingError) {
        try NewFile.check(destination, overwrite: overwrite)
        self.destination = destination
        before = FileFingerprint(ofEntry: destination)
        // The file may have come after the check.
        if before != nil, !overwrite { throw RecordingError(.exists, file: destination) }
        Self.removeAbandoned(beside: destination)
        (path, lock) = try Self.create(beside: destination, locking)
        RemovableDraft.begin(Self.files(of: path))
    }

    package typealias Locking = (String) throws(SystemError) -> FileLock

    /// The errors of a process or a system that has too much open for a moment. They say nothing of the file system, so
    /// another process could lock the draft, and remove it as an abandoned one.
    private static let passingErrors = [EMFILE, ENFILE, ENOMEM, EINTR]

    /// Creates and locks a draft.
    private static func create(
        beside destination: String,
        _ locking: Locking
    ) throws(RecordingError) -> (path: String, lock: FileLock?) {
        var last: SystemError?
        for _ in 0..<10 {
            let path = name(beside: destination)
            do {
                try NewFile.createExclusively(path)
            } catch {
                throw RecordingError(.unwritable, file: destination, cause: error.cause)
            }
            do {
                return (path, try locking(path))
            } catch {
                last = error
                if passingErrors.contains(error.number) {
                    unlink(path)
                    usleep(10_000)
                } else if ![EWOULDBLOCK, ENOENT].contains(error.number) {
                    // The file system has no locks.
                    return (path, nil)
                }
                // Otherwise another process has taken it for an abandoned one, before it was locked.
            }
        }
        throw RecordingError(.unwritable, file: destination, cause: last)
    }

    /// Removes the drafts for a destination whose processes have ended. What cannot be removed stays.
    package static func removeAbandoned(beside destination: String) {
        let (directory, stem) = place(beside: destination)
        // A directory that this process may not list keeps its drafts.
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory.isEmpty ? "." : directory)) ?? []
        for name in names where isDraft(name, of: stem) {
            let path = directory + name
            var present = stat()
            guard lstat(path, &present) == 0, present.st_mode & S_IFMT == S_IFREG, present.st_uid == geteuid() else {
                continue
            }
            // Without a lock, its process still writes it, or nothing can tell.
            guard let lock = try? FileLock(on: path) else { continue }
            remove(path)
            lock.release()
        }
    }

    private static func isDraft(_ name: String, of stem: String) -> Bool {
        guard name.utf8.starts(with: stem.utf8), name.hasSuffix(suffix) else { return false }
        let random = name.utf8.dropFirst(stem.utf8.count).dropLast(suffix.utf8.count)
        return random.count == randomCount && random.allSatisfy { "0123456789ABCDEF".utf8.contains($0) }
    }

    /// All files of a draft. The draft is the last one: without it, nothing would find the others.
    private static func files(of path: String) -> [String] {
        SidecarFiles.suffixes.map { path + $0 } + [path + suffix, path]
    }

    private static func remove(_ path: String) { for file in files(of: path) { unlink(file) } }

    private static func name(beside destination: String) -> String {
        let (directory, stem) = place(beside: destination)
        return "\(directory)\(stem)\(UUID().uuidString.prefix(randomCount))\(suffix)"
    }

    /// The directory of a draft, with its `/`, and the beginning of its name.
    private static func place(beside destination: String) -> (directory: String, stem: String) {
        // By bytes: a mark may combine with the `/` before it.
        let bytes = destination.utf8
        let start = bytes.lastIndex(of: UInt8(ascii: "/")).map { bytes.index(after: $0) } ?? bytes.startIndex
        var name = destination.unicodeScalars[start...]
        while String(name).utf8.count > maxNameLength { name.removeLast() }
        return (String(destination.unicodeScalars[..<start]), ".\(String(name)).")
    }

    /// Moves the draft to the destination, if that is still as it was when the draft was made.
    ///
    /// - Parameters:
    ///   - path: The file to move there instead, such as ``otherPath``.
    ///   - isLocked: Whether the caller has a ``FileLock`` on the destination.
    ///   - longest: How long to wait for another process that has one.
    ///   - check: Called when no other process can move a draft to a destination that exists.
    /// - Throws: A ``RecordingError`` with the code `unwritable`, or `inUse` if a recorder has begun there; or the error
    ///   of `check`.
    package func commit(
        _ path: String? = nil,
        isLocked: Bool = false,
        waitingFor longest: Duration = .seconds(30),
        checking check: () throws(RecordingError) -> Void = {}
    ) throws(RecordingError) {
        let path = path ?? self.path
        // Of two processes that replace the same file, the second waits here, and then finds that it has changed.
        let held = before == nil || isLocked ? nil : try lockDestination(longest)
        defer { held?.release() }
        try check()
        guard FileFingerprint(ofEntry: destination) == before else { throw refusal }
        // SQLite would use the files of an earlier database for the new one, and readers its journal.
        try removeJournal()
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
        // It would now be a lock on the destination, for which other processes wait.
        self.lock?.release()
    }

    /// Removes the journal of an earlier recording. Holds its lock, so that no recorder begins there meanwhile.
    private func removeJournal() throws(RecordingError) {
        guard FileSystem.exists(JournalFile.path(for: destination)) else { return }
        guard let journal = try RunFile.lock(destination) else { throw RecordingError(.inUse, file: destination) }
        if journal.isOurs { journal.remove() }
    }

    /// A lock on the destination; `nil` if it cannot be read, or its file system has no locks.
    private func lockDestination(_ longest: Duration) throws(RecordingError) -> FileLock? {
        do {
            return try FileLock(on: FileSystem.place(of: destination), waitingUntil: .now + longest)
        } catch {
            guard [EWOULDBLOCK, EINTR].contains(error.number) else { return nil }
            throw RecordingError(
                .unwritable,
                file: destination,
                reason: "another process has kept it locked for \(longest.components.seconds) seconds",
                remedy: "Run it again when that process has ended."
            )
        }
    }

    private var refusal: RecordingError {
        let reason = before == nil ? "another process has created it meanwhile" : "it has changed meanwhile"
        return RecordingError(.unwritable, file: destination, reason: reason, remedy: "Run it again.")
    }

    /// Removes what is left of the draft.
    package func discard() {
        Self.remove(path)
        RemovableDraft.end(Self.files(of: path))
    }
}

/// The draft that the handler of a signal removes before it ends the process: the first one in progress.
package enum RemovableDraft {
    /// The address of the paths of its files, one after the other, and of an empty one; 0 if there is none. The text is
    /// never freed, because a handler may be reading it.
    private static let address = Atomic<UInt>(0)

    fileprivate static func begin(_ files: [String]) {
        let bytes: [CChar] = files.flatMap { file -> [CChar] in Array(file.utf8CString) } + [0]
        let text = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count)
        text.initialize(from: bytes, count: bytes.count)
        let (isFirst, _) = address.compareExchange(
            expected: 0,
            desired: UInt(bitPattern: text),
            ordering: .sequentiallyConsistent
        )
        if !isFirst { text.deallocate() }
    }

    fileprivate static func end(_ files: [String]) {
        guard let text, let first = files.first, strcmp(text, first) == 0 else { return }
        address.store(0, ordering: .sequentiallyConsistent)
    }

    private static var text: UnsafePointer<CChar>? {
        UnsafePointer(bitPattern: address.load(ordering: .sequentiallyConsistent))
    }

    /// Must be called before a handler that calls ``remove()`` is installed.
    package static func prepare() { _ = text }

    /// Removes the draft. Safe in a signal handler.
    package static func remove() {
        guard var text else { return }
        while text.pointee != 0 {
            unlink(text)
            text += strlen(text) + 1
        }
    }
}
