import HindsightFormat
import HindsightSupport

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
    public static func exists(at path: String) -> Bool { FileSystem.isDirectory(path) }

    /// All recordings there, the newest first, with those that are damaged. Files that are something else, and those that
    /// have not begun yet, are left out.
    ///
    /// Costs opening each.
    ///
    /// - Throws: A ``RecordingError`` with the code `unreadable` where the directory cannot be listed.
    public func entries() throws -> [Entry] {
        let lost = try RunFile.listing(url).filter { $0.hasSuffix(RunName.suffix) && Self.isLossy($0) }
        return try (RunFile.names(in: url) + lost).compactMap(entry).sorted {
            ($1.created, $1.url.path) < ($0.created, $0.url.path)
        }
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

    /// Whether a name may stand for one that is not valid UTF-8, under which no file can be opened from here.
    private static func isLossy(_ name: String) -> Bool { name.unicodeScalars.contains("\u{FFFD}") }
}
