import HindsightTree

/// A set of places, such as those at which two states differ, as a tree of their names. No place is inside another one.
struct DifferingPlaces {
    /// Whether this is a place itself.
    private(set) var isRoot = false
    private var children: [ScalarKey: DifferingPlaces] = [:]

    /// Whether there is no place.
    var isEmpty: Bool { !isRoot && children.isEmpty }

    /// The part below a name.
    subscript(name: String) -> DifferingPlaces? { children[ScalarKey(name)] }

    init(_ paths: [NodePath] = []) {
        for path in paths { insert(path.components[...]) }
    }

    /// Whether a path is one of the places or inside one.
    func covers(_ path: NodePath) -> Bool { covers(path.components[...]) }

    private func covers(_ names: ArraySlice<String>) -> Bool {
        if isRoot { return true }
        guard let name = names.first, let child = children[ScalarKey(name)] else { return false }
        return child.covers(names.dropFirst())
    }

    /// Adds a place, unless it is inside one. Costs its length.
    private mutating func insert(_ names: ArraySlice<String>) {
        if isRoot { return }
        guard let name = names.first else {
            self = DifferingPlaces()
            isRoot = true
            return
        }
        children[ScalarKey(name), default: DifferingPlaces()].insert(names.dropFirst())
    }

    /// Removes a place and all inside it. Costs its length.
    private mutating func remove(_ names: ArraySlice<String>) {
        guard let name = names.first else {
            self = DifferingPlaces()
            return
        }
        let key = ScalarKey(name)
        children[key]?.remove(names.dropFirst())
        if children[key]?.isEmpty == true { children[key] = nil }
    }

    /// All places, in no order.
    var paths: [NodePath] {
        if isRoot { return [NodePath()] }
        return children.flatMap { name, child in child.paths.map { NodePath([name.key] + $0.components) } }
    }

    /// Compares two states again where operations changed them, and keeps the set up to date. Costs what changed.
    ///
    /// - Parameters:
    ///   - touched: The changed places of both; see ``places(touchedBy:in:)``.
    ///   - left: The recorded state after the change.
    ///   - right: Today's state after the change.
    /// - Returns: The places that differ now and did not before, in no order.
    mutating func update(
        _ touched: [NodePath],
        _ left: Node,
        _ right: Node,
        by comparison: inout StateComparison
    ) throws -> [NodePath] {
        var new: [NodePath] = []
        for place in touched {
            // A difference around the place stays: the change is inside it.
            if !place.isRoot, covers(place.components.dropLast()) { continue }
            let found = try comparison.differingPlaces(left[place], right[place], at: place)
            new += found.filter { !covers($0) }
            remove(place.components[...])
            for path in found { insert(path.components[...]) }
        }
        return new
    }

    /// The places that operations changed, none inside another one.
    ///
    /// - Parameter states: The states after the operations.
    static func places(touchedBy operations: [Patch.Operation], in states: [Node]) -> [NodePath] {
        let paths = operations.map { operation in
            // Elements after one that came or went have moved.
            guard [.add, .remove].contains(operation.kind), !operation.path.isRoot else { return operation.path }
            let container = NodePath(Array(operation.path.components.dropLast()))
            let isArray = states.contains { if case .array? = $0[container] { true } else { false } }
            return isArray ? container : operation.path
        }
        if paths.count < 2 { return paths }
        var seen = DifferingPlaces()
        return paths.sorted { $0.components.count < $1.components.count }.filter { path in
            if seen.covers(path) { return false }
            seen.insert(path.components[...])
            return true
        }
    }
}
