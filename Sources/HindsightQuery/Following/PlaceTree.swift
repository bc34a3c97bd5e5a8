import HindsightTree

/// Followed places of a state, while patches are undone.
///
/// Undoing a patch moves the places to where they were before, and tells which of them the patch has changed.
final class PlaceTree {
    /// What a patch did to a followed place.
    enum Change {
        /// The patch created the value. The place is not followed any further.
        case set
        /// It changed something inside the value. Only for values that are followed as a whole.
        case inside(Patch.Operation)
        /// It replaced the value. Only for values that are followed as a whole.
        case replaced(old: Node)
    }

    let root: Place
    /// Whether the followed places may be containers, and changes inside them are told instead of ending them.
    let followsWholes: Bool
    /// The paths and values of the followed places when they were added. A place's number is its index.
    private(set) var leaves: [(path: NodePath, value: Node)] = []
    private var places: [Place] = []
    /// The changes by what was undone last, the last first.
    private(set) var changes: [(leaf: Int, change: Change)] = []
    /// The places that what was undone last has moved, without those of ``shifted``.
    private(set) var moved: [Place] = []
    /// The arrays in which what was undone last has moved elements by inserting or removing others, and the index from
    /// which on it did.
    private(set) var shifted: [(array: Place, start: Int)] = []

    private var moves = ElementMoves([])
    /// Places of inserted elements whose removal, earlier in the patch, was not undone yet.
    private var pending: [ElementMoves.Element: Place] = [:]
    /// Places of removed elements whose insertion, earlier in the patch, was not undone yet.
    private var vacancies: [ElementMoves.Element: Place] = [:]
    /// Containers in which perhaps nothing is followed any more. They stay until the whole patch is undone, because a
    /// place may come back.
    private var touched: [Place] = []

    /// - Parameters:
    ///   - state: The whole state.
    ///   - paths: The places to follow: each as a whole, or each single value and empty container inside them.
    init(of state: Node, following paths: [NodePath], asWholes followsWholes: Bool) {
        self.followsWholes = followsWholes
        root = Place(.unknown)
        for path in paths { add(path, state) }
    }

    /// Whether no place is followed any more.
    var isEmpty: Bool { !root.isLeaf && !root.hasChildren }

    private func add(_ path: NodePath, _ state: Node) {
        guard state[path] != nil else { return }
        var (place, node) = (root, state)
        for (depth, name) in path.components.enumerated() {
            if place.isLeaf { return }
            place.content = Self.content(of: node)
            guard let part = node.part(name) else { return }
            node = part
            place = place.child(name) ?? place.makeChild(name)
            if depth == path.components.count - 1, place.isLeaf || place.hasChildren { return }
        }
        fill(place, node, path)
    }

    private static func content(of node: Node) -> Place.Content { if case .array = node { .array } else { .object } }

    private func fill(_ place: Place, _ node: Node, _ path: NodePath) {
        guard node.hasContent, !followsWholes else {
            place.content = .leaf(leaves.count)
            leaves.append((path, node))
            places.append(place)
            return
        }
        place.content = Self.content(of: node)
        for (name, value) in node.children { fill(place.makeChild(name), value, path.appending(name)) }
    }

    /// Where a followed place is now.
    func path(ofLeaf leaf: Int) -> NodePath { places[leaf].path }

    // MARK: Undoing

    /// Undoes a patch.
    ///
    /// - Parameter before: Reads the state before the patch. Called only if the patch may have moved elements without
    ///   saying so.
    func undo<Failure>(_ operations: [Patch.Operation], before: () throws(Failure) -> Node) throws(Failure) {
        (changes, moved, shifted, touched, pending, vacancies) = ([], [], [], [], [:], [:])
        var operations = operations.flatMap(\.refined)
        let rearrangements = try Rearrangement.take(from: &operations, in: hasFollowedElements, before: before)
        for rearrangement in rearrangements {
            guard let (place, _) = find(rearrangement.array.components[...], below: root) else { continue }
            moved += place.moveElements(rearrangement.sources)
        }
        moves = ElementMoves(operations)
        for (number, operation) in operations.enumerated().reversed() { undo(operation, number, below: root) }
        for place in pending.values { end(place) }
        for place in vacancies.values { remove(place) }
        for place in touched { prune(place) }
    }

