import HindsightFormat
import HindsightSupport

/// Detects that a recorder's files were deleted, moved, replaced or truncated. Later writes to such a file would be
/// lost without an error.
struct FileTamperCheck {
    private let files: [(path: String, identity: Identity?)]
    /// The recording and its `-wal`, whose sizes only the recorder changes. The journal is checked separately.
    private var lengths: [Length]

    private struct Length {
        let path: String
        let isLog: Bool
        var bytes: Int64
    }

    private struct Identity: Equatable {
        let device: UInt64
        let node: UInt64

        init?(of path: String) {
            var present = stat()
            guard stat(path, &present) == 0 else { return nil }
            device = UInt64(truncatingIfNeeded: present.st_dev)
            node = UInt64(truncatingIfNeeded: present.st_ino)
        }
    }

    init(of recording: String) {
        files = [recording, recording + "-wal", JournalFile.path(for: recording)].map { ($0, Identity(of: $0)) }
        lengths = [recording, recording + "-wal"].map { path in
            Length(path: path, isLog: path != recording, bytes: FileSystem.size(of: path))
        }
    }

    /// Whether all files are at their paths.
    var isIntact: Bool { files.allSatisfy { Identity(of: $0.path) == $0.identity } }

    func check() throws(RecordingError) {
        for (path, identity) in files {
            let present = Identity(of: path)
            if present == identity { continue }
            throw failure(path, present == nil ? "was deleted or moved away" : "was replaced by another file")
        }
        for file in lengths where file.isLog ? hasLostHead(file.path) : isShorter(file) {
            throw failure(file.path, "was truncated")
        }
    }

    /// Whether the `-wal` is shorter than before: another process has checkpointed or truncated it.
    var hasShorterLog: Bool { lengths.contains { $0.isLog && isShorter($0) } }

    /// Whether a file was truncated. Further writes would damage it more.
    var isCut: Bool { lengths.contains { isShorter($0) || $0.isLog && hasLostHead($0.path) } }

    /// Notes the sizes after a write of the recorder.
    ///
    /// - Parameter mayShrink: Whether the recorder may have shrunk a file, as it does with a limit.
    mutating func noteLengths(mayShrink: Bool) {
        for (index, file) in lengths.enumerated() {
            let bytes = FileSystem.size(of: file.path)
            lengths[index].bytes = mayShrink ? bytes : max(bytes, file.bytes)
        }
    }

    private func isShorter(_ file: Length) -> Bool {
        var present = stat()
        return stat(file.path, &present) == 0 && Int64(present.st_size) < file.bytes
    }

    /// Whether a `-wal` has no valid header, because it was emptied and then written at its old end.
    private func hasLostHead(_ path: String) -> Bool {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        // If the file cannot be read, nothing is known.
        guard descriptor >= 0 else { return false }
        defer { _ = close(descriptor) }
        var magic: UInt32 = 0
        return pread(descriptor, &magic, 4, 0) == 4 && UInt32(bigEndian: magic) & ~1 != 0x377F_0682
    }

    private func failure(_ path: String, _ fate: String) -> RecordingError {
        RecordingError(.stopped, reason: "its file \(path.split(separator: "/").last ?? "") \(fate)")
    }
}
