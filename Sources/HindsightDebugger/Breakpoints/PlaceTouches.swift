import HindsightQuery
import HindsightTree

/// Says where many watched places change, from the operations of one pass over the actions.
///
/// Where the operations alone do not tell, such as for elements of an array that move, or for a place that one reducer
/// writes twice, it names the place as unsure, and its changes are to be found from states.
struct PlaceTouches {
    /// The positions at which each place changes, in order. Of no use for those that are unsure.
    private(set) var positions: [Int: [Recording.Position]] = [:]
    private(set) var unsure: Set<Int> = []
    private var tree = PlaceIndex()
    /// The places that the present step has touched, and whether it changed them.
    private var touched: [Int: Bool] = [:]

    init(_ places: [(place: Int, path: NodePath)]) {
        for (place, path) in places { tree.insert(place, at: path) }
    }

    /// Reads what the reducers did in an action.
    ///
    /// - Parameter isCertain: Whether the changes of the action are recorded one by one.
    mutating func read(_ steps: [TimedPatch], seq: Int, isCertain: Bool) {
        // Those of time travel have no reducer.
        let isTravel = steps.first.map { $0.duration == nil } ?? false
        for (index, step) in steps.enumerated() where !step.patch.isEmpty {
            touched.removeAll(keepingCapacity: true)
            for operation in step.patch.operations { read(operation) }
            if !isCertain || isTravel && steps.count > 1 { unsure.formUnion(touched.keys) }
            let position = Recording.Position(seq: seq, reducer: isTravel ? nil : index + 1)
            for (place, isChanged) in touched where isChanged { positions[place, default: []].append(position) }
        }
    }

    private mutating func read(_ operation: Patch.Operation) {
        let path = operation.path
        var node = 0
        for (depth, component) in path.components.enumerated() {
            // A place around the operation.
            if let place = tree.nodes[node].place { touch(place, changes(operation)) }
            let isElement = depth == path.components.count - 1 && component.utf8.allSatisfy { (48...57).contains($0) }
            if isElement, operation.kind == .add || operation.kind == .remove {
                // It may move the elements after it.
                for child in tree.nodes[node].children.values { doubt(child) }
                return
            }
            guard let child = tree.nodes[node].children[ScalarKey(component)] else { return }
            node = child
        }
        switch operation {
        case .add(_, let new, _): compare(node, nil, new)
        case .remove(_, let old, _): compare(node, old, nil)
        case .replace(_, let old, let new): compare(node, old, new)
        case .splice, .edit: doubt(node)
        }
    }

    /// Whether an operation changes what is around it; `nil` if it does not tell.
    private func changes(_ operation: Patch.Operation) -> Bool? {
        switch operation {
        case .add, .remove: true
        case .replace(_, let old, let new): old != new
        case .splice, .edit: nil
        }
    }

    private mutating func touch(_ place: Int, _ isChanged: Bool?) {
        guard let isChanged, touched.updateValue(isChanged, forKey: place) == nil else {
            unsure.insert(place)
            return
        }
    }

    /// Makes a place and those inside it unsure.
    private mutating func doubt(_ node: Int) {
        let entry = tree.take(node)
        if let place = entry.place { unsure.insert(place) }
        for child in entry.children.values { doubt(child) }
    }

    /// Compares the values at a place, and at those inside it.
    private mutating func compare(_ node: Int, _ old: Node?, _ new: Node?) {
        if let place = tree.nodes[node].place { touch(place, old != new) }
        let children = tree.nodes[node].children
        if children.isEmpty || old == nil && new == nil { return }
        let (left, right) = (PlaceIndex.Members(old, children), PlaceIndex.Members(new, children))
        for (key, child) in children { compare(child, left[key], right[key]) }
    }
}

/// Places by the components of their paths.
private struct PlaceIndex {
    struct Entry {
        var place: Int?
        var children: [ScalarKey: Int] = [:]
    }

    /// The first one is the whole state.
    private(set) var nodes = [Entry()]

    mutating func insert(_ place: Int, at path: NodePath) {
        var node = 0
        for component in path.components {
            let key = ScalarKey(component)
            if let child = nodes[node].children[key] {
                node = child
            } else {
                nodes.append(Entry())
                nodes[node].children[key] = nodes.count - 1
                node = nodes.count - 1
            }
        }
        nodes[node].place = place
    }

    /// Empties an entry: nothing more is asked of it.
    mutating func take(_ node: Int) -> Entry {
        defer { nodes[node] = Entry() }
        return nodes[node]
    }

    /// The members of a value that are asked for.
    struct Members {
        private let value: Node?
        /// Those of an object, if many are asked for: otherwise each would be looked for among all.
        private var known: [ScalarKey: Node]?

        init(_ value: Node?, _ wanted: [ScalarKey: Int]) {
            self.value = value
            guard wanted.count > 8, case .object(let members)? = value else { return }
            var known: [ScalarKey: Node] = [:]
            for member in members {
                let key = ScalarKey(member.key)
                if wanted[key] != nil { known[key] = member.value }
            }
            self.known = known
        }

        subscript(key: ScalarKey) -> Node? {
            if let known { return known[key] }
            return value?[NodePath([key.key])]
        }
    }
}
