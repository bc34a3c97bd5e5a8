import HindsightFormat
import HindsightSupport
import HindsightTree

/// Formats the changes of an action for a log.
enum ChangeText {
    static let maxListLength = 12
    static let maxValueLength = 60

    /// The action with its changes: on one line if there is one change, otherwise one line for each.
    static func text(_ action: String, _ patch: Patch) -> String {
        let lines = patch.operations.prefix(maxListLength).map(line)
        switch lines.count {
        case 0: return "\(action)  changes nothing"
        case 1: return "\(action)  \(lines[0])"
        default:
            let rest = patch.operations.count - lines.count
            return ([action] + lines + (rest > 0 ? ["… and \(rest) more changes"] : [])).joined(separator: "\n  ")
        }
    }

    /// An action in Swift notation. An enum inside another one is `outer.inner`.
    static func name(of action: Any) -> String {
        let mirror = Mirror(reflecting: action)
        if mirror.displayStyle == .enum, let child = mirror.children.first, let label = child.label,
            Mirror(reflecting: child.value).displayStyle == .enum
        {
            return "\(label).\(name(of: child.value))"
        }
        return escaped(String(describing: action))
    }

    /// An action's name without its payload.
    static func bareName(of action: Any) -> String {
        let mirror = Mirror(reflecting: action)
        guard mirror.displayStyle == .enum else { return "\(type(of: action))" }
        // A case without a payload has no child. Its description is its name, unless it describes itself.
        guard let child = mirror.children.first else {
            let describesItself =
                action is any CustomStringConvertible || action is any CustomDebugStringConvertible
                || action is any TextOutputStreamable
            return describesItself ? "\(type(of: action))" : escaped(String(describing: action))
        }
        return child.label ?? "\(type(of: action))"
    }

    private static func line(_ operation: Patch.Operation) -> String {
        let path = operation.path.isRoot ? "(whole)" : escaped(operation.path.description)
        if case .splice(_, let at, let old, let new) = operation {
            let change = [("−", old), ("+", new)].filter { !$0.1.isEmpty }.map { "\($0.0) \(text($0.1))" }
            return "\(operation.path.isRoot ? "" : path)/\(at) \(change.joined(separator: " "))"
        }
        let change = operation.change
        guard let old = change.old else { return "\(path) + \(change.new.map(text) ?? "")" }
        guard let new = change.new else { return "\(path) − \(text(old))" }
        let place = change.at.map { " at byte \($0):" } ?? ""
        return "\(path)\(place) \(text(old)) → \(text(new))"
    }

    private static func text(_ elements: [Node]) -> String {
        elements.count == 1 ? text(elements[0]) : "\(elements.count) elements"
    }

    private static func text(_ node: Node) -> String {
        let text = escaped(node.json)
        return text.count <= maxValueLength ? text : "\(text.prefix(maxValueLength))… (\(text.count) characters)"
    }

    /// Spells out characters that could forge a log's lines: controls, and those that change the direction of writing.
    static func escaped(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { result, scalar in
            result += scalar.isControlOrFormat ? scalar.escapedAsLiteral : String(scalar)
        }
    }
}
