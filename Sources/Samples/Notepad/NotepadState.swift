/// The state of a text buffer.
public struct NotepadState: Codable, Sendable, Equatable {
    public var text = ""
    /// Where the next character would go, in UTF-8 bytes.
    public var cursor = 0
    /// How many lines the text has; an empty text has one.
    public var lines = 1
    /// How many edits were made.
    public var edits = 0
    /// Whether the last action did not fit the text and was refused.
    public var rejected = false

    public init() {}
}

/// What can be done to a text buffer. In JSON: `{"edit":{"at":0,"delete":0,"insert":"a"}}`.
public enum NotepadAction: Codable, Sendable, Equatable {
    /// Replaces `delete` bytes from offset `at` on; both count UTF-8 bytes and neither may lie inside a scalar.
    case edit(at: Int, delete: Int, insert: String)
    /// Moves the cursor to an offset in UTF-8 bytes that does not lie inside a scalar.
    case moveCursor(to: Int)
}
