import Foundation
import HindsightFormat
import HindsightSQLite
import HindsightSupport

/// Writes a recording that is made from another, completely or not at all.
///
/// ```swift
/// let builder = try RecordingBuilder(from: recording, to: output, overwrite: false)
/// defer { builder.discard() }
/// try builder.write { tables in
///     try tables.begin(reducers: recording.reducers, state.json, at: 0)
///     try tables.finish(facts)
/// }
/// try builder.commit(like: recording)
/// ```
///
/// Everything goes to a ``DraftFile`` beside the output, which a commit moves there by a rename. An error, or the end
/// of the process before, leaves the output as it was.
package final class RecordingBuilder {
    /// The file to write, which errors name.
    package let output: String
    private let draft: DraftFile
    private let isLocked: Bool
    private var tables: NewTables?
    /// The recording of which the ``intermediate(of:_:)`` one was made.
    private var original: String?
    /// The recording that must not change until the commit, and whose permissions the output gets; `nil` if it may.
    private let source: (path: String, before: FileFingerprint)?

    // MARK: Beginning

    /// Begins a new file, which is not the source.
    ///
    /// - Parameter overwrite: Whether it may replace another file.
    /// - Throws: A `RecordingError`: `exists`, `inUse` or `unwritable`.
    package init(from source: String, to output: String, overwrite: Bool) throws(RecordingError) {
        try NewFile.check(output, overwrite: overwrite, from: source)
        (self.output, self.source, isLocked) = (output, nil, false)
        draft = try DraftFile(for: output, overwrite: overwrite)
    }

    /// Begins a new file of a recording that must stand alone.
    ///
    /// - Throws: A `RecordingError`: `live`, `unreadable` if the recording must be recovered first, `exists`, `inUse`
    ///   or `unwritable`.
    package convenience init(from recording: Recording, to output: URL, overwrite: Bool) throws(RecordingError) {
        let path = recording.url.path
        if recording.isLive { throw RecordingError(.live, file: path) }
        guard recording.sidecarFiles.isEmpty else {
            throw RecordingError(.unreadable, file: path, reason: "it must be recovered first")
        }
        try self.init(from: path, to: output.path, overwrite: overwrite)
    }

    /// Begins a file that may replace its source. The commit fails if the source has changed meanwhile.
    ///
    /// - Parameters:
    ///   - expected: The description of the source's fingerprint from an earlier time; `nil` to take the source as it
    ///     is.
    ///   - isLocked: Whether the caller has a `FileLock` on the output until the commit.
    /// - Throws: A `RecordingError`: `notFound`, `live`, or `unwritable` if files stand beside the source or the
    ///   output, the source is not the expected file, or it would be replaced and is read-only.
    package init(
        of source: String,
        at output: String,
        expecting expected: String? = nil,
        isLocked: Bool = false
    ) throws(RecordingError) {
        guard let present = FileFingerprint(of: source) else { throw RecordingError(.notFound, file: source) }
        if let expected, present.description != expected {
            throw Self.refusal(source, "it has changed since it was examined", "Examine it again.")
        }
        for path in [source, output] {
            if try JournalInspection.isLive(path) { throw RecordingError(.live, file: path) }
            let beside = SidecarFiles.existing(beside: path)
            guard beside.isEmpty else {
                let reason = "files stand beside it (\(beside.joined(separator: ", ")))"
                throw Self.refusal(path, reason, "Recover it first.")
            }
        }
        if source == output, !FileSystem.isWritable(source) {
            throw RecordingError(.unwritable, file: source, reason: RecordingError.isReadOnly)
        }
        (self.output, self.source, self.isLocked) = (output, (source, present), isLocked)
        draft = try DraftFile(for: output, overwrite: true)
    }

    private static func refusal(_ path: String, _ reason: String, _ remedy: String) -> RecordingError {
        RecordingError(.unwritable, file: path, reason: reason, remedy: remedy)
    }

    // MARK: Writing

    /// Writes a new file, and commits it.
    ///
    /// - Parameter body: Writes all rows, and finishes the tables.
    /// - Throws: The errors of ``init(from:to:overwrite:)`` and of `body`.
    package static func write<Result>(
        from recording: Recording,
        to output: URL,
        overwrite: Bool,
        _ body: (NewTables) throws -> Result
    ) throws -> Result {
        let builder = try RecordingBuilder(from: recording, to: output, overwrite: overwrite)
        defer { builder.discard() }
        let result = try builder.write(body)
        try builder.commit(like: recording)
        return result
    }

    /// Writes rows. All calls write to the same tables, which the last one finishes.
    ///
    /// - Throws: The errors of `body`; those of SQLite and of the system as a `RecordingError` with the code
    ///   `unwritable`.
    package func write<Result>(_ body: (NewTables) throws -> Result) throws -> Result {
        try naming {
            let tables = try tables ?? NewTables(in: draft.path)
            self.tables = tables
            return try body(tables)
        }
    }

    /// The recording that was written, before it is moved to the output.
    package func written() throws -> Recording {
        tables = nil
        return try naming { try Recording(at: URL(fileURLWithPath: draft.path)) }
    }

    /// Copies a recording into the draft, to be edited. A text becomes a database.
    ///
    /// - Returns: The path of the copy.
    func copy(_ source: String) throws -> String {
        try naming {
            if TextForm.isRecording(at: source) {
                try TextImport.database(of: source, into: draft.path)
            } else {
                try FileSystem.copy(source, into: draft.path)
            }
            return draft.path
        }
    }

    /// Writes a recording from which this one is made, and which is removed with the draft. Errors about it name
    /// `original`.
    package func intermediate(of original: String, _ body: (NewTables) throws -> Void) throws -> Recording {
        self.original = original
        return try naming {
            try NewFile.create(draft.otherPath, overwrite: true)
            try body(NewTables(in: draft.otherPath))
            return try Recording(at: URL(fileURLWithPath: draft.otherPath))
        }
    }

    /// Names the output in errors: the drafts are removed, so their names say nothing.
    private func naming<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch var error as RecordingError where [draft.path, draft.otherPath].contains(error.file) {
            error.file = error.file == draft.path ? output : original ?? output
            throw error
        } catch {
            guard error is SQLiteError || error is SystemError else { throw error }
            throw RecordingError(.unwritable, file: output, cause: error)
        }
    }

    // MARK: Ending

    /// Moves the draft to the output: as a text if its name ends in `.jsonl`, as a database if it ends in `.hindsight`,
    /// and else, or if it replaces the recording, in the form of the recording.
    ///
    /// - Throws: A `RecordingError` with the code `unwritable`.
    package func commit(like recording: Recording) throws {
        let isInPlace = FileSystem.place(of: output) == recording.file.place
        let name = FileSystem.name(of: output)
        let isText = recording.isText && (isInPlace || !name.hasSuffix(RunName.suffix))
        try commit(asText: isText || !isInPlace && name.hasSuffix(TextForm.suffix))
    }

    /// Moves the draft to the output.
    ///
    /// - Throws: A `RecordingError` with the code `unwritable`.
    package func commit(asText: Bool) throws {
        tables = nil
        try naming {
            let path = asText ? draft.otherPath : draft.path
            if asText { try Recording(at: URL(fileURLWithPath: draft.path)).writeText(into: path) }
            try draft.commit(path, isLocked: isLocked) { () throws(RecordingError) in
                guard let source else { return }
                guard FileFingerprint(of: source.path) == source.before else {
                    throw Self.refusal(source.path, "it has changed meanwhile", "Run it again.")
                }
                do {
                    try FileSystem.copyPermissions(from: source.path, to: path)
                } catch {
                    throw RecordingError(.unwritable, file: output, cause: error)
                }
            }
        }
    }

    /// Removes what is left of the draft.
    package func discard() {
        tables = nil
        draft.discard()
    }
}
