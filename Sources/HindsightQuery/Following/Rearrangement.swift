import HindsightTree

/// Elements of an array that changed places, although the patch changes them one by one.
///
/// A recorder that finds as many elements before and after compares them pair by pair, so that moving an element is
/// written as changes inside of it and of those that it passes. If an object or an array then has exactly the content
/// that another changed element had before, and one of the changed values tells so, it is that element.
struct Rearrangement {
    let array: NodePath
    /// For the index of a changed element after the patch: its index before, where they differ.
    let sources: [Int: Int]

    /// Finds the rearrangements of a patch.
    ///
    /// - Parameters:
    ///   - operations: The patch. In it, the changes of elements that changed places become what else changed in them,
    ///     which applies before they do.
    ///   - isFollowed: Whether anything is followed in the array at a path.
    ///   - before: Reads the state before the patch. Called only if the patch may have moved elements.
    static func take<Failure>(
        from operations: inout [Patch.Operation],
        in isFollowed: (NodePath) -> Bool,
        before: () throws(Failure) -> Node
    ) throws(Failure) -> [Rearrangement] {
        guard operations.count > 1 else { return [] }
        let arrays = changedElements(operations).filter { isFollowed($0.array) && mayRearrange($0.array, $0.changes) }
        guard !arrays.isEmpty else { return [] }
        let old = try before()
        var new = old
        // A patch that does not fit the state rearranges nothing that is known.
        guard (try? Patch(operations).apply(to: &new)) != nil else { return [] }
        var found: [Rearrangement] = []
        for (array, changes) in arrays where !found.contains(where: { $0.array.contains(array) }) {
            guard case .array(let olds)? = old[array], case .array(let news)? = new[array], olds.count == news.count,
                let sources = sources(changes.keys.sorted(), olds, news)
            else { continue }
            operations.removeAll { array.contains($0.path) }
            for (after, before) in sources.sorted(by: { $0.key < $1.key }) where olds[before] != news[after] {
                let path = array.appending(String(before))
                operations += Patch(from: olds[before], to: news[after]).operations.map { $0.prefixed(by: path) }
            }
            found.append(Rearrangement(array: array, sources: sources.filter { $0.key != $0.value }))
        }
        return found
    }

    /// The arrays of which a patch changes several elements, and changes nothing else; outer ones first. `changes` has the
    /// operations by index.
    private static func changedElements(
        _ operations: [Patch.Operation]
    ) -> [(array: NodePath, changes: [Int: [Patch.Operation]])] {
        var changes: [NodePath: [Int: [Patch.Operation]]] = [:]
        for operation in operations {
            let names = operation.path.components
            for (depth, name) in names.enumerated() {
                guard let index = Place.index(name) else { continue }
                changes[NodePath(Array(names[..<depth])), default: [:]][index, default: []].append(operation)
            }
        }
        let regions = Set(operations.map(\.region))
        let candidates = changes.filter { array, elements in
            // What changes the whole array, or adds or removes an element of it or of an array around it.
            elements.count > 1 && !regions.contains(array) && !array.ancestors.contains(where: regions.contains)
        }
        return candidates.map { (array: $0.key, changes: $0.value) }
            .sorted { $0.array.components.count < $1.array.components.count }
    }

    /// Whether a value in some element becomes what it was in another one, as when elements change places.
    private static func mayRearrange(_ array: NodePath, _ changes: [Int: [Patch.Operation]]) -> Bool {
        struct Value: Hashable {
            var path: NodePath
            var value: Node
        }
        let depth = array.components.count + 1
        func values(_ value: (Patch.Operation.Change) -> Node?) -> [(index: Int, value: Value)] {
            changes.flatMap { index, operations in
                operations.compactMap { operation in
                    let path = NodePath(Array(operation.path.components.dropFirst(depth)))
                    guard case .replace = operation, let value = value(operation.change) else { return nil }
                    // Single values do not move.
                    return path.isRoot && !value.isContainer ? nil : (index, Value(path: path, value: value))
                }
            }
        }
        var olds: [Value: Set<Int>] = [:]
        for (index, value) in values(\.old) { olds[value, default: []].insert(index) }
        return values(\.new).contains { index, value in
            olds[value].map { $0.count > 1 || !$0.contains(index) } ?? false
        }
    }

    /// For each changed element after the patch: its index before; `nil` if none is elsewhere.
    private static func sources(_ changed: [Int], _ olds: [Node], _ news: [Node]) -> [Int: Int]? {
        guard let last = changed.last, last < olds.count else { return nil }
        var sources: [Int: Int] = [:]
        var free = Set(changed)
        for index in changed where olds[index] == news[index] {
            sources[index] = index
            free.remove(index)
        }
        var places: [Node: [Int]] = [:]
        for index in changed.reversed() where free.contains(index) && olds[index].hasContent {
            places[olds[index], default: []].append(index)
        }
        var isElsewhere = false
        for index in changed where sources[index] == nil {
            guard let before = places[news[index]]?.popLast() else { continue }
            sources[index] = before
            free.remove(before)
            isElsewhere = true
        }
        guard isElsewhere else { return nil }
        for index in changed where sources[index] == nil && free.contains(index) {
            sources[index] = index
            free.remove(index)
        }
        var rest = free.sorted()[...]
        for index in changed where sources[index] == nil { sources[index] = rest.popFirst() }
        return sources
    }
}

extension Node {
    /// Whether this is an object or an array with something in it.
    var hasContent: Bool {
        switch self {
        case .array(let elements): !elements.isEmpty
        case .object(let members): !members.isEmpty
        default: false
        }
    }
}
