import HindsightFormat
import HindsightSQLite
import HindsightSupport

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A recording that is written from another one, completely or not at all.
enum NewRecording {
    /// Creates the file.
    ///
    /// - Parameters:
    ///   - recording: The recording that it is made from. It must stand alone.
    ///   - output: The new file. It is a text if its name ends in `.jsonl`, a database if it ends in `.hindsight`, and
    ///     else like the recording.
    ///   - fill: Fills an empty file with a database.
    /// - Throws: A `RecordingError` with the code `live`, `unreadable` if the recording must be recovered first,
    ///   `exists`, `inUse` or `unwritable`; and the errors of `fill`.
    static func write<Result>(
        of recording: Recording,
        to output: URL,
        overwrite: Bool,
        _ fill: (_ path: String) throws -> Result
    ) throws -> Result {
        let path = recording.url.path
        if recording.ending == .open(live: true) { throw RecordingError(.live, file: path) }
        guard recording.sidecarFiles.isEmpty else {
            throw RecordingError(.unreadable, file: path, reason: "it must be recovered first")
        }
        // No --force replaces it, so whether it exists is not the question.
        if FileSystem.place(of: output.path) == FileSystem.place(of: path) {
            throw RecordingError(.unwritable, file: output.path, reason: RecordingError.isSource)
        }
        try NewFile.check(output.path, overwrite: overwrite)
        let draft = try DraftFile(for: output.path, overwrite: overwrite)
        defer { draft.discard() }
        return try naming(output.path, insteadOf: [draft.path, draft.otherPath]) {
            let result = try fill(draft.path)
            guard isText(output, recording) else {
                try draft.commit()
                return result
            }
            try Recording(at: URL(fileURLWithPath: draft.path)).writeText(into: draft.otherPath)
            try draft.commit(draft.otherPath)
            return result
        }
    }

    /// Writes drafts, and names the output in errors: the drafts are removed, so their names say nothing.
    static func naming<Result>(
        _ output: String,
        insteadOf drafts: [String],
        _ body: () throws -> Result
    ) throws -> Result {
        do {
            return try body()
        } catch var error as RecordingError where error.file.map(drafts.contains) == true {
            error.file = output
            throw error
        } catch {
            guard error is SQLiteError || error is SystemError else { throw error }
            throw RecordingError(.unwritable, file: output, cause: error)
        }
    }

    private static func isText(_ output: URL, _ recording: Recording) -> Bool {
        let name = output.lastPathComponent
        return name.hasSuffix(TextForm.suffix) || recording.isText && !name.hasSuffix(RunName.suffix)
    }

    /// Writes the names of the reducers, within a transaction.
    static func writeReducers(_ names: [String], _ connection: Connection) throws(SQLiteError) {
        let insert = try connection.prepare("INSERT INTO reducer(id, name) VALUES (?, ?)")
        for (index, name) in names.enumerated() {
            try insert.bind(index + 1, at: 1)
            try insert.bind(name, at: 2)
            try insert.run()
        }
    }
}