    /// Whether places are followed in the array at a path.
    private func hasFollowedElements(_ path: NodePath) -> Bool {
        guard let (place, depth) = find(path.components[...], below: root) else { return false }
        return place.isArray && depth == path.components.count
    }

    /// - Parameters:
    ///   - number: The index of the operation in the patch; `nil` if its elements do not move.
    ///   - top: The place that the operation's path starts from.
    private func undo(_ operation: Patch.Operation, _ number: Int?, below top: Place) {
        let names = operation.path.components.dropLast([.add, .remove].contains(operation.kind) ? 1 : 0)
        guard let (place, depth) = find(names, below: top) else {
            if let number { makeVacancies(operation, number) }
            return
        }
        if place.isVacant {
            place.undone.append(operation.dropping(depth))
            return
        }
        if case .leaf(let leaf) = place.content { return undo(operation, number, at: place, leaf, depth) }
        switch operation {
        case .replace(_, let old, let new): restore(place, old, new)
        case .edit: break
        case .add(let path, _, _): undoAdding(path.components.last ?? "", to: place)
        case .remove(let path, _, _):
            guard place.isArray, let index = Place.index(path.components.last ?? "") else { return }
            _ = takeElements(index..<index, of: place, movingOthersBy: 1)
        case .splice(_, let at, let remove, let insert):
            undoSplice(of: place, at, remove.count, insert.count, number)
        }
    }

    /// The place with a path, or the followed or vacant one around it; and the number of names that lead there.
    private func find(_ names: ArraySlice<String>, below top: Place) -> (place: Place, depth: Int)? {
        var (place, depth) = (top, 0)
        for name in names {
            if place.isLeaf || place.isVacant { break }
            guard let child = place.child(name) else { return nil }
            place = child
            depth += 1
        }
        return (place, depth)
    }

    private func undo(_ operation: Patch.Operation, _ number: Int?, at place: Place, _ leaf: Int, _ depth: Int) {
        let isInside = operation.path.components.count > depth
        if case .replace(_, let old, let new) = operation, !isInside { return restore(place, old, new) }
        if followsWholes { return changes.append((leaf, .inside(operation.dropping(depth)))) }
        // The value is a text, or a container that is empty since.
        switch operation {
        case .edit(_, _, let remove, let insert): if remove != insert { end(place) }
        case .splice(_, _, let remove, let insert):
            if remove == insert { return }
            end(place)
            // What left the array that is empty since may be followed elsewhere.
            if let number, !isInside { makeVacancies(operation, number) }
        case .add, .remove, .replace: end(place)
        }
    }

    /// Undoes a replacement of the value at a place.
    private func restore(_ place: Place, _ old: Node?, _ new: Node?) {
        switch place.content {
        case .leaf(let leaf):
            if let old, old == new { return }
            if followsWholes, let old { changes.append((leaf, .replaced(old: old))) } else { end(place) }
        case .vacant:
            if let old, let new, old != new { place.undone.append(.replace(path: NodePath(), old: old, new: new)) }
        case .array:
            for child in place.elements { restore(child, old?.part("\(child.index)"), new?.part("\(child.index)")) }
            if case .object? = old { place.becomeObject() }
        case .object, .unknown:
            for child in place.members.values { restore(child, old?.part(child.name), new?.part(child.name)) }
            if case .array? = old { place.becomeArray() }
        }
    }

    private func undoAdding(_ name: String, to place: Place) {
        guard place.isArray else {
            if let child = place.child(name) { end(child) }
            return
        }
        guard let index = Place.index(name) else { return }
        for child in takeElements(index..<index + 1, of: place, movingOthersBy: -1) { end(child) }
        touched.append(place)
    }

