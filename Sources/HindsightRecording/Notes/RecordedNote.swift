import Foundation
import HindsightFormat
import HindsightSQLite
import HindsightTree

/// A note: a text at a position. ``Recording/notes()`` reads the notes of a recording.
public struct RecordedNote: Codable, Sendable, Hashable {
    /// The position.
    public internal(set) var position: Recording.Position
    @Nullable private var ownName: String?
    /// The text; the name if it has no other.
    public internal(set) var text: String
    /// The exact value of ``date``.
    package internal(set) var nanosecondsSinceEpoch: Int64

    /// The name, which ``Recording/position(_:knownOnly:)`` takes; `nil` if the note has only a text.
    public var name: String? { ownName }
    /// When the note was made.
    public var date: Date { Date(nanosecondsSinceEpoch: nanosecondsSinceEpoch) }

    private enum CodingKeys: String, CodingKey {
        case position
        case ownName = "name"
        case text
        case nanosecondsSinceEpoch = "at"
    }
}

extension RecordedNote: Answer {
    package static let notes = [
        "name": "if commands take the text as a position", "at": "when it was made, ns since 1970",
    ]
}

extension Recording {
    /// Returns the notes, in the order of their positions. Costs a pass over the notes.
    ///
    /// - Throws: A `RecordingError` with the code `damaged` or `unreadable`.
    public func notes() throws(RecordingError) -> [RecordedNote] {
        let rows = try storedNotes(after: start.seq) + bounds.journalNotes.map(NoteRow.init)
        let notes = rows.map(RecordedNote.init)
        // Positions that the recording does not have are no use. The sort keeps the order of notes at one position.
        return notes.filter { has($0.position) }.enumerated()
            .sorted { ($0.element.position, $0.offset) < ($1.element.position, $1.offset) }.map(\.element)
    }

    /// The notes in the file from a position on, in the order of their positions; none at a reducer that there is not.
    func storedNotes(after seq: Int) throws(RecordingError) -> [NoteRow] {
        try file.reading {
            let row = try file.connection.prepare(NoteRow.selection)
            try row.bind(seq, at: 1)
            var notes: [NoteRow] = []
            while try row.step() {
                let note = try NoteRow(row)
                if note.reducer.map({ 0...reducers.count ~= $0 }) ?? true { notes.append(note) }
            }
            return notes
        }
    }

    private func has(_ position: Position) -> Bool {
        guard start.seq...actionCount ~= position.seq else { return false }
        guard let reducer = position.reducer else { return true }
        return position.seq > start.seq && 0...reducers.count ~= reducer
    }

    /// The positions of the notes with a name or a text, each once, in order.
    func positions(ofNote text: String) throws(RecordingError) -> [Position] {
        var positions: Set<Position> = []
        for note in try notes() where note.isNamed(text) { positions.insert(note.position) }
        return positions.sorted()
    }
}

extension RecordedNote {
    /// Whether it has a name or a text, as a file stores it: two forms of one character are two names.
    package func isNamed(_ wanted: String) -> Bool {
        text.hasSameScalars(as: wanted) || name?.hasSameScalars(as: wanted) == true
    }

    init(_ note: NoteRow) {
        position = Recording.Position(seq: note.seq, reducer: note.reducer)
        ownName = note.name
        text = note.text ?? note.name ?? ""
        nanosecondsSinceEpoch = note.at
    }
}
