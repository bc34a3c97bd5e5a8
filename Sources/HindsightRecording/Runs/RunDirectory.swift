import Foundation
import HindsightFormat
import HindsightSupport

/// A directory of recordings, one for each run of an app.
///
/// ```swift
/// for entry in try RunDirectory(at: directory).entries() {
///     print(entry.url.lastPathComponent, entry.created, entry.bytes)
/// }
/// ```
public struct RunDirectory: Sendable {
    /// The directory.
    public let url: URL

    /// Describes a directory. Reads nothing: the directory need not exist yet.
    public init(at url: URL) { self.url = url }

    /// A file with the name of a recording.
    public struct Entry {
        /// The recording's file.
        public let url: URL
        /// The open recording, or the error of opening it.
        public let recording: Result<Recording, RecordingError>
        /// When the recording began; if it cannot be read, when it was last written.
        public var created: Date { Date(nanosecondsSinceEpoch: createdNanoseconds) }
        /// The size of the file and the files beside it, in bytes.
        public let bytes: Int64
        /// The exact value of ``created``, in nanoseconds since 1970.
        package let createdNanoseconds: Int64
    }

    /// Whether a path is a directory.
    package static func exists(at path: String) -> Bool { FileSystem.isDirectory(path) }

    /// Returns all recordings, newest first, including damaged ones. Their names end in `.hindsight`, or in `.jsonl`,
    /// like those in text. Leaves out other files, and recordings that have not begun.
    ///
    /// Costs opening each recording.
    ///
    /// - Throws: A `RecordingError` with the code `unreadable` if the directory cannot be listed.
    public func entries() throws(RecordingError) -> [Entry] {
        let lost = try RunFile.listing(url).filter { $0.hasSuffix(RunName.suffix) && Self.isLossy($0) }
        let texts = try RunFile.names(in: url, endingIn: TextForm.suffix).filter {
            TextForm.mayBeRecording(at: url.appendingPathComponent($0).path)
        }
        return try (RunFile.names(in: url) + texts + lost).compactMap(entry).sorted {
            ($1.createdNanoseconds, $1.url.path) < ($0.createdNanoseconds, $0.url.path)
        }
    }

    /// Returns the newest readable recording; `nil` if there is none.
    ///
    /// - Throws: A `RecordingError` with the code `unreadable` if the directory cannot be listed.
    public func newest() throws(RecordingError) -> URL? {
        try entries().first { if case .success = $0.recording { true } else { false } }?.url
    }

    private func entry(_ name: String) -> Entry? {
        let url = url.appendingPathComponent(name)
        let result = Result { () throws(RecordingError) in try Recording(at: url) }
        var created = RunFile(url.path)?.ended ?? 0
        switch result {
        case .success(let recording): created = recording.createdNanoseconds
        case .failure(let error):
            let isNone = [.notARecording, .empty, .notFound].contains(error.code)
            if isNone, !(error.code == .notFound && Self.isLossy(name)) { return nil }
        }
        let bytes = RunFile(url.path)?.bytes ?? 0
        return Entry(url: url, recording: result, bytes: bytes, createdNanoseconds: created)
    }

    /// Whether a name may stand for one that is not valid UTF-8, and so cannot be opened.
    private static func isLossy(_ name: String) -> Bool { name.unicodeScalars.contains("\u{FFFD}") }
}
