#if Archive
    import Foundation
    import HindsightArchive
    import HindsightFormat
    import HindsightQuery
    import HindsightSupport

    /// What was pushed to an archive, so that files that have not changed since need no reading.
    ///
    /// It is a file in the user's cache folder, and may be deleted. The archive is asked if it still has each recording
    /// as it was.
    struct PushMemory {
        private struct Entry: Codable {
            let fingerprint: String
            let push: ArchivePush
        }

        private let connection: ArchiveConnection
        private let file: URL?
        private var entries: [String: Entry] = [:]
        private var hasChanged = false

        init(of connection: ArchiveConnection) {
            self.connection = connection
            let name = hex(SHA256.digest(of: Array(connection.name.utf8)))
            file = ChangeIndex.defaultCache?.appending(path: "pushed-\(name).json")
            // Without it, or if it is damaged, all files are read.
            guard let file, let data = try? Data(contentsOf: file) else { return }
            entries = (try? JSONDecoder().decode([String: Entry].self, from: data)) ?? [:]
        }

        /// What a file is like now; `nil` if it has others beside it, so that it may change without being written.
        static func fingerprint(of file: String) -> String? {
            guard SidecarFiles.suffixes.allSatisfy({ FileFingerprint(of: file + $0) == nil }) else { return nil }
            return FileFingerprint(of: file)?.description
        }

        /// The outcome for a file that has not changed since it was pushed; `nil` if it is to be read.
        ///
        /// - Parameter device: The name of the device; empty if it stays as it is.
        func push(of file: String, _ fingerprint: String?, device: String) throws -> ArchivePush? {
            guard let entry = entries[Self.place(file)], entry.fingerprint == fingerprint else { return nil }
            let push = entry.push
            let isAsBefore =
                push.outcome == .same
                ? try connection.has(push.key, of: push.app, hash: push.hash)
                : try connection.refusal(of: push.key, root: push.root, app: push.app) == push.outcome
            guard isAsBefore else { return nil }
            if push.outcome == .same, !device.isEmpty { try connection.setDevice(device, of: push.key) }
            return push
        }

        /// Whether a file was pushed as it is.
        func knows(_ file: String) -> Bool {
            guard let entry = entries[Self.place(file)] else { return false }
            return entry.fingerprint == Self.fingerprint(of: file)
        }

        mutating func note(_ push: ArchivePush, _ file: String, _ fingerprint: String?) {
            hasChanged = true
            entries[Self.place(file)] = nil
            guard let fingerprint, push.isComplete, push.outcome != .older else { return }
            var push = push
            if ![.forgotten, .expired].contains(push.outcome) { push.outcome = .same }
            // Another run sends nothing of it.
            (push.sentChunks, push.sentBytes, push.reading, push.sending) = (0, 0, .zero, .zero)
            entries[Self.place(file)] = Entry(fingerprint: fingerprint, push: push)
        }

        /// Writes what was noted, without files that are gone. A failure only costs reading files again.
        func save() {
            guard hasChanged, let file else { return }
            let present = entries.filter { FileFingerprint(of: $0.key) != nil }
            guard let data = try? JSONEncoder().encode(present) else { return }
            try? FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(),
                withIntermediateDirectories: true
            )
            try? data.write(to: file, options: .atomic)
        }

        private static func place(_ file: String) -> String { URL(filePath: file).standardizedFileURL.path }
    }
#endif
