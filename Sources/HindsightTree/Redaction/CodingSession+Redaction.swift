// How hidden values become nodes. Where no redactor is, all of this is one comparison with zero.

extension CodingSession {
    /// Whether something at or below the session's place may have to be hidden.
    @inline(__always)
    var isWatched: Bool { watch != PathAutomaton.nothing }

    /// Whether the session's place is hidden, or lies below one that is.
    @inline(__always)
    var isHidden: Bool { isWatched && isHidden(watch) }

    func isHidden(_ watch: Int) -> Bool { redactor?.hides(at: watch) ?? false }

    func watch(after step: PathStep) -> Int {
        redactor?.automaton.step(from: watch, to: step) ?? PathAutomaton.nothing
    }

    func watch(after steps: [PathStep]) -> Int {
        guard let automaton = redactor?.automaton else { return PathAutomaton.nothing }
        return steps.reduce(watch) { automaton.step(from: $0, to: $1) }
    }

    /// Runs `body` without hiding anything.
    func unwatched<Result>(_ body: () throws -> Result) rethrows -> Result {
        let outer = watch
        watch = PathAutomaton.nothing
        defer { watch = outer }
        return try body()
    }

    /// Runs `body` with what is looked for a few steps down, at the place of a container that is part of a value.
    func descend<Result>(_ steps: [PathStep], _ body: () throws -> Result) rethrows -> Result {
        if steps.isEmpty || !isWatched { return try body() }
        let outer = watch
        watch = watch(after: steps)
        defer { watch = outer }
        return try body()
    }

    // MARK: Placeholders

    /// The node that stands for a value at a hidden place.
    func hiddenNode<T: Encodable>(for value: T) throws -> Node {
        if T.self is any OptionalCoding.Type, case .collection(let type) = TypeTraits.of(T.self).kind {
            return try withUnsafePointer(to: value) { try type.collectionNode(at: $0, in: self) }
        }
        if let given = redactor?.automaton.placeholder(watch) { return given }
        if let value = value as? any Redactable & Encodable {
            return try unwatched { try node(forAny: value.redacted()) }
        }
        // One of its cases is as good as another; a text would be none.
        if let first = (T.self as? any (CaseIterable & Encodable).Type).flatMap({ firstCase(of: $0) }) {
            return try unwatched { try node(forAny: first) }
        }
        return try ownNode(of: value)
    }

    private func node(forAny value: some Encodable) throws -> Node { try node(for: value) }

    private func firstCase<T: CaseIterable & Encodable>(of type: T.Type) -> (any Encodable)? { T.allCases.first }

    /// What stands at the session's place, which is hidden, for a plain value.
    func placeholder(for node: Node) -> Node { placeholder(for: node, watch) }

    func placeholder(for node: Node, _ watch: Int) -> Node {
        if case .null = node { return .null }
        return redactor?.automaton.placeholder(watch) ?? node.placeholder
    }
}

extension Shape: HidingEncoder {
    func noteHiddenField() {
        session.wasAskedWhere = true
        // Below a hidden place a key may be a secret, and nobody needs to know.
        if session.redactor != nil, !session.isHidden(session.watch(after: nesting)) {
            session.redactor?.note(session.path + nesting)
        }
    }

    /// A plain value as a deep shape keeps it: hidden, where it is to be.
    func screened(_ key: String, _ content: Content) -> Content {
        let steps: [PathStep] =
            switch form {
            case .keyed: nesting + [.key(key)]
            case .unkeyed: nesting + [.index(items.count)]
            default: nesting
            }
        let watch = session.watch(after: steps)
        guard session.isHidden(watch) else { return content }
        return switch content {
        case .node(let node): .node(session.placeholder(for: node, watch))
        case .double: .node(session.placeholder(for: .int(0), watch))
        case .field, .shape: content
        }
    }

    /// The node of an item that stands a step below this shape.
    func node(of item: Item, at step: PathStep) throws -> Node {
        // A deep shape's items were hidden when they came.
        if !isShallow || !session.isWatched { return try node(of: item) }
        return try session.descend(step) { try node(of: item) }
    }

    /// What was said to stand for all of this.
    var givenPlaceholder: Node? {
        let watch = isShallow ? session.watch : session.watch(after: nesting)
        return session.isHidden(watch) ? session.redactor?.automaton.placeholder(watch) : nil
    }

    /// Whether the keys of a container that is hidden are data and not fields' names, and so to be hidden too: they are,
    /// unless they are the cases of an enum without payloads.
    func hidesKeys<Key: CodingKey>(of type: Key.Type) -> Bool {
        guard session.isHidden(session.watch(after: nesting)) else { return false }
        return TypeMetadata(type).kind != .enumeration || MemoryLayout<Key>.size > 2
    }
}

extension [Node] {
    /// Sorted nodes, each once.
    var withoutRepetitions: [Node] {
        var unique: [Node] = []
        for node in self where unique.last != node { unique.append(node) }
        return unique
    }
}
