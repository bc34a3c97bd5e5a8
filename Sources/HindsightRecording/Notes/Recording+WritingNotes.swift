import Foundation
import HindsightFormat
import HindsightSQLite
import HindsightSupport
import HindsightTree

extension Recording {
    /// Adds a note to the file of a recording, which names a position.
    ///
    /// ```swift
    /// try Recording.addNote("the total is wrong", at: "412.3", of: url)
    /// ```
    ///
    /// The file is replaced at once by a copy with the note. If the process ends before, the file stays as it is, and a
    /// file `.NAME.XXXXXXXX.part` may stay beside it, which the next note removes. Processes that read the recording go
    /// on reading the old file. If other processes add notes, this waits for them, up to ten seconds. If another process
    /// changes the file in another way meanwhile, this is an error, and that change stays. A text is written anew.
    ///
    /// **Cost.** That of copying and of checking the file.
    ///
    /// - Parameters:
    ///   - name: The text of the note, of at most 200 bytes. It must be no other position, such as `42`.
    ///   - position: The position, as ``position(_:knownOnly:)`` takes it. Its state need not be known.
    ///   - url: The recording. It must not be recorded right now, and must stand alone, without files beside it.
    ///   - replacing: Whether a note with this name is moved to the position. Otherwise it is an error.
    /// - Returns: The note.
    /// - Throws: A `RecordingError` with the code `noteExists`, `badNote`, `live`, `unwritable` if the recording must be
    ///   recovered first, is read-only or has changed meanwhile, `damaged`, `foreignSchema`, or a code of
    ///   ``init(at:)`` or ``position(_:knownOnly:)``.
    @discardableResult
    package static func addNote(_ name: String, at position: String, of url: URL, replacing: Bool = false)
        throws(RecordingError) -> RecordedNote
    {
        if let fault = NoteTable.fault(ofName: name) {
            throw RecordingError(.badNote, file: url.path, given: name, reason: fault)
        }
        return try editingNotes(of: url) { recording, connection in
            let position = try recording.position(position, knownOnly: false)
            let old = try recording.notes().first { $0.name?.hasSameScalars(as: name) == true }
            if let old, !replacing {
                throw RecordingError(.noteExists, file: url.path, given: name, reason: "at \(old.position)")
            }
            let note = NoteRow(seq: position.seq, reducer: position.reducer, name: name, at: SystemClock.wall)
            let delete = try connection.prepare("DELETE FROM note WHERE name = ?")
            try delete.bind(name, at: 1)
            try delete.run()
            try note.insert(into: connection)
            return RecordedNote(note)
        }
    }

    /// Removes a note from the file of a recording, in the way of ``addNote(_:at:of:replacing:)``.
    ///
    /// - Parameters:
    ///   - note: The note's name or text; or its position, if there is one note there.
    ///   - position: The position of the note, if several have the text.
    ///   - url: The recording.
    /// - Returns: The removed note.
    /// - Throws: A `RecordingError` with the code `noNote`, `ambiguousPosition` if there are several, or those of
    ///   ``addNote(_:at:of:replacing:)`` for the file.
    @discardableResult
    package static func removeNote(_ note: String, at position: String? = nil, of url: URL) throws(RecordingError)
        -> RecordedNote
    {
        try editingNotes(of: url) { recording, connection in
            let notes = try recording.notes()
            var found = notes.filter { $0.isNamed(note) }
            if let position {
                let position = try recording.position(position, knownOnly: false)
                found.removeAll { $0.position != position }
            } else if found.isEmpty, RecordingPosition.isReserved(note) {
                let position = try recording.position(note, knownOnly: false)
                found = notes.filter { $0.position == position }
            }
            guard let first = found.first else {
                throw RecordingError(.noNote, file: url.path, given: note, allowed: notes.map(\.text))
            }
            guard found.allSatisfy({ $0.text.hasSameScalars(as: first.text) && $0.position == first.position }) else {
                throw RecordingError(
                    .ambiguousPosition,
                    file: url.path,
                    given: note,
                    allowed: found.map { $0.text.hasSameScalars(as: note) ? "\($0.position)" : $0.text },
                    reason: "there are \(found.count) such notes"
                )
            }
            let delete = try connection.prepare(
                "DELETE FROM note WHERE seq = ? AND reducer IS ? AND (name = ? OR text = ?)"
            )
            try delete.bind(first.position.seq, at: 1)
            try delete.bind(first.position.reducer, at: 2)
            try delete.bind(first.text, at: 3)
            try delete.bind(first.text, at: 4)
            try delete.run()
            return first
        }
    }

    /// Replaces a recording by a copy with other notes.
    private static func editingNotes(
        of url: URL,
        _ edit: (_ recording: Recording, _ connection: Connection) throws -> RecordedNote
    ) throws(RecordingError) -> RecordedNote {
        let path = url.path
        let place = FileSystem.place(of: path)
        // Closing a file ends all locks that the process has on it, also those of SQLite. A recording in progress, perhaps
        // by this process, has files beside it; it is refused below.
        let lock = SidecarFiles.existing(beside: place).isEmpty ? try lock(place, of: path) : nil
        defer { lock?.release() }
        do {
            guard let before = FileFingerprint(of: place) else { throw RecordingError(.notFound, file: path) }
            let recording = try Recording(at: url)
            // A link stays a link: its target is replaced.
            let builder = try RecordingBuilder(
                of: place,
                at: place,
                expecting: before.description,
                isLocked: lock != nil
            )
            defer { builder.discard() }
            let note = try change(builder.copy(place), of: recording, edit)
            try builder.commit(like: recording)
            return note
        } catch {
            var failure = RecordingError(error, reading: path)
            if failure.file == place { failure.file = path }
            guard failure.code == .unreadable, error is SQLiteError || error is SystemError else { throw failure }
            throw RecordingError(.unwritable, file: path, cause: error)
        }
    }

    /// Waits until no other process edits the notes of a file.
    ///
    /// - Returns: `nil` if it cannot be locked. Of two changes at the same time, one is then an error.
    private static func lock(_ place: String, of path: String) throws(RecordingError) -> FileLock? {
        do {
            return try FileLock(on: place, waitingUntil: .now + .seconds(maxWait))
        } catch {
            guard error.number == EWOULDBLOCK else { return nil }
            let reason = "other processes have been writing it for \(maxWait) seconds"
            throw RecordingError(.unwritable, file: path, reason: reason, remedy: "Run it again.")
        }
    }

    /// How long to wait for other processes, in seconds.
    private static let maxWait = 10

    /// Edits the copy of a recording, and waits until the disk has it.
    private static func change(
        _ copy: String,
        of recording: Recording,
        _ edit: (_ recording: Recording, _ connection: Connection) throws -> RecordedNote
    ) throws -> RecordedNote {
        let path = recording.url.path
        let connection = try Connection(copy, .readWrite)
        connection.limitWork(forFileOf: FileSystem.size(of: copy))
        guard try connection.text("PRAGMA quick_check(1)") == "ok" else {
            throw RecordingError(.damaged, file: path, reason: "SQLite finds its pages or tables inconsistent")
        }
        if let fault = try connection.fault(ofWriting: Schema.note) {
            throw RecordingError(.foreignSchema, file: path, reason: fault.description)
        }
        // The data must be on the disk before the copy has the file's name.
        try connection.execute("PRAGMA journal_mode = DELETE; PRAGMA synchronous = FULL; BEGIN IMMEDIATE")
        let note = try edit(recording, connection)
        try connection.execute("COMMIT")
        return note
    }
}
