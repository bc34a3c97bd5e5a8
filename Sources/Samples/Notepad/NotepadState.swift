/// The state of a text buffer.
public struct NotepadState: Codable, Sendable, Equatable {
    public var text = ""
    /// The offset of the cursor in UTF-8 bytes.
    public var cursor = 0
    /// The number of lines; 1 for an empty text.
    public var lines = 1
    /// The number of edits.
    public var edits = 0
    /// Whether the last action was rejected, because it did not fit the text.
    public var rejected = false

    public init() {}
}

/// An action on a text buffer. In JSON: `{"edit":{"at":0,"delete":0,"insert":"a"}}`.
public enum NotepadAction: Codable, Sendable, Equatable {
    /// Replaces `delete` UTF-8 bytes from offset `at` on. The range must not begin or end inside a scalar.
    case edit(at: Int, delete: Int, insert: String)
    /// Moves the cursor to an offset in UTF-8 bytes, which must not be inside a scalar.
    case moveCursor(to: Int)
}
