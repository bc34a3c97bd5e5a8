import HindsightSupport

/// The text form of a recording: a file of lines, each a JSON object.
///
/// The article *RecordingsAsText* of `HindsightRecording` documents the lines. The same recording always gives the same
/// bytes, and a line depends on no other line, so that a version control system shows a changed effect of one action as
/// one changed line.
package enum TextForm {
    /// The version of the form. A text with a higher number is refused.
    package static let version = 1
    /// The suffix of the names.
    package static let suffix = ".jsonl"
    /// The limit of a line in bytes. It keeps the memory for reading a line bounded.
    package static let maxLineLength = 64 << 20
    /// The beginning of the first line.
    package static let beginning = #"{"hindsight":"recording""#
    /// The beginning of a SQLite database.
    static let databaseBeginning = Array("SQLite format 3\u{0}".utf8)
    /// The last line, without which a file is cut.
    package static let end = #"{"end":true}"#
    /// The bytes that some editors put before the first line.
    static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// What the first bytes of a file say about it.
    enum Kind {
        /// A recording in text, perhaps with a merge conflict in its first line.
        case recording
        /// Other lines of JSON, such as a list of actions.
        case actions
        case database
        case other
    }

    /// Whether a file is a recording in text, by its first bytes. A file with sidecar files is a database.
    package static func isRecording(at path: String) -> Bool {
        SidecarFiles.existing(beside: path).isEmpty && kind(of: path) == .recording
    }

    /// Whether a file with the suffix of texts may be a recording, by its first bytes: a text, or a database that was
    /// given such a name.
    package static func mayBeRecording(at path: String) -> Bool {
        if !SidecarFiles.existing(beside: path).isEmpty { return true }
        let kind = kind(of: path)
        return kind == .recording || kind == .database
    }

    /// Reads the first bytes of a file. For a file that SQLite does not open: closing another descriptor of a database
    /// releases the locks of this process.
    static func kind(of path: String) -> Kind {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return .other }
        defer { _ = close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = read(descriptor, &bytes, bytes.count)
        return kind(ofBytes: bytes.prefix(max(0, count)), path)
    }

    private static func kind(ofBytes bytes: ArraySlice<UInt8>, _ path: String) -> Kind {
        var bytes = bytes
        if bytes.starts(with: databaseBeginning) { return .database }
        if bytes.starts(with: byteOrderMark) { bytes = bytes.dropFirst(byteOrderMark.count) }
        if isConflictMarker(bytes) {
            // Marks in a text of another kind are not ours to report.
            return path.hasSuffix(suffix) || bytes.contains("\n\(beginning)".utf8) ? .recording : .other
        }
        let text = bytes.drop { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
        if isBeginning(text) { return .recording }
        return text.first == UInt8(ascii: "{") ? .actions : .other
    }

    /// Whether a text begins like a recording. Space between JSON's tokens does not count.
    private static func isBeginning(_ text: ArraySlice<UInt8>) -> Bool {
        var rest = text
        for token in ["{", #""hindsight""#, ":", #""recording""#] {
            rest = rest.drop { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
            guard rest.starts(with: token.utf8) else { return false }
            rest = rest.dropFirst(token.utf8.count)
        }
        return true
    }

    /// Whether a line is one of the four that mark a merge conflict.
    static func isConflictMarker(_ line: some Collection<UInt8>) -> Bool {
        guard let mark = line.first, "<|=>".utf8.contains(mark) else { return false }
        let run = line.prefix { $0 == mark }
        let next = line.dropFirst(run.count).first
        return run.count == 7 && (next == nil || [0x20, 0x0A, 0x0D].contains(next))
    }
}

/// What is wrong with a line, as a clause.
package struct TextFault: Error {
    package var reason: String
    package var reducer: Int?

    init(_ reason: String, reducer: Int? = nil) {
        self.reason = reason
        self.reducer = reducer
    }
}

extension Collection<UInt8> {
    fileprivate func contains(_ other: String.UTF8View) -> Bool {
        indices.contains { self[$0...].starts(with: other) }
    }
}
