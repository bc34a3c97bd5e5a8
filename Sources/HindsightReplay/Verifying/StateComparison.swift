import HindsightRecording
import HindsightTree

/// Compares recorded and replayed states, except for redacted and ignored values, and with tolerances for numbers.
struct StateComparison {
    private let recorded: RecordedRedaction
    /// Redacts today's states, including `Redacted` fields that are newer than the recording.
    private let today: Redactor
    /// The places that only the recording or only today's types have.
    private let unshared: [String]
    private let ignored: [String]
    private let tolerances: [(tolerance: Tolerance, mask: RedactionMask)]
    /// The places that today's types do not read. They are compared where today's state has them nevertheless.
    private var unread: RedactionMask?
    /// The places where `null` is the same as nothing.
    private var nullable: RedactionMask?
    private var mask: RedactionMask?
    /// The mask for patches. It lacks the patterns that name one element, because a later patch may move the element to
    /// a place that counts.
    private var patchMask: RedactionMask?
    /// Whether an option names one element of an array. Then equal patches may move a difference to a place that counts.
    let namesElements: Bool
    private var fieldCount = 0
    /// The given patterns that have matched nothing so far.
    private var unused: [(pattern: String, mask: RedactionMask)]

    /// - Parameter unshared: Patterns of places that cannot be compared.
    /// - Throws: ``ReplayError`` with the code `badPattern`.
    init(
        _ recorded: RecordedRedaction,
        today: Redactor,
        options: VerificationOptions,
        unshared: [String]
    ) throws {
        func mask(_ pattern: String) throws(ReplayError) -> RedactionMask {
            do {
                return try RedactionMask([], exact: [pattern])
            } catch {
                throw ReplayError(.badPattern, cause: error)
            }
        }
        self.recorded = recorded
        self.today = today
        self.unshared = unshared
        ignored = options.ignoredPaths
        namesElements = (ignored + options.tolerances.map(\.path)).contains(where: RedactionMask.hasNumbers)
        tolerances = try options.tolerances.map { ($0, try mask($0.path)) }
        unused = try options.ignoredPaths.map { ($0, try mask($0)) } + tolerances.map { ($0.path, $1) }
    }

    /// Notes the places that only the recording has.
    mutating func noteUnread(of form: RecordedForm) throws {
        unread = form.unread.isEmpty ? nil : try RedactionMask(form.unread.map(\.pattern))
        nullable = form.nullable.isEmpty ? nil : try RedactionMask(form.nullable.map(\.pattern))
    }

    /// The redacted places of states, as patterns. They are not compared.
    var redacted: [String] {
        recorded.states + today.fieldPatterns.filter { !recorded.states.contains($0) }
    }

    /// Whether patches with the same effect may have differences that do not count.
    private mutating func currentMask() throws -> RedactionMask? {
        if mask == nil || fieldCount < today.fieldCount {
            fieldCount = today.fieldCount
            mask = try RedactionMask(redacted + unshared, exact: ignored)
            patchMask = try RedactionMask(redacted + unshared + ignored.filter { !RedactionMask.hasNumbers($0) })
        }
        let isUsed = today.isActive || !recorded.states.isEmpty || !(ignored + unshared).isEmpty
        return isUsed ? mask : nil
    }

    /// A patch without what is not compared. It may not apply any more.
    mutating func masked(_ patch: Patch) throws -> Patch {
        guard try currentMask() != nil, let mask = patchMask else { return patch }
        return mask.masked(patch)
    }

    /// Whether two patches are the same except for values that are not compared.
    mutating func isSame(_ left: Patch, _ right: Patch) throws -> Bool { try masked(left) == masked(right) }

    /// Whether nothing of a state is compared.
    mutating func hidesAll(of state: @autoclosure () throws -> Node) throws -> Bool {
        guard let mask = try currentMask() else { return false }
        return try mask.hidesAll(of: state())
    }

    /// The redacted places that a reducer may have read: those of the action, or, if it has none, of the state.
    func inputs(of action: RecordedAction) throws -> [String] {
        let places = try action.payload.map { try RedactionMask(recorded.actions).hiddenPaths(in: $0) } ?? []
        return places.isEmpty ? redacted : places.map { "action " + $0.description }
    }

    /// Masks of what is redacted in states and in actions.
    func redactionMasks() throws -> (states: RedactionMask, actions: RedactionMask) {
        (try RedactionMask(redacted), try RedactionMask(recorded.actions))
    }

    // MARK: Patterns that match nothing

    /// The given patterns that have matched nothing so far.
    var unusedPatterns: [String] { unused.map(\.pattern) }

    /// Whether there are any.
    var hasUnusedPatterns: Bool { !unused.isEmpty }

    /// Notes which patterns match a place in a state.
    mutating func notePatterns(in state: Node) {
        if unused.isEmpty { return }
        unused.removeAll { !$0.mask.hiddenPaths(in: state).isEmpty }
    }

    /// Notes which patterns match a place that patches change.
    mutating func notePatterns(in operations: [Patch.Operation]) {
        if unused.isEmpty { return }
        unused.removeAll { _, mask in
            operations.contains { operation in
                if mask.hides(operation.path) { return true }
                if operation.kind == .edit { return false }
                if case .splice(let path, let at, let removed, let inserted) = operation {
                    return [removed, inserted].contains { elements in
                        elements.enumerated().contains { index, element in
                            !mask.hiddenPaths(in: element, at: path.appending(String(at &+ index))).isEmpty
                        }
                    }
                }
                let change = operation.change
                return [change.old, change.new].contains { node in
                    node.map { !mask.hiddenPaths(in: $0, at: operation.path).isEmpty } ?? false
                }
            }
        }
    }

    // MARK: Comparing

