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
            let key: RecordingKey
            let app: String
            let root: String?
            /// In hexadecimal digits; empty if the archive takes the recording no more.
            let hash: String
            let outcome: ArchivePush.Outcome
            let actions: Int
            let bytes: Int
            let chunks: Int
        }

        private let connection: ArchiveConnection
        private let file: URL?
        private var entries: [String: Entry] = [:]
        private var hasChanged = false

        init(of connection: ArchiveConnection) {
            self.connection = connection
            var hash = ContentHash()
            hash.add(Array(connection.name.utf8))
            file = ChangeIndex.defaultCache?.appending(path: "pushed-\(hash.text).json")
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
        func push(of file: String, _ fingerprint: String?) throws -> ArchivePush? {
            guard let entry = entries[Self.place(file)], entry.fingerprint == fingerprint else { return nil }
            var push = ArchivePush(key: entry.key)
            (push.actions, push.bytes, push.chunks, push.isComplete) = (entry.actions, entry.bytes, entry.chunks, true)
            push.outcome = entry.outcome
            let isAsBefore =
                entry.hash.isEmpty
                ? try connection.refusal(of: entry.key, root: entry.root, app: entry.app) == entry.outcome
                : try connection.has(entry.key, of: entry.app, hash: entry.hash)
            return isAsBefore ? push : nil
        }

        mutating func note(_ push: ArchivePush, _ file: String, _ fingerprint: String?) {
            let isKept = push.isComplete && push.outcome != .older
            let entry = fingerprint.map { fingerprint in
                Entry(
                    fingerprint: fingerprint,
                    key: push.key,
                    app: push.app,
                    root: push.root,
                    hash: hex(push.hash),
                    outcome: [.forgotten, .expired].contains(push.outcome) ? push.outcome : .same,
                    actions: push.actions,
                    bytes: push.bytes,
                    chunks: push.chunks
                )
            }
            entries[Self.place(file)] = isKept ? entry : nil
            hasChanged = true
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
