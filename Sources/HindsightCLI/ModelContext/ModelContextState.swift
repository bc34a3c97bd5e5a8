import HindsightTree

/// Prints a state, or its members if it is long. It takes the words of `jump`, in which the position may be missing.
///
/// It is called as `TOOL @state`, which is not documented for users.
enum ModelContextState {
    static let word = "@state"

    static func run(_ words: [String], in tool: Tool) throws -> ExitCode {
        tool.console.wraps = false
        let isOpen = words.drop { $0 != "--" }.count == 2
        let parsed = try Parser(syntax: JumpCommand.syntax).parse(words + (isOpen ? ["end"] : []))
        let reader = StateReader(of: try tool.open(try parsed.require(SharedArguments.file)), tool)
        let text = try parsed.require(JumpCommand.position)
        let state = try reader.notedState(at: try reader.position(text), given: text)
        let path = try parsed[SharedArguments.path] ?? NodePath()
        StateOutline(path: path, node: try tool.part(of: state, at: path, text)).print(to: tool.console)
        return .fine
    }
}

/// A state that is printed by member if it is long.
private struct StateOutline {
    let path: NodePath
    let node: Node

    /// The most bytes of JSON of a value that is printed whole: of a member, and of the state.
    private static let (most, maxOfState) = (500, ModelContextPage.most - 200)

    func print(to console: Console) {
        if node.json.utf8.count <= Self.maxOfState { return line(path, [.init("value", node)], console) }
        switch node {
        case .array(let elements):
            console.note("This array has \(Quantities.counted(elements.count, "element")).")
            for (index, element) in elements.enumerated() where console.isOpen { member("\(index)", element, console) }
        case .object(let members):
            console.note("This object has \(Quantities.counted(members.count, "member")).")
            for member in members where console.isOpen { self.member(member.key, member.value, console) }
        default:
            line(path, [.init("value", node)], console)
        }
    }

    private func member(_ key: String, _ value: Node, _ console: Console) {
        // The members of a part at an open path are whole paths.
        let isOpen = path.components.contains { $0.contains("*") }
        let place = isOpen ? NodePath(key) ?? path : path.appending(key)
        let bytes = value.json.utf8.count
        guard bytes > Self.most else { return line(place, [.init("value", value)], console) }
        let (kind, count) = ModelContextValue.size(of: value)
        line(place, [.init("kind", .string(kind)), .init("count", .int(count)), .init("bytes", .int(bytes))], console)
    }

    private func line(_ path: NodePath, _ members: [Node.Member], _ console: Console) {
        console.print(printable(.object([.init("path", .string(path.description))] + members)))
    }
}
