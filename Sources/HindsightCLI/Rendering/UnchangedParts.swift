import HindsightSupport
import HindsightTree

/// Counts the parts beside a patch's changes that stayed the same: `unchanged: 3 members · /items: 41 elements`.
struct UnchangedParts {
    private let base: Node
    private var touched: [NodePath: Touched] = [:]

    private struct Touched {
        var children: Set<String> = []
        var removed = 0
    }

    /// The most containers to show, beginning with the shallowest. A large patch has thousands.
    private static let maxParts = 4

    /// The depth of the deepest containers to consider. A path may have hundreds of levels.
    private static let deepest = 8

    init(of base: Node, beside patch: Patch) {
        self.base = base
        for operation in patch.operations {
            var container = NodePath()
            for component in operation.path.components.prefix(Self.deepest) {
                touched[container, default: Touched()].children.insert(component)
                container = container.appending(component)
            }
            if case .splice(let path, _, let removed, _) = operation, path.components.count < Self.deepest {
                touched[path, default: Touched()].removed += removed.count
            }
        }
    }

    /// One line; `nil` if nothing stayed the same.
    var line: String? {
        let containers = touched.keys.sorted {
            ($0.components.count, $0.description) < ($1.components.count, $1.description)
        }
        let parts = containers.lazy.compactMap(part).prefix(Self.maxParts)
        return parts.isEmpty ? nil : "unchanged: " + parts.joined(separator: " · ")
    }

    private func part(for path: NodePath) -> String? {
        guard let touched = touched[path] else { return nil }
        let label = path.isRoot ? "" : escape(path.description) + ": "
        switch base[path] {
        case .object(let members)?:
            let same = members.count { !touched.children.contains($0.key) }
            return same > 0 ? label + Quantities.counted(same, "member") : nil
        case .array(let elements)?:
            let same = elements.count - touched.removed - touched.children.count
            return same > 0 ? label + Quantities.counted(same, "element") : nil
        default:
            return nil
        }
    }
}
