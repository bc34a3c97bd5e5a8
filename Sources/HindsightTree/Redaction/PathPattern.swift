/// A JSON Pointer in which names may be left open: the places of a node that are to be hidden.
///
/// `*` stands for any one name, `**` for any number of names, none too, and a number for any number: elements move, so
/// one index would soon be that of another element.
struct PathPattern: Hashable {
    enum Component: Hashable {
        case name(String)
        /// Any array's index, and any key that is a number.
        case number
        case any
        case anyDepth
    }

    let components: [Component]

    /// Reads a pattern; `nil` where the text is no JSON Pointer.
    init?(_ text: String) {
        guard let path = NodePath(text) else { return nil }
        components = path.components.map {
            switch $0 {
            case "*": .any
            case "**": .anyDepth
            default: NodePath.index($0) == nil ? .name($0) : .number
            }
        }
    }
}

/// A pattern that cannot be followed.
package struct PatternError: Error {
    package let pattern: String
    package let reason: String
}
