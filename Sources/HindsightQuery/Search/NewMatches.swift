import HindsightTree

/// Finds the places at which a patch makes a text appear: those that match after it, and did not match before, where a
/// place is followed through insertions and removals in arrays.
struct NewMatches {
    let pattern: TextPattern
    private var texts: EditedTexts

    init(_ pattern: TextPattern) {
        self.pattern = pattern
        texts = EditedTexts(searchingFor: pattern.bytes)
    }

    /// Whether texts are kept, which operations without a match may change.
    var hasTexts: Bool { !texts.isEmpty }

    /// Those of an action's operations that count although no text in them matches: edits, and what touches an edited text.
    ///
    /// - Returns: `nil` if all operations are needed, because a text is edited that is not known yet.
    func neededSteps(in bytes: UnsafeBufferPointer<UInt8>) throws -> [TimedPatch]? {
        var isKnown = true
        let steps = try TimedPatches.read(bytes) { operation in
            guard operation.kind == UInt8(ascii: "e") else { return texts.areTouched(by: operation) }
            if !texts.has(operation) { isKnown = false }
            return true
        }
        return isKnown ? steps : nil
    }

    /// Forgets what is known of the state: the next patch follows from another one.
    mutating func jump() { texts = EditedTexts(searchingFor: pattern.bytes) }

    /// The new matches of a patch.
    ///
    /// Most changes say all by themselves. The state before them is read only for the first edit of a text, for elements
    /// whose container may be an object, and for edits of what the same patch changes otherwise.
    ///
    /// - Parameter before: Reads the state before the patch.
    mutating func matches(of patch: Patch, before: () throws -> Node) throws -> [NodeMatch] {
        guard !mustCompareStates(patch.operations) else {
            for operation in patch.operations { texts.forget(changedBy: operation) }
            return matches(of: patch, on: try before())
        }
        var found: [NodeMatch] = []
        // The edited texts that did not match before.
        var edited: [NodePath] = []
        var known: Set<NodePath> = []
        for (number, operation) in patch.operations.enumerated() {
            if case .edit(let path, let at, .string(let removed), .string(let inserted)) = operation {
                let wasMatch = try texts.edit(path, at: at, removed, inserted) {
                    var state = try before()
                    Patch(Array(patch.operations[..<number])).applyLeniently(to: &state)
                    if case .string(let text)? = state[path] { return text }
                    return nil
                }
                if known.insert(path).inserted, wasMatch == false { edited.append(path) }
                continue
            }
            texts.forget(changedBy: operation)
            switch operation {
            case .add(let path, let value, _):
                if let name = path.components.last, pattern.matches(name) {
                    let place = NodeMatch.Place(path: path, isName: true)
                    found.append(NodeMatch(place: place, value: .string(name)))
                }
                found += pattern.matches(in: value, at: path)
            case .replace(let path, let old, let new):
                // What this patch has brought before is new.
                let brought = Set(found.lazy.map(\.place).filter { path.contains($0.path) && !$0.isNameOf(path) })
                let known = Set(pattern.matches(in: old, at: path).map(\.place)).subtracting(brought)
                found.removeAll { brought.contains($0.place) }
                found += pattern.matches(in: new, at: path).filter { !known.contains($0.place) }
            case .splice(let path, let at, let remove, let insert):
                found = found.compactMap { match in
                    let place = match.place.moved(in: path, at: at, removing: remove.count, inserting: insert.count)
                    return place.map { NodeMatch(place: $0, value: match.value) }
                }
                for (offset, element) in insert.enumerated() {
                    found += pattern.matches(in: element, at: path.appending(String(at &+ offset)))
                }
            case .remove(let path, _, _): found.removeAll { path.contains($0.place.path) }
            case .edit: break
            }
        }
        for path in edited {
            guard let text = texts.match(at: path) else { continue }
            found.append(NodeMatch(place: NodeMatch.Place(path: path, isName: false), value: .string(text)))
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

    /// Whether only the state says what a patch does: it edits what it changes otherwise, it adds or removes what may be an
    /// element or a member, or it replaces a part of what it replaces.
    private func mustCompareStates(_ operations: [Patch.Operation]) -> Bool {
        if Self.haveNestedReplacements(operations) { return true }
        for (index, operation) in operations.enumerated() {
            switch operation {
            case .edit: break
            case .add(let path, _, _):
                guard let name = path.components.last, name.isIndex else { continue }
                if pattern.matches(name) { return true }
            case .remove(let path, _, _):
                guard let name = path.components.last, name.isIndex else { continue }
            case .replace, .splice: continue
            }
            // A patch of a thousand operations is rare, and comparing whole states then costs less than all pairs.
            if operations.count > 64 { return true }
            for (other, another) in operations.enumerated() where other != index && operation.isConnected(with: another)
            {
                return true
            }
        }
        return false
    }

    /// Whether one of the replaced places is in another one, or is replaced twice. What was there before is then in the
    /// old value of the first replacement only.
    private static func haveNestedReplacements(_ operations: [Patch.Operation]) -> Bool {
        var paths: Set<NodePath> = []
        var least = Int.max
        for case .replace(let path, _, _) in operations {
            if !paths.insert(path).inserted { return true }
            least = min(least, path.components.count)
        }
        return paths.count > 1
            && paths.contains { path in
                (least..<max(least, path.components.count)).contains { depth in
                    paths.contains(NodePath(Array(path.components[..<depth])))
                }
            }
    }
}

extension Patch.Operation {
    fileprivate func isConnected(with other: Patch.Operation) -> Bool {
        if case .edit = self, case .edit = other { return false }
        return region.contains(other.region) || other.region.contains(region)
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
    /// Whether it is the name of the member at a path, which a new value there does not change.
    fileprivate func isNameOf(_ path: NodePath) -> Bool { isName && self.path == path }

    /// Where the place is after a change of an array's elements; `nil` if it is removed.
    fileprivate func moved(in array: NodePath, at start: Int, removing: Int, inserting: Int) -> Self? {
        let depth = array.components.count
        guard array.contains(path), path.components.count > depth, let index = Int(path.components[depth]),
            index >= start
        else { return self }
        if index - start < removing { return nil }
        let (present, isTooLong) = (index - removing).addingReportingOverflow(inserting)
        // No array has as many elements, so the place is in none.
        if isTooLong { return self }
        var moved = self
        moved.path.components[depth] = String(present)
        return moved
    }
}
