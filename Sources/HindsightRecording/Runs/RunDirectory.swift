#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The recordings in a directory.
public struct RunDirectory: Sendable {
    public let url: URL

    public init(_ url: URL) { self.url = url }

    /// A file there whose name is a recording's.
    public struct Entry {
        public let url: URL
        /// The recording, opened, or why it could not be.
        public let recording: Result<Recording, any Error>
        /// When it was begun, or, where that cannot be read, last written; in nanoseconds since 1970.
        public let created: Int64
        /// The bytes of its file and of what stands beside it.
        public let bytes: Int64
    }

    /// Whether a path leads to a directory.
    public static func exists(at path: String) -> Bool {
        var present = stat()
        return stat(path, &present) == 0 && present.st_mode & S_IFMT == S_IFDIR
    }

    /// All recordings there, the newest first, with those that are damaged. Files that are something else, and those that
    /// have not begun yet, are left out.
    ///
    /// Costs opening each.
    ///
    /// - Throws: A ``RecordingError`` with the code `unreadable` where the directory cannot be listed.
    public func entries() throws -> [Entry] {
        let lost = try listing().filter { $0.hasSuffix(RunName.suffix) && Self.isLossy($0) }
        return try (names() + lost).compactMap(entry).sorted { ($1.created, $1.url.path) < ($0.created, $0.url.path) }
    }

    /// The newest recording that can be read; `nil` where there is none.
    ///
    /// - Throws: A ``RecordingError`` with the code `unreadable` where the directory cannot be listed.
    public func newest() throws -> URL? {
        try entries().first { if case .success = $0.recording { true } else { false } }?.url
    }

    private func entry(_ name: String) -> Entry? {
        let url = url.appendingPathComponent(name)
        let result = Result { try Recording(at: url) }
        var created = RunFile(url.path)?.ended ?? 0
        switch result {
        case .success(let recording): created = recording.created
        case .failure(let error as RecordingError):
            let isNone = [.notARecording, .empty, .notFound].contains(error.code)
            if isNone, !(error.code == .notFound && Self.isLossy(name)) { return nil }
        case .failure: break
        }
        return Entry(url: url, recording: result, created: created, bytes: RunFile(url.path)?.bytes ?? 0)
    }

    /// The names of regular files that are named as recordings are.
    func names(endingIn suffix: String = RunName.suffix) throws -> [String] {
        try listing().filter { $0.hasSuffix(suffix) && RunFile(url.appendingPathComponent($0).path) != nil }
    }

    private func listing() throws -> [String] {
        do {
            return try FileManager.default.contentsOfDirectory(atPath: url.path)
        } catch {
            throw RecordingError(.unreadable, file: url.path, cause: error)
        }
    }

    /// Whether a name may stand for one that is not valid UTF-8, under which no file can be opened from here.
    private static func isLossy(_ name: String) -> Bool { name.unicodeScalars.contains("\u{FFFD}") }
}

/// What the file system says of a run.
struct RunFile {
    /// Which file it is, and when it was written last: another one has another of these.
    struct Identity: Equatable {
        var node: UInt64
        var written: Int64
    }

    var identity: Identity
    /// With what stands beside it.
    var bytes: Int64
    /// When it or what stands beside it was written last, in nanoseconds since 1970.
    var ended: Int64

    /// `nil` where there is no regular file. A link is none: what it leads to is somebody else's.
    init?(_ path: String) {
        guard let file = Self.status(path) else { return nil }
        let all = [file] + Companions.suffixes.compactMap { Self.status(path + $0) }
        identity = Identity(node: UInt64(file.st_ino), written: Self.written(file))
        bytes = all.reduce(0) { $0 + Int64($1.st_size) }
        ended = all.reduce(0) { max($0, Self.written($1)) }
    }

    private static func written(_ file: stat) -> Int64 {
        #if canImport(Darwin)
            let time = file.st_mtimespec
        #else
            let time = file.st_mtim
        #endif
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    private static func status(_ path: String) -> stat? {
        var present = stat()
        return lstat(path, &present) == 0 && present.st_mode & S_IFMT == S_IFREG ? present : nil
    }
}
