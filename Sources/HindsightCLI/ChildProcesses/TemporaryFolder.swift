import Foundation
import HindsightFormat
import HindsightSupport

/// A folder for files that only this process needs.
///
/// If the process is killed, the folder stays until ``removeAbandoned(named:)`` finds its lock free.
struct TemporaryFolder {
    let path: String
    private let lock: FileLock

    private static let lockName = "lock"

    /// - Parameter name: What the folder's name begins with, such as `hindsight-debug-`.
    /// - Throws: ``Failure`` if the system makes no folder.
    init(named name: String) throws {
        let place = FileManager.default.temporaryDirectory.path
        Self.removeAbandoned(named: name)
        var template = Array("\(place)/\(name)XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw Self.failure(place) }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        // The lock has its name only once this process holds it: one that is free marks an abandoned folder.
        let lockPath = "\(path)/\(Self.lockName)"
        let heldPath = lockPath + ".new"
        guard FileManager.default.createFile(atPath: heldPath, contents: nil) else { throw Self.failure(place) }
        lock = try FileLock(on: heldPath)
        guard rename(heldPath, lockPath) == 0 else { throw Self.failure(place) }
    }

    private static func failure(_ place: String) -> Failure {
        Failure(
            .badFile,
            "Could not make a temporary folder in \(escape(place)): \(SystemError.last).",
            "Free space there, or set TMPDIR to another folder."
        )
    }

    /// Removes a temporary recording, and the files beside it.
    static func removeRecording(_ file: String) {
        for suffix in [""] + SidecarFiles.suffixes { _ = unlink(file + suffix) }
    }

    /// Removes the folder and what is in it.
    ///
    /// - Returns: The error of the file system, if it fails. What remains is removed by a later process.
    @discardableResult
    func remove() -> (any Error)? {
        defer { lock.release() }
        do {
            try FileManager.default.removeItem(atPath: path)
            return nil
        } catch {
            return error
        }
    }

    /// Removes the folders that processes which were killed have left.
    ///
    /// - Parameter name: What the names of the folders begin with.
    static func removeAbandoned(named name: String) {
        let place = FileManager.default.temporaryDirectory.path
        let names = (try? FileManager.default.contentsOfDirectory(atPath: place)) ?? []
        for found in names where found.hasPrefix(name) {
            let folder = "\(place)/\(found)"
            var status = stat()
            // Never through a link, and never one of another user.
            guard lstat(folder, &status) == 0, status.st_mode & S_IFMT == S_IFDIR, status.st_uid == getuid(),
                let lock = try? FileLock(on: "\(folder)/\(lockName)")
            else { continue }
            try? FileManager.default.removeItem(atPath: folder)
            lock.release()
        }
    }
}
