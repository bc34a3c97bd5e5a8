import HindsightSupport

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Replaces a recording by an edited copy of it, at once and only if it has not changed meanwhile.
package struct FileReplacement {
    private let source: String
    /// Where the copy goes.
    package let destination: String
    private let isLocked: Bool
    /// The source as it was when the copy was made.
    private let before: FileFingerprint
    private let draft: DraftFile
    /// The copy to edit, beside the destination.
    package var temporaryPath: String { draft.path }
    /// The place for the copy as text, beside it.
    package var textPath: String { draft.otherPath }

    /// Copies a recording. A text becomes a database.
    ///
    /// - Parameters:
    ///   - expected: The description of the source's fingerprint from an earlier time; `nil` to take the source
    ///     as it is.
    ///   - isLocked: Whether the caller has a `FileLock` on the destination until the replacement is complete.
    /// - Throws: `RecordingError`: `notFound`, `live`, `notARecording`, `damaged` if a text is, or `unwritable` if files
    ///   stand beside the recording, it is not the expected file, or the copy cannot be written.
    package init(
        of source: String,
        at destination: String,
        expecting expected: String? = nil,
        isLocked: Bool = false
    ) throws(RecordingError) {
        guard let present = FileFingerprint(of: source) else { throw RecordingError(.notFound, file: source) }
        if let expected, present.description != expected {
            throw Self.refusal(source, "it has changed since it was examined", "Examine it again.")
        }
        for path in [source, destination] {
            if try JournalInspection.isLive(path) { throw RecordingError(.live, file: path) }
            let beside = SidecarFiles.existing(beside: path)
            guard beside.isEmpty else {
                let reason = "files stand beside it (\(beside.joined(separator: ", ")))"
                throw Self.refusal(path, reason, "Recover it first.")
            }
        }
        (self.source, self.destination, self.isLocked, before) = (source, destination, isLocked, present)
        draft = try DraftFile(for: destination, overwrite: true)
        do {
            if TextForm.isRecording(at: source) {
                try TextImport.database(of: source, into: temporaryPath)
                return
            }
            try FileSystem.copy(source, into: temporaryPath)
        } catch {
            discard()
            if let error = error as? RecordingError { throw error }
            throw RecordingError(.unwritable, file: destination, cause: error)
        }
        guard FileManager.default.contents(atPath: temporaryPath)?.starts(with: TextForm.databaseBeginning) == true
        else {
            discard()
            throw RecordingError(.notARecording, file: source)
        }
    }

    private static func refusal(_ path: String, _ reason: String, _ remedy: String) -> RecordingError {
        RecordingError(.unwritable, file: path, reason: reason, remedy: remedy)
    }

    /// Puts the copy in the place of the destination.
    ///
    /// - Parameter path: Another file to put there, beside the copy.
    /// - Throws: `RecordingError` with the code `unwritable`.
    package func commit(_ path: String? = nil) throws(RecordingError) {
        try draft.commit(path, isLocked: isLocked) { () throws(RecordingError) in
            guard FileFingerprint(of: source) == before else {
                throw Self.refusal(source, "it has changed meanwhile", "Run it again.")
            }
        }
    }

    /// Removes the copy.
    package func discard() { draft.discard() }
}

/// What changes when a file is written or replaced.
package struct FileFingerprint: Equatable, CustomStringConvertible {
    private let device: UInt64
    private let number: UInt64
    private let size: Int64
    private let times: [Int]

    /// - Returns: `nil` if there is no such file.
    package init?(of path: String) {
        var present = stat()
        guard stat(path, &present) == 0 else { return nil }
        self.init(present)
    }

    /// Describes the entry of a directory: a symbolic link itself, and not its target.
    ///
    /// - Returns: `nil` if there is none.
    init?(ofEntry path: String) {
        var present = stat()
        guard lstat(path, &present) == 0 else { return nil }
        self.init(present)
    }

    private init(_ present: stat) {
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

    /// The same text for the same file with the same contents.
    package var description: String {
        ([device, number] + times.map { UInt64(truncatingIfNeeded: $0) }).map { String($0, radix: 36) }
            .joined(separator: "-") + "-\(size)"
    }
}
