import HindsightTree

/// The elements that a patch removes from arrays and inserts again with the same content.
///
/// A single value moves within one array only, because values such as 0 are in many. An object or an array may also move
/// to another array. If several elements have the same content, the first inserted is the first removed, and so on.
struct ElementMoves {
    /// An element that a splice removes or inserts.
    struct Element: Hashable {
        /// The index of the operation in the patch.
        var operation: Int
        /// The element's index in what is removed or inserted.
        var offset: Int
    }

    private struct Content: Hashable {
        var array: NodePath?
        var value: Node
    }

    /// For each inserted element that was moved, the removed one.
    private(set) var sources: [Element: Element] = [:]
    /// For each removed element that was moved, the inserted one.
    private(set) var targets: [Element: Element] = [:]

    init(_ operations: [Patch.Operation]) {
        var (removes, inserts) = (false, false)
        for case .splice(_, _, let remove, let insert) in operations {
            removes = removes || !remove.isEmpty
            inserts = inserts || !insert.isEmpty
        }
        guard removes, inserts else { return }
        var removed: [Content: [Element]] = [:]
        for (number, operation) in operations.enumerated() {
            guard case .splice(let path, _, let remove, _) = operation else { continue }
            for (offset, value) in remove.enumerated() {
                removed[Self.content(value, path), default: []].append(Element(operation: number, offset: offset))
            }
        }
        var used: [Content: Int] = [:]
        for (number, operation) in operations.enumerated() {
            guard case .splice(let path, _, _, let insert) = operation else { continue }
            for (offset, value) in insert.enumerated() {
                let content = Self.content(value, path)
                let next = used[content, default: 0]
                guard let sources = removed[content], next < sources.count else { continue }
                used[content] = next + 1
                let target = Element(operation: number, offset: offset)
                self.sources[target] = sources[next]
                targets[sources[next]] = target
            }
        }
    }

    private static func content(_ value: Node, _ array: NodePath) -> Content {
        Content(array: value.hasContent ? nil : array, value: value)
    }
}

extension Patch.Operation {
    /// The operations that change only what differs, if this one replaces a whole container.
    var refined: [Patch.Operation] {
        guard case .replace(let path, let old, let new) = self, old.isContainer, new.isContainer else { return [self] }
        let finer = Patch(from: old, to: new).operations
        if case .replace(let inner, _, _)? = finer.first, inner.isRoot { return [self] }
        return finer.map { $0.prefixed(by: path) }
    }

    /// The same operation on the part of a node that is `count` names below it.
    func dropping(_ count: Int) -> Patch.Operation {
        Patch.Operation(kind, at: NodePath(Array(path.components.dropFirst(count))), change) ?? self
    }
}

extension Node {
    /// The value of a member or element; `nil` if there is none.
    func part(_ name: String) -> Node? { self[NodePath([name])] }
}
