import HindsightQuery
import HindsightSupport
import HindsightTree

extension Tool {
    /// The part of a state that `--path` asks for.
    func part(of state: Node, at path: NodePath?, _ position: String) throws -> Node {
        guard let path else { return state }
        if let part = state[path] { return part }
        let places = PlacePattern(path).isOpen ? PlacePattern(path).places(in: state) : []
        guard !places.isEmpty else { throw missing(path, in: state, position) }
        return .object(places.map { Node.Member($0.path.description, $0.value) })
    }

    /// The failure for a missing path: the part of it that exists, and the names there.
    func missing(_ path: NodePath, in state: Node, _ position: String) -> Failure {
        var reached = NodePath()
        for component in path.components {
            guard state[reached.appending(component)] != nil else { break }
            reached = reached.appending(component)
        }
        let wrong = path.components.dropFirst(reached.components.count).first ?? ""
        let place = reached.shown("The state")
        var lines = ["There is nothing at \(escape(path.description)) at position \(escape(position))."]
        if PlacePattern(path).isOpen {
            var near = NearPaths(to: path)
            near.look(in: state)
            return Failure(.usage, lines: lines + near.question)
        }
        switch state[reached] {
        case .object(let members)?:
            let keys = members.map(\.key)
            let shown = Quantities.list(keys.map { ValueText.key($0) }, most: 12)
            lines.append("\(place) has \(keys.isEmpty ? "no members" : shown).")
            if let nearest = Suggestion.nearest(to: wrong, in: keys) {
                lines.append("Did you mean \(escape(reached.appending(nearest).description))?")
            }
        case .array(let elements)?:
            let count = Quantities.counted(elements.count, "element")
            lines.append("\(place) has \(count)\(elements.isEmpty ? "" : ", 0 to \(elements.count - 1)").")
        default:
            lines.append("\(place) is a single value.")
        }
        return Failure(.usage, lines: lines)
    }
}
