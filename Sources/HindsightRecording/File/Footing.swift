#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The files that a recorder writes, as they were when it began: what is written to one that was deleted is lost, and
/// nothing says so.
struct Footing {
    private let files: [(path: String, identity: Identity?)]

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
        files = [recording, recording + "-wal", AheadFile.path(for: recording)].map { ($0, Identity(of: $0)) }
    }

    /// Whether all are where they were.
    var isFirm: Bool { files.allSatisfy { Identity(of: $0.path) == $0.identity } }

    func check() throws(RecordingError) {
        for (path, identity) in files {
            let present = Identity(of: path)
            if present == identity { continue }
            let name = path.split(separator: "/").last ?? ""
            let fate = present == nil ? "was deleted or moved away" : "was replaced by another file"
            throw RecordingError(.stopped, reason: "its file \(name) \(fate)")
        }
    }
}
