/// A JSON Pointer with wildcards, which says what to hide in a node.
///
/// `*` matches one name, `**` any number of names or none, and a number any number: elements move, so one index would
/// soon be that of another element.
package struct PathPattern: Hashable, Sendable {
    package enum Component: Hashable, Sendable {
        case name(String)
        /// An index of an array, or a key that is a number.
        case number
        case any
        case anyDepth
    }

    package let components: [Component]

    /// Whether a component is a number.
    var hasNumbers: Bool { components.contains(.number) }

    /// Reads a pattern. Fails if the text is no JSON Pointer.
    ///
    /// - Parameter isExact: Whether a number matches only itself, as in a comparison of two states.
    init?(_ text: String, isExact: Bool = false) {
        guard let path = NodePath(text) else { return nil }
        self.init(path, isExact: isExact)
    }

    /// Takes the names of a path as a pattern.
    package init(_ path: NodePath, isExact: Bool) {
        var components: [Component] = []
        for name in path.components {
            let component: Component =
                switch name {
                case "*": .any
                case "**": .anyDepth
                default: isExact || NodePath.index(name) == nil ? .name(name) : .number
                }
            // Several `**` in a row match what one does, and from each of them all the others are reached.
            if component == .anyDepth, components.last == .anyDepth { continue }
            components.append(component)
        }
        self.components = components
    }
}

/// A pattern that cannot be used.
package struct PatternError: Error {
    package let pattern: String
    package let reason: String
}