    // MARK: Splices

    /// Takes out elements of an array, and notes that it moves those behind them.
    private func takeElements(_ range: Range<Int>, of array: Place, movingOthersBy shift: Int) -> [Place] {
        let (taken, others) = array.takeElements(range, movingOthersBy: shift)
        guard others else { return taken }
        if let last = shifted.last, last.array === array {
            shifted[shifted.count - 1].start = min(last.start, range.lowerBound)
        } else {
            shifted.append((array, range.lowerBound))
        }
        return taken
    }

    private func undoSplice(of place: Place, _ at: Int, _ removed: Int, _ inserted: Int, _ number: Int?) {
        place.becomeArray()
        guard place.isArray, at < Place.maxElements else { return }
        let taken = takeElements(at..<at + inserted, of: place, movingOthersBy: removed - inserted)
        if let number {
            for offset in 0..<removed {
                let element = ElementMoves.Element(operation: number, offset: offset)
                guard let target = moves.targets[element] else { continue }
                let source = pending.removeValue(forKey: element)
                // Nothing is followed in it if its insertion, later in the patch, was undone already.
                if source == nil, target.operation > number { continue }
                let child = source ?? Place(.vacant)
                child.index = at + offset
                place.attach(child)
                if source == nil { vacancies[element] = child } else { moved.append(child) }
            }
        }
        for child in taken {
            let offset = child.index - at
            let source = number.flatMap { moves.sources[ElementMoves.Element(operation: $0, offset: offset)] }
            if let source { put(child, backTo: source) } else { end(child) }
        }
        touched.append(place)
    }

    /// Puts an inserted element's place where the element was removed.
    private func put(_ child: Place, backTo source: ElementMoves.Element) {
        guard let vacancy = vacancies.removeValue(forKey: source), let parent = vacancy.parent else {
            // If the removal was undone already, and what it removed came in the same patch, this waits in vain.
            pending[source] = child
            return
        }
        (child.name, child.index) = (vacancy.name, vacancy.index)
        vacancy.parent = nil
        parent.attach(child)
        moved.append(child)
        for operation in vacancy.undone { undo(operation, nil, below: child) }
    }

    /// Makes places for removed elements that come back in an array in which nothing is followed.
    private func makeVacancies(_ operation: Patch.Operation, _ number: Int) {
        guard case .splice(let path, let at, let remove, let insert) = operation else { return }
        let elements = remove.indices.map { ElementMoves.Element(operation: number, offset: $0) }
        guard elements.contains(where: { moves.targets[$0] != nil }) else { return }
        var place = root
        var created: Place?
        for name in path.components {
            if place.isLeaf || place.isVacant { return }
            if let child = place.child(name) {
                place = child
            } else {
                place = place.makeChild(name)
                // The walk must notice what happens to the new containers, too.
                created = created ?? place
            }
        }
        if let created { moved.append(created) }
        undoSplice(of: place, at, remove.count, insert.count, number)
    }

    // MARK: Ending

    /// Stops following a place and all inside it, which the patch has set.
    private func end(_ place: Place) {
        let parent = place.parent
        parent?.detach(place)
        gatherEnd(place)
        if place === root { root.content = .unknown }
        if let parent { touched.append(parent) }
    }

    private func gatherEnd(_ place: Place) {
        place.generation += 1
        if case .leaf(let leaf) = place.content { changes.append((leaf, .set)) }
        for child in place.children { gatherEnd(child) }
    }

    private func remove(_ place: Place) {
        guard place.isVacant, let parent = place.parent else { return }
        parent.detach(place)
        touched.append(parent)
    }

    /// Removes containers in which nothing is followed.
    private func prune(_ place: Place) {
        var place = place
        while !place.isLeaf, !place.isVacant, !place.hasChildren, let parent = place.parent {
            place.generation += 1
            parent.detach(place)
            place = parent
        }
    }
}
