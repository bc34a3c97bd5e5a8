import HindsightTree

@testable import HindsightQuery
@testable import RandomRecordings

/// A state whose every value knows who set it. It goes forward only, and applies each operation naively: an oracle for
/// blame and history, which go backward.
final class TaggedState {
    /// A value and what is inside it. An object of this class stays the same while its value changes or moves.
    final class Value {
        var elements: [Value] = []
        var members: [(key: String, value: Value)] = []
        /// The value itself, if nothing is inside it; an empty array or object for a container.
        var leaf: Node
        /// Who set the value, if nothing is inside it.
        var origin: ChangeOrigin
        /// If the value waits for a removed element of the same patch: which one, and the path in it.
        var awaited: (element: Int, path: NodePath)?
        /// Who this value is for its history. Values that move keep it.
        var identity: ObjectIdentifier?

        init(_ node: Node, _ origin: ChangeOrigin) {
            self.origin = origin
            switch node {
            case .array(let nodes):
                leaf = []
                elements = nodes.map { Value($0, origin) }
            case .object(let nodes):
                leaf = [:]
                members = nodes.map { ($0.key, Value($0.value, origin)) }
            default: leaf = node
            }
        }

        var isLeaf: Bool { elements.isEmpty && members.isEmpty }

        var node: Node {
            switch leaf {
            case .array: .array(elements.map(\.node))
            case .object: .object(members.map { Node.Member($0.key, $0.value.node) })
            default: leaf
            }
        }

        var who: ObjectIdentifier { identity ?? ObjectIdentifier(self) }

        func child(_ name: String) -> Value? {
            if case .array = leaf { return Int(name).flatMap { elements.indices.contains($0) ? elements[$0] : nil } }
            return members.first { ScalarKey($0.key) == ScalarKey(name) }?.value
        }

        func value(at path: some Sequence<String>) -> Value? {
            path.reduce(self) { value, name in value?.child(name) }
        }

        /// All values, with their paths.
        func all(at path: NodePath = NodePath()) -> [(path: NodePath, value: Value)] {
            [(path, self)] + elements.enumerated().flatMap { $1.all(at: path.appending(String($0))) }
                + members.flatMap { $0.value.all(at: path.appending($0.key)) }
        }
    }

    let root: Value
    /// Removed elements of the present patch, by their number.
    private var removed: [Int: Value] = [:]

    init(_ node: Node, _ origin: ChangeOrigin) {
        root = Value(node, origin)
    }

    var leaves: [(path: NodePath, value: Value)] { root.all().filter(\.value.isLeaf) }

    /// Applies a patch by `origin`.
    func apply(_ patch: Patch, _ origin: ChangeOrigin) {
        var operations = patch.operations.flatMap(Self.refined)
        let rearranged = rearrange(&operations)
        let (removedNumbers, sources) = Self.moves(operations)
        removed = [:]
        for (index, operation) in operations.enumerated() {
            apply(operation, index, removedNumbers, sources, origin)
        }
        for (array, sources) in rearranged {
            guard let value = root.value(at: array.components) else { continue }
            let elements = value.elements
            for (after, before) in sources { value.elements[after] = elements[before] }
        }
        for (_, value) in root.all() where value.awaited != nil {
            value.awaited = nil
            value.origin = origin
        }
    }

