import HindsightTree

/// Finds the places at which a patch makes a text appear: those that match after it, and did not match before, where a
/// place is followed through insertions and removals in arrays.
struct NewMatches {
    let pattern: TextPattern

    /// The new matches of a patch.
    ///
    /// Most changes say all by themselves. The state before them is read only for edits of texts, for elements whose
    /// container may be an object, and for operations that depend on one another.
    ///
    /// - Parameter before: Reads the state before the patch.
    func matches(of patch: Patch, before: () throws -> Node) throws -> [NodeMatch] {
        let operations = patch.operations.filter(mayMatch)
        if operations.isEmpty { return [] }
        guard patch.operations.count == 1 || areIndependent(patch.operations) else {
            return matches(of: patch, on: try before())
        }
        var found: [NodeMatch] = []
        for operation in operations {
            switch operation {
            case .add(let path, let value, _):
                if let name = path.components.last, pattern.matches(name) {
                    // If the name is a number, only the state says whether it is an index.
                    if name.isIndex { return matches(of: patch, on: try before()) }
                    let place = NodeMatch.Place(path: path, isName: true)
                    found.append(NodeMatch(place: place, value: .string(name)))
                }
                found += pattern.matches(in: value, at: path)
            case .remove:
                break
            case .replace(let path, let old, let new):
                let known = Set(pattern.matches(in: old, at: path).map(\.place))
                found += pattern.matches(in: new, at: path).filter { !known.contains($0.place) }
            case .splice(let path, let at, _, let insert):
                for (offset, element) in insert.enumerated() {
                    found += pattern.matches(in: element, at: path.appending(String(at &+ offset)))
                }
            case .edit(let path, _, _, _):
                guard case .string(let old)? = try before()[path], !pattern.matches(old) else { continue }
                var new = Node.string(old)
                let edits = patch.operations.filter { $0.path == path }.map { edit in
                    Patch.Operation(edit.kind, at: NodePath(), edit.change) ?? edit
                }
                Patch(edits).applyLeniently(to: &new)
                guard pattern.matches(new), !found.contains(where: { $0.place.path == path }) else { continue }
                found.append(NodeMatch(place: NodeMatch.Place(path: path, isName: false), value: new))
            }
        }
        return found
    }

    /// The new matches of any patch, from whole states.
    private func matches(of patch: Patch, on before: Node) -> [NodeMatch] {
        var state = before
        var known = Set(pattern.matches(in: state).map(\.place))
        for operation in patch.operations {
            known = Set(known.compactMap { operation.moving($0, in: state) })
            Patch([operation]).applyLeniently(to: &state)
        }
        return pattern.matches(in: state).filter { !known.contains($0.place) }
    }

    /// Whether an operation may make a match appear. `false` is certain.
    private func mayMatch(_ operation: Patch.Operation) -> Bool {
        switch operation {
        case .add, .replace, .splice: true
        case .remove: false
        case .edit(_, _, _, .string(let insert)): pattern.mayAppear(byInserting: insert)
        case .edit: false
        }
    }

    /// Whether no operation changes what another one changes, or where it is. Edits of one text may.
    private func areIndependent(_ operations: [Patch.Operation]) -> Bool {
        // A patch of a thousand operations is rare, and comparing whole states then costs less than all pairs.
        guard operations.count <= 64 else { return false }
        for (index, operation) in operations.enumerated() {
            for other in operations[(index + 1)...] where operation.isConnected(with: other) { return false }
        }
        return true
    }
}

extension Patch.Operation {
    /// The path of what the operation changes or moves: of an array, if it may move the array's elements.
    private var affected: NodePath {
        switch self {
        case .add(let path, _, _), .remove(let path, _, _):
            path.components.last.map(\.isIndex) == true ? NodePath(Array(path.components.dropLast())) : path
        case .replace(let path, _, _), .splice(let path, _, _, _), .edit(let path, _, _, _): path
        }
    }

    fileprivate func isConnected(with other: Patch.Operation) -> Bool {
        if case .edit = self, case .edit = other { return false }
        return affected.contains(other.affected) || other.affected.contains(affected)
    }

    /// Where a place is after the operation; `nil` if it is removed.
    ///
    /// - Parameter state: The state before the operation.
    fileprivate func moving(_ place: NodeMatch.Place, in state: Node) -> NodeMatch.Place? {
        switch self {
        case .replace, .edit:
            return place
        case .splice(let path, let at, let remove, let insert):
            return place.moved(in: path, at: at, removing: remove.count, inserting: insert.count)
        case .add(let path, _, _), .remove(let path, _, _):
            guard let name = path.components.last else { return place }
            let container = NodePath(Array(path.components.dropLast()))
            let isRemoval = if case .remove = self { true } else { false }
            guard case .array(let elements)? = state[container] else {
                return isRemoval && path.contains(place.path) ? nil : place
            }
            let index = Int(name) ?? elements.count
            return place.moved(in: container, at: index, removing: isRemoval ? 1 : 0, inserting: isRemoval ? 0 : 1)
        }
    }
}

extension NodeMatch.Place {
    /// Where the place is after a change of an array's elements; `nil` if it is removed.
    fileprivate func moved(in array: NodePath, at start: Int, removing: Int, inserting: Int) -> Self? {
        let depth = array.components.count
        guard array.contains(path), path.components.count > depth, let index = Int(path.components[depth]),
            index >= start
        else { return self }
        if index - start < removing { return nil }
        var moved = self
        moved.path.components[depth] = String(index - removing + inserting)
        return moved
    }
}

extension String {
    /// Whether this may be the index of an element.
    fileprivate var isIndex: Bool {
        self == "-" || utf8.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
    }
}
