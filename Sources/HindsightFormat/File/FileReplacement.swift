import HindsightSupport

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Replaces a recording by an edited copy of it, at once and only if it has not changed meanwhile.
package struct FileReplacement {
    private let source: String
    private let destination: String
    /// The copy to edit, beside the destination.
    package let temporaryPath: String
    /// The place for the copy as text, beside it.
    package var textPath: String { temporaryPath + TextForm.suffix }
    /// The source, and what stands at the destination, as they were when the copy was made.
    private let fingerprints: [Fingerprint?]

    /// Copies a recording. A text becomes a database.
    ///
    /// - Throws: `RecordingError`: `notFound`, `live`, `notARecording`, `damaged` if a text is, or `unwritable` if files
    ///   stand beside the recording or the copy cannot be written.
    package init(of source: String, at destination: String) throws(RecordingError) {
        self.source = source
        self.destination = destination
        let url = URL(fileURLWithPath: destination)
        temporaryPath =
            url.deletingLastPathComponent().path + "/.\(url.lastPathComponent).\(UUID().uuidString.prefix(8))"
        fingerprints = [Fingerprint(of: source), Fingerprint(of: destination)]
        guard fingerprints[0] != nil else { throw RecordingError(.notFound, file: source) }
        for path in [source, destination] {
            if try JournalInspection.isLive(path) { throw RecordingError(.live, file: path) }
            let beside = SidecarFiles.existing(beside: path)
            guard beside.isEmpty else {
                throw Self.refusal(path, "files stand beside it (\(beside.joined(separator: ", "))): recover it first")
            }
        }
        do {
            if TextForm.isRecording(at: source) {
                try NewFile.create(temporaryPath, overwrite: true)
                try TextImport.database(of: source, into: temporaryPath)
                return
            }
            try FileManager.default.copyItem(atPath: source, toPath: temporaryPath)
        } catch {
            discard()
            if let error = error as? RecordingError { throw error }
            throw RecordingError(.unwritable, file: temporaryPath, cause: error)
        }
        guard FileManager.default.contents(atPath: temporaryPath)?.starts(with: Self.magic) == true else {
            discard()
            throw RecordingError(.notARecording, file: source)
        }
    }

    private static let magic = Array("SQLite format 3\u{0}".utf8)

    private static func refusal(_ path: String, _ reason: String) -> RecordingError {
        RecordingError(.unwritable, file: path, reason: reason)
    }

    /// Puts the copy in the place of the destination.
    ///
    /// - Parameter path: Another file to put there, beside the copy.
    /// - Throws: `RecordingError` with the code `unwritable`.
    package func commit(_ path: String? = nil) throws(RecordingError) {
        for (path, before) in zip([source, destination], fingerprints) where Fingerprint(of: path) != before {
            throw Self.refusal(path, "it has changed while its actions were run again. Run it again")
        }
        guard rename(path ?? temporaryPath, destination) == 0 else {
            throw Self.refusal(destination, "the new file could not be moved there: \(SystemError.last)")
        }
    }

    /// Removes the copy.
    package func discard() {
        for suffix in [""] + SidecarFiles.suffixes { unlink(temporaryPath + suffix) }
        unlink(textPath)
    }
}

/// What changes when a file is written or replaced.
private struct Fingerprint: Equatable {
    private let device: UInt64
    private let number: UInt64
    private let size: Int64
    private let times: [Int]

    /// - Returns: `nil` if there is no such file.
    init?(of path: String) {
        var present = stat()
        guard stat(path, &present) == 0 else { return nil }
        #if canImport(Darwin)
            let (written, changed) = (present.st_mtimespec, present.st_ctimespec)
        #else
            let (written, changed) = (present.st_mtim, present.st_ctim)
        #endif
        device = UInt64(truncatingIfNeeded: present.st_dev)
        number = UInt64(truncatingIfNeeded: present.st_ino)
        size = Int64(present.st_size)
        times = [written.tv_sec, written.tv_nsec, changed.tv_sec, changed.tv_nsec]
    }
}
