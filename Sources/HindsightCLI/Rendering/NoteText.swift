import HindsightRecording

/// A note as `log`, `show` and `notes` print it.
enum NoteText {
    private static let mark = "⚑ "

    /// `⚑ user saw the bug`, and its position if that is within the action.
    static func line(_ note: RecordedNote, _ style: Style) -> String {
        let place = note.position.reducer == nil ? "" : "  " + style.faint("at \(note.position)")
        return style.strong(mark + text(of: note)) + place
    }

    /// The text on one line.
    static func text(of note: RecordedNote) -> String {
        note.name.map { $0 == note.text ? brief($0) : "\(brief($0)): \(brief(note.text))" } ?? brief(note.text)
    }
}