    /// Finds the arrays of which a patch changes only elements, one by one, and in which an object or array then stands
    /// where another one stood before. Their changes become those of the elements, which change places afterwards.
    private func rearrange(_ operations: inout [Patch.Operation]) -> [(array: NodePath, sources: [Int: Int])] {
        let before = root.node
        var after = before
        for operation in operations {
            do { try Patch([operation]).apply(to: &after) } catch { return [] }
        }
        var found: [(array: NodePath, sources: [Int: Int])] = []
        let paths = RandomRecording.paths(in: before).sorted { $0.components.count < $1.components.count }
        for path in paths where !found.contains(where: { $0.array.contains(path) }) {
            guard case .array(let olds)? = before[path], case .array(let news)? = after[path] else { continue }
            var changed: Set<Int> = []
            var isWhole = operations.contains { Self.shiftsElements($0, around: path) }
            for operation in operations where operation.path.contains(path) || path.contains(operation.path) {
                let rest = operation.path.components.dropFirst(path.components.count)
                if rest.isEmpty { isWhole = true }
                if let index = rest.first.flatMap({ Int($0) }) { changed.insert(index) }
            }
            guard !isWhole, changed.count > 1, olds.count == news.count, Self.tells(operations, path) else { continue }
            var sources: [Int: Int] = [:]
            for index in changed where olds[index] == news[index] { sources[index] = index }
            var isElsewhere = false
            for after in changed.sorted() where sources[after] == nil {
                let before = changed.sorted().first { before in
                    olds[before] == news[after] && !sources.values.contains(before)
                        && !RandomRecording.isLeaf(news[after])
                }
                guard let before else { continue }
                sources[after] = before
                isElsewhere = true
            }
            guard isElsewhere else { continue }
            for index in changed.sorted() where sources[index] == nil && !sources.values.contains(index) {
                sources[index] = index
            }
            for index in changed.sorted() where sources[index] == nil {
                sources[index] = changed.sorted().first { !sources.values.contains($0) }
            }
            operations.removeAll { path.contains($0.path) }
            for (after, before) in sources.sorted(by: { $0.key < $1.key }) where olds[before] != news[after] {
                operations += Patch(from: olds[before], to: news[after]).operations.compactMap {
                    let place = NodePath(path.components + [String(before)] + $0.path.components)
                    return Patch.Operation($0.kind, at: place, $0.change)
                }
            }
            found.append((path, sources))
        }
        return found
    }

    /// Whether an operation adds or removes a single element of an array, or of one around it.
    private static func shiftsElements(_ operation: Patch.Operation, around array: NodePath) -> Bool {
        switch operation {
        case .add(let path, _, _), .remove(let path, _, _):
            guard let name = path.components.last, Int(name) != nil else { return false }
            return NodePath(Array(path.components.dropLast())).contains(array)
        default: return false
        }
    }

    /// Whether a value inside an element becomes what it was in another one.
    private static func tells(_ operations: [Patch.Operation], _ array: NodePath) -> Bool {
        let depth = array.components.count + 1
        return operations.contains { one in
            guard case .replace(let path, let old, _) = one, array.contains(path), path.components.count >= depth else {
                return false
            }
            return operations.contains { other in
                guard case .replace(let place, _, let new) = other, array.contains(place), old == new,
                    place.components.count == path.components.count,
                    place.components[depth - 1] != path.components[depth - 1],
                    isContainer(new) || place.components.count > depth
                else { return false }
                return NodePath(Array(place.components[depth...])) == NodePath(Array(path.components[depth...]))
            }
        }
    }

    /// A replaced container is changed only where it differs, if a comparison finds smaller changes.
    private static func refined(_ operation: Patch.Operation) -> [Patch.Operation] {
        guard case .replace(let path, let old, let new) = operation, isContainer(old), isContainer(new) else {
            return [operation]
        }
        let finer = Patch(from: old, to: new).operations
        if finer.count == 1, finer[0].path.isRoot, finer[0].name == "replace" { return [operation] }
        return finer.compactMap {
            Patch.Operation($0.kind, at: NodePath(path.components + $0.path.components), $0.change)
        }
    }

    private static func isContainer(_ node: Node) -> Bool {
        switch node {
        case .array, .object: true
        default: false
        }
    }

    /// The numbers of the elements that splices remove, and for each inserted element, the number of the removed one
    /// that it is.
    private static func moves(_ operations: [Patch.Operation]) -> (numbers: [[Int]], sources: [[Int?]]) {
        var removed: [(array: NodePath, node: Node, isUsed: Bool)] = []
        var numbers: [[Int]] = []
        for operation in operations {
            guard case .splice(let path, _, let remove, _) = operation else {
                numbers.append([])
                continue
            }
            numbers.append(remove.indices.map { removed.count + $0 })
            removed += remove.map { (path, $0, false) }
        }
        let sources = operations.map { operation -> [Int?] in
            guard case .splice(let path, _, _, let insert) = operation else { return [] }
            return insert.map { node in
                let isFull: Bool
                switch node {
                case .array(let elements): isFull = !elements.isEmpty
                case .object(let members): isFull = !members.isEmpty
                default: isFull = false
                }
                let source = removed.firstIndex { !$0.isUsed && $0.node == node && (isFull || $0.array == path) }
                if let source { removed[source].isUsed = true }
                return source
            }
        }
        return (numbers, sources)
    }

