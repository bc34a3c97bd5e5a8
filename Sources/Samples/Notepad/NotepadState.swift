/// The state of a text buffer.
package struct NotepadState: Codable, Sendable, Equatable {
    package var text = ""
    /// The offset of the cursor in UTF-8 bytes.
    package var cursor = 0
    /// The number of lines; 1 for an empty text.
    package var lines = 1
    /// The number of edits.
    package var edits = 0
    /// Whether the last action was rejected, because it did not fit the text.
    package var rejected = false

    package init() {}
}

/// An action on a text buffer. In JSON: `{"edit":{"at":0,"delete":0,"insert":"a"}}`.
package enum NotepadAction: Codable, Sendable, Equatable {
    /// Replaces `delete` UTF-8 bytes from offset `at` on. The range must not begin or end inside a scalar.
    case edit(at: Int, delete: Int, insert: String)
    /// Moves the cursor to an offset in UTF-8 bytes, which must not be inside a scalar.
    case moveCursor(to: Int)
}
