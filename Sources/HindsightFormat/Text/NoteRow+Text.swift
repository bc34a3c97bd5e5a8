import HindsightTree

/// The line of a note, which stands after the line of its action.
extension NoteRow {
    package var node: Node {
        var members: [Node.Member] = [.init("note", name.map(Node.string) ?? .null)]
        if let text { members.append(.init("text", .string(text))) }
        if let reducer { members.append(.init("reducer", .int(reducer))) }
        members.append(.init("at", .int(Int(at))))
        return .object(members)
    }

    /// - Throws: ``TextFault``.
    init(_ members: [Node.Member], after seq: Int) throws {
        self.init(seq: seq, at: 0)
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
}
