#if Archive
    import Foundation
    import HindsightSupport

    /// A folder for files that only this process needs. What processes that were killed have left is removed first.
    struct TemporaryFolder {
        let path: String
        private let lock: FileLock

        private static let name = "hindsight-archive-"
        private static let lockName = "lock"

        /// - Throws: ``Failure`` if the system makes no folder.
        init() throws {
            let place = FileManager.default.temporaryDirectory.path
            Self.removeAbandoned(in: place)
            var template = Array("\(place)/\(Self.name)XXXXXX".utf8CString)
            guard mkdtemp(&template) != nil else { throw Self.failure(place) }
            path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
            let lockPath = "\(path)/\(Self.lockName)"
            guard FileManager.default.createFile(atPath: lockPath, contents: nil) else { throw Self.failure(place) }
            lock = try FileLock(on: lockPath)
        }

        private static func failure(_ place: String) -> Failure {
            Failure(
                .badFile,
                "Could not make a temporary folder in \(escape(place)): \(SystemError.last).",
                "Free space there, or set TMPDIR to another folder."
            )
        }

        /// Removes a recording, and the files beside it.
        func remove(_ file: String) {
            for suffix in ["", "-wal", "-shm", "-ahead"] { _ = unlink(file + suffix) }
        }

        func remove() {
            // What remains is removed by the next process.
            try? FileManager.default.removeItem(atPath: path)
            lock.release()
        }

        private static func removeAbandoned(in place: String) {
            let names = (try? FileManager.default.contentsOfDirectory(atPath: place)) ?? []
            for name in names where name.hasPrefix(Self.name) {
                let folder = "\(place)/\(name)"
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
#endif
