import HindsightRecorder
import HindsightTree

/// Tells which parts of a path name an element or the key of a dictionary, by what today's types read as a dictionary.
struct DictionaryKeys {
    private let app: ReplayableApp
    /// Whether the paths are those of actions, and not of states.
    private let areInActions: Bool
    /// Whether there is a dictionary, by its generalized path.
    private var known: [NodePath: Bool] = [:]

    init(_ app: ReplayableApp, ofActions areInActions: Bool = false) {
        (self.app, self.areInActions) = (app, areInActions)
    }

    /// The path with `*` in place of each index and each key of a dictionary. The dictionaries of actions that are
    /// not `Decodable` themselves are not known.
    ///
    /// A dictionary whose keys are no texts is an array of pairs: the key of a pair is `*/0`, and its value `*/1`. Costs
    /// decoding the value if it has containers around the place that were not known.
    mutating func generalized(_ path: NodePath, in value: Node) -> NodePath {
        let names = path.components
        var (result, node, rest) = ([String](), value, names[...])
        var places: Set<NodePath>?
        while let name = rest.popFirst() {
            let container = NodePath(result)
            if known[container] == nil {
                places =
                    places
                    ?? (areInActions ? app.typed.dictionaries(inAction: value) : app.typed.dictionaries(in: value))
                known[container] = places?.contains(NodePath(Array(names.prefix(names.count - rest.count - 1))))
            }
            let isDictionary = known[container] == true
            let isArray = if case .array = node { true } else { false }
            let isObject = if case .object = node { true } else { false }
            result.append(isArray || isObject && isDictionary ? "*" : name)
            node = node[NodePath([name])] ?? .null
            // The key or the value of a pair.
            guard isArray, isDictionary, let part = rest.popFirst() else { continue }
            result.append(part)
            node = node[NodePath([part])] ?? .null
        }
        return NodePath(result)
    }

    /// The arrays that today's types read as dictionaries, and that are no arrays of pairs, the outer ones first. Paths
    /// inside them in errors of decoding are those of a dictionary, which the state does not have.
    func misreadArrays(in state: Node) -> [NodePath] {
        app.typed.dictionaries(in: state).filter { place in
            guard case .array(let elements)? = state[place] else { return false }
            return !elements.allSatisfy { if case .array(let pair) = $0 { pair.count == 2 } else { false } }
        }.sorted { ($0.components.count, "\($0)") < ($1.components.count, "\($1)") }
    }
}

extension TypedApp {
    /// The places of a state that today's types read as dictionaries.
    func dictionaries(in state: Node) -> Set<NodePath> {
        NodeDecoder().dictionaries(readBy: StateValue.self, in: state)
    }

    /// The places of an action that today's type reads as dictionaries; none if it is not `Decodable` itself.
    func dictionaries(inAction action: Node) -> Set<NodePath> {
        guard let type = ActionValue.self as? any Decodable.Type else { return [] }
        return NodeDecoder().dictionaries(readBy: type, in: action)
    }
}
