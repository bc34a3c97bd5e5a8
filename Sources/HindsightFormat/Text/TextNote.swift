import HindsightSQLite
import HindsightTree

/// The line of a note, which stands after the line of its action.
package struct TextNote {
    package var seq: Int
    package var reducer: Int?
    package var name: String?
    package var text: String?
    package var at: Int64

    /// The query of all notes from a position on, in their order.
    package static let selection = "SELECT seq, reducer, name, text, at FROM note WHERE seq >= ? ORDER BY seq, id"

    /// Reads a row of ``selection``.
    package init(_ row: borrowing Statement) throws(SQLiteError) {
        seq = Int(try row.integer(0))
        reducer = try row.optionalInteger(1).map { Int($0) }
        name = try row.optionalText(2)
        text = try row.optionalText(3)
        at = try row.integer(4)
    }

    package init(name: String, at position: RecordingPosition, _ time: Int64) {
        (seq, reducer, self.name, at) = (position.seq, position.reducer, name, time)
    }

    package init(_ note: JournalNote) {
        (seq, reducer, at) = (note.seq, note.reducer, note.at)
        (name, text) = note.isName ? (note.text, nil) : (nil, note.text)
    }

    package var node: Node {
        var members: [Node.Member] = [.init("note", name.map(Node.string) ?? .null)]
        if let text { members.append(.init("text", .string(text))) }
        if let reducer { members.append(.init("reducer", .int(reducer))) }
        members.append(.init("at", .int(Int(at))))
        return .object(members)
    }

    /// - Throws: ``TextFault``.
    init(_ members: [Node.Member], after seq: Int) throws {
        self.seq = seq
        at = 0
        for member in members {
            switch (member.key, member.value) {
            case ("note", .string(let text)): name = text
            case ("note", .null): break
            case ("text", .string(let text)): self.text = text
            case ("reducer", .int(let number)) where number >= 0: reducer = number
            case ("at", .int(let time)): at = Int64(time)
            default:
                throw TextFault("its \(Node.string(member.key).json) is not one that a note has, or has another type")
            }
        }
    }

    package func insert(into connection: Connection) throws(SQLiteError) {
        let insert = try connection.prepare("INSERT INTO note(seq, reducer, name, text, at) VALUES (?, ?, ?, ?, ?)")
        try insert.bind(seq, at: 1)
        try insert.bind(reducer, at: 2)
        try insert.bind(name, at: 3)
        try insert.bind(text, at: 4)
        try insert.bind(at, at: 5)
        try insert.run()
    }
}
