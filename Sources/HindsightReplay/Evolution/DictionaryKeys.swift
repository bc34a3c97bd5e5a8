import HindsightRecorder
import HindsightTree

/// Finds out which objects of a state are dictionaries today, so that their keys are no names of fields.
struct DictionaryKeys {
    private let app: ReplayableApp
    /// Whether there is a dictionary, by its generalized path.
    private var known: [String: Bool] = [:]

    init(_ app: ReplayableApp) { self.app = app }

    /// The path with `*` in place of each key of a dictionary. Costs decoding the state for each new object around it.
    mutating func generalized(_ path: NodePath, in state: Node) -> NodePath {
        var (result, node) = ([String](), state)
        for (index, name) in path.components.enumerated() {
            var isKey = false
            if case .object = node, !name.allSatisfy(\.isWholeNumber) {
                let parent = NodePath(result).pattern
                isKey = known[parent] ?? isDictionary(at: Array(path.components[..<index]), in: state)
                known[parent] = isKey
            }
            result.append(isKey ? "*" : name)
            node = node[name] ?? .null
        }
        return NodePath(result)
    }

    /// Whether today's types read an unknown key of an object, as only a dictionary does.
    private func isDictionary(at path: [String], in state: Node) -> Bool {
        // No value of a dictionary in question is a Boolean: it has fields.
        let probe = Node.object([Node.Member("hindsight", true)])
        do {
            try app.checkDecodes(state.replacing(literally: path[...]) { _ in probe })
            return false
        } catch {
            guard let error = error as? TreeError, !error.isUnknownCase else { return false }
            return error.path?.components.starts(with: path + ["hindsight"]) == true
        }
    }
}