    /// Whether two states are the same. Costs both states.
    mutating func isSame(_ left: Node, _ right: Node) throws -> Bool {
        if left.isEquivalent(to: right) { return true }
        return try differingPlaces(left, right, at: NodePath()).isEmpty
    }

    /// The places at which two values differ, in the order of `left`.
    ///
    /// Goes into objects member by member, and into arrays of the same count element by element. Other arrays differ as
    /// a whole. Costs a walk over both, and another one over what differs.
    mutating func differingPlaces(_ left: Node?, _ right: Node?, at path: NodePath) throws -> [NodePath] {
        let mask = try currentMask()
        var found: [NodePath] = []
        gather(left, right, path, mask, &found)
        return found
    }

    private func gather(
        _ left: Node?,
        _ right: Node?,
        _ path: NodePath,
        _ mask: RedactionMask?,
        _ found: inout [NodePath]
    ) {
        switch (left, right) {
        case (nil, nil): return
        case (let left?, let right?) where left.isEquivalent(to: right): return
        case (.object(let left)?, .object(let right)?):
            for (key, left, right) in left.paired(with: right) {
                gather(left, right, path.appending(key), mask, &found)
            }
        case (.array(let left)?, .array(let right)?) where left.count == right.count:
            for index in left.indices where !left[index].isEquivalent(to: right[index]) {
                gather(left[index], right[index], path.appending(String(index)), mask, &found)
            }
        default:
            if mask?.hides(path) == true || isOneSided(left, right, at: path) { return }
            if isTolerated(left, right, at: path) { return }
            found.append(path)
        }
    }

    /// Whether a field is in one state alone for a reason that its types have.
    private func isOneSided(_ left: Node?, _ right: Node?, at path: NodePath) -> Bool {
        if left != nil, right == nil, unread?.hides(path) == true { return true }
        return (left ?? right) == .null && (left == nil || right == nil) && nullable?.hides(path) == true
    }

    private func isTolerated(_ left: Node?, _ right: Node?, at path: NodePath) -> Bool {
        if let left, let right, left.isSameWholeNumber(as: right) { return true }
        guard !tolerances.isEmpty, let first = left?.floatingPoint, let second = right?.floatingPoint else {
            return false
        }
        let distance = left?.wholeDistance(to: right)
        return tolerances.contains { $0.tolerance.allows(first, second, distance: distance) && $0.mask.hides(path) }
    }

    // MARK: Leaving out what does not count

    /// A recorded and a replayed state without values that are not compared. Today's has the recorded value at places
    /// that are tolerated, or differed before. Costs both states.
    ///
    /// - Parameters:
    ///   - differing: The places at which the two differ.
    ///   - new: Those that count.
    mutating func aligned(
        _ left: Node,
        _ right: Node,
        differing: DifferingPlaces = DifferingPlaces(),
        new: DifferingPlaces = DifferingPlaces()
    ) throws -> (Node, Node) {
        let mask = try currentMask()
        let right = left.isEquivalent(to: right) ? right : aligned(left, right, NodePath(), differing, new)
        return mask?.aligned(left, right) ?? (left, right)
    }

    private func aligned(
        _ left: Node,
        _ right: Node,
        _ path: NodePath,
        _ differing: DifferingPlaces?,
        _ new: DifferingPlaces?
    ) -> Node {
        if let differing, differing.isRoot { return new?.isEmpty == false ? right : left }
        switch (left, right) {
        case (.object(let left), .object(let right)):
            return .object(aligned(left, right, path, differing, new))
        case (.array(let left), .array(var right)):
            for index in right.indices.prefix(left.count) where !left[index].isEquivalent(to: right[index]) {
                let name = String(index)
                right[index] = aligned(
                    left[index],
                    right[index],
                    path.appending(name),
                    differing?[name],
                    new?[name]
                )
            }
            return .array(right)
        default:
            return isTolerated(left, right, at: path) ? left : right
        }
    }

    private func aligned(
        _ left: [Node.Member],
        _ right: [Node.Member],
        _ path: NodePath,
        _ differing: DifferingPlaces?,
        _ new: DifferingPlaces?
    ) -> [Node.Member] {
        let values = Dictionary(left.map { (ScalarKey($0.key), $0.value) }, uniquingKeysWith: { first, _ in first })
        func differedBefore(_ key: String) -> Bool { differing?[key]?.isRoot == true && new?[key] == nil }
        var members: [Node.Member] = []
        for member in right {
            if let value = values[ScalarKey(member.key)] {
                let isSame = value.isEquivalent(to: member.value)
                let path = path.appending(member.key)
                let part = isSame ? value : aligned(value, member.value, path, differing?[member.key], new?[member.key])
                members.append(Node.Member(member.key, isSame ? member.value : part))
            } else if !differedBefore(member.key), !isOneSided(nil, member.value, at: path.appending(member.key)) {
                members.append(member)
            }
        }
        let there = Set(right.map { ScalarKey($0.key) })
        for (index, member) in left.enumerated()
        where !there.contains(ScalarKey(member.key))
            && (differedBefore(member.key) || isOneSided(member.value, nil, at: path.appending(member.key)))
        {
            members.insert(member, at: min(index, members.count))
        }
        return members
    }
}

extension Node {
    /// The distance of two whole numbers, which may be the same if they are rounded to a `Double`; `nil` if they are
    /// not, or do not fit into 128 bits.
    fileprivate func wholeDistance(to other: Node?) -> Double? {
        guard let left = whole, let right = other?.whole else { return nil }
        // The distance of two numbers with a sign fits without one.
        return Double(UInt128(truncatingIfNeeded: max(left, right) &- min(left, right)))
    }

    private var whole: Int128? {
        switch self {
        case .int(let value): Int128(value)
        case .number(let literal): Int128(literal)
        default: nil
        }
    }
}