    private func apply(
        _ operation: Patch.Operation,
        _ index: Int,
        _ numbers: [[Int]],
        _ sources: [[Int?]],
        _ origin: ChangeOrigin
    ) {
        let names = operation.path.components
        switch operation {
        case .replace(_, _, let new):
            if let value = root.value(at: names) { overwrite(value, new, origin) }
        case .edit(_, _, let remove, let insert):
            guard let value = root.value(at: names) else { return }
            var node = value.leaf
            _ = operation.applied(to: &node)
            value.leaf = node
            if remove != insert { set(value, origin) }
        case .add(_, let new, let at):
            guard let container = root.value(at: names.dropLast()), let name = names.last else { return }
            if case .array = container.leaf {
                container.elements.insert(Value(new, origin), at: Int(name) ?? 0)
            } else {
                container.members.insert((name, Value(new, origin)), at: min(at ?? .max, container.members.count))
            }
        case .remove:
            guard let container = root.value(at: names.dropLast()), let name = names.last else { return }
            if case .array = container.leaf {
                container.elements.remove(at: Int(name) ?? 0)
            } else {
                container.members.removeAll { ScalarKey($0.key) == ScalarKey(name) }
            }
            if container.isLeaf { set(container, origin) }
        case .splice(_, let at, let remove, let insert):
            guard let array = root.value(at: names) else { return }
            let gone = Array(array.elements[at..<at + remove.count])
            array.elements.removeSubrange(at..<at + remove.count)
            for (number, value) in zip(numbers[index], gone) { leave(value, number) }
            let new = zip(insert, sources[index]).map { node, source in inserted(node, source, origin) }
            array.elements.insert(contentsOf: new, at: at)
            if array.isLeaf, !remove.isEmpty { set(array, origin) }
        }
    }

    private func set(_ value: Value, _ origin: ChangeOrigin) {
        value.origin = origin
        value.awaited = nil
    }

    /// Keeps a removed element, and gives its origins to an equal one that was inserted before.
    private func leave(_ gone: Value, _ number: Int) {
        removed[number] = gone
        for (_, value) in root.all() where value.awaited?.element == number {
            guard let path = value.awaited?.path, let source = gone.value(at: path.components) else { continue }
            (value.origin, value.awaited) = (source.origin, source.awaited)
            value.identity = source.who
        }
    }

    private func inserted(_ node: Node, _ source: Int?, _ origin: ChangeOrigin) -> Value {
        guard let source else { return Value(node, origin) }
        if let gone = removed[source] { return gone }
        let value = Value(node, origin)
        for (path, inner) in value.all() { inner.awaited = (source, path) }
        return value
    }

    /// Replaces a value. What is the same at the same place keeps its origin.
    private func overwrite(_ value: Value, _ new: Node, _ origin: ChangeOrigin) {
        let old = Value(value.leaf, value.origin)
        (old.elements, old.members) = (value.elements, value.members)
        let isSame = old.isLeaf && old.node == new
        if isSame { return }
        value.elements = []
        value.members = []
        switch new {
        case .array(let nodes):
            value.leaf = []
            for (index, node) in nodes.enumerated() {
                value.elements.append(merged(old.child(String(index)), node, origin))
            }
        case .object(let nodes):
            value.leaf = [:]
            for member in nodes {
                value.members.append((member.key, merged(old.child(member.key), member.value, origin)))
            }
        default: value.leaf = new
        }
        if value.isLeaf { set(value, origin) }
    }

    private func merged(_ old: Value?, _ new: Node, _ origin: ChangeOrigin) -> Value {
        guard let old else { return Value(new, origin) }
        overwrite(old, new, origin)
        return old
    }
}

extension Patch.Operation {
    /// Applies an edit to the value itself.
    fileprivate func applied(to node: inout Node) -> Bool {
        guard let operation = Patch.Operation(kind, at: NodePath(), change) else { return false }
        do {
            try Patch([operation]).apply(to: &node)
            return true
        } catch {
            return false
        }
    }
}
