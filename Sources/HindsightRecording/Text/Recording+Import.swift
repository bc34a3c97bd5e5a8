import Foundation
import HindsightFormat
import HindsightSupport

extension Recording {
    /// Makes a recording in SQLite of one in text: the reverse of ``writeText(to:overwrite:)``.
    ///
    /// Everything that the text says is in the new file: written as text, it has the same lines. A text that would lose
    /// something is refused with its first such line. Lines may differ in space between JSON's tokens, in escapes, and
    /// in blank lines.
    ///
    /// The file has its name once it is complete, and only its owner can read it. Costs two passes over the text, and
    /// one over the new file. Holds a line and a state in memory.
    ///
    /// - Parameters:
    ///   - text: The file of a recording in text.
    ///   - url: The recording to create.
    ///   - overwrite: Whether to replace an existing file. Otherwise an existing file is an error.
    /// - Returns: The number of actions in the file.
    /// - Throws: A `RecordingError` with the code `damaged` and the line; `notFound`, `notARecording`, `newerFormat`,
    ///   `exists`, `inUse`, `unwritable` or `unreadable`.
    @discardableResult
    package static func importText(from text: URL, to url: URL, overwrite: Bool = false) throws(RecordingError) -> Int {
        let (source, destination) = (text.path, url.path)
        try ReadableFile.checkFile(source)
        let builder = try RecordingBuilder(from: source, to: destination, overwrite: overwrite)
        defer { builder.discard() }
        guard TextForm.isRecording(at: source) else {
            let reason = "it is no recording in text, which begins with \(TextForm.beginning)"
            throw RecordingError(.notARecording, file: source, reason: reason)
        }
        var copy: URL?
        do {
            let draft = URL(fileURLWithPath: try builder.copy(source))
            copy = draft
            let recording = try Recording(at: draft)
            let comparison = try TextComparison(with: source)
            try recording.writeText { try comparison.check(String($0.dropLast())) }
            try comparison.check(nil)
            let count = recording.actionCount - recording.droppedCount
            try builder.commit(asText: false)
            return count
        } catch {
            var failure = error as? RecordingError ?? RecordingError(.unwritable, file: destination, cause: error)
            if let copy, failure.file == copy.path {
                // The copy is removed. What concerns no action stands in the first line.
                failure.file = source
                if failure.seq == nil { failure.line = 1 }
            }
            throw failure
        }
    }
}
