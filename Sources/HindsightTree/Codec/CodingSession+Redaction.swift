// How hidden values become nodes. Without a redactor, all of this is one comparison with zero.

extension CodingSession {
    /// Whether something at or below the session's path may be hidden.
    @inline(__always)
    var mayRedact: Bool { redactionState != PathAutomaton.dead }

    /// Whether the value at the session's path is hidden.
    @inline(__always)
    var isHidden: Bool { mayRedact && isHidden(redactionState) }

    /// Whether each element of an array at the session's path is hidden as a whole. Which of them are the same, and so
    /// where one came from, must not show then.
    var hidesElements: Bool {
        mayRedact && redactor?.automaton.isHidden(redactionState(after: PathStep.index(0))) == true
    }

    func isHidden(_ redactionState: Int) -> Bool { redactor?.hides(at: redactionState) ?? false }

    func redactionState(after step: PathStep) -> Int {
        redactor?.automaton.step(from: redactionState, to: step) ?? PathAutomaton.dead
    }

    func redactionState(after steps: [PathStep]) -> Int {
        guard let automaton = redactor?.automaton else { return PathAutomaton.dead }
        return steps.reduce(redactionState) { automaton.step(from: $0, to: $1) }
    }

    /// Runs `body` without hiding anything.
    func withoutRedaction<Result>(_ body: () throws -> Result) rethrows -> Result {
        let outer = redactionState
        redactionState = PathAutomaton.dead
        defer { redactionState = outer }
        return try body()
    }

    /// Runs `body` with the redaction state of a nested container.
    func descend<Result>(_ steps: [PathStep], _ body: () throws -> Result) rethrows -> Result {
        if steps.isEmpty || !mayRedact { return try body() }
        let outer = redactionState
        redactionState = redactionState(after: steps)
        defer { redactionState = outer }
        return try body()
    }

    /// Redacts a node at the session's path whose Swift types are not known.
    func redacted(_ node: Node) -> Node { redactor?.redacted(node, redactionState) ?? node }

    // MARK: Placeholders

    /// The placeholder for a value that is hidden.
    func hiddenNode<T: Encodable>(for value: T) throws -> Node {
        if T.self is any OptionalCoding.Type, case .collection(let type) = EncodingTraits.of(T.self) {
            return try withUnsafePointer(to: value) { try type.collectionNode(at: $0, in: self) }
        }
        if let given = redactor?.automaton.placeholder(redactionState) { return given }
        if let value = value as? any Redactable & Encodable {
            return try withoutRedaction { try node(forAny: value.redacted()) }
        }
        // Any of an enum's cases decodes. A placeholder text would not.
        if let first = (T.self as? any (CaseIterable & Encodable).Type).flatMap({ firstCase(of: $0) }) {
            return try withoutRedaction { try node(forAny: first) }
        }
        return try ownNode(of: value)
    }

    func node(forAny value: some Encodable) throws -> Node { try node(for: value) }

    private func firstCase<T: CaseIterable & Encodable>(of type: T.Type) -> (any Encodable)? { T.allCases.first }

    /// The placeholder for a primitive value that is hidden.
    func placeholder(for node: Node) -> Node { placeholder(for: node, redactionState) }

    func placeholder(for node: Node, _ redactionState: Int) -> Node {
        if case .null = node { return .null }
        return redactor?.automaton.placeholder(redactionState) ?? node.placeholder
    }
}

extension FieldEncoder: RedactingEncoder {
    func noteRedactedField() {
        session.didReadCodingPath = true
        // Below a hidden value a key may be a secret.
        if session.redactor != nil, !session.isHidden(session.redactionState(after: nesting)) {
            session.redactor?.note(session.path + nesting)
        }
    }

    /// A primitive value as an eager encoder keeps it: its placeholder if it is hidden.
    func redacted(_ key: String, _ content: Content) -> Content {
        let steps: [PathStep] =
            switch kind {
            case .keyed: nesting + [.key(key)]
            case .unkeyed: nesting + [.index(items.count)]
            default: nesting
            }
        let redactionState = session.redactionState(after: steps)
        guard session.isHidden(redactionState) else { return content }
        return switch content {
        case .node(let node): .node(session.placeholder(for: node, redactionState))
        case .double, .float: .node(session.placeholder(for: .int(0), redactionState))
        case .field, .nested: content
        }
    }

    /// The node of an item one step below this encoder's path.
    func node(of item: Item, at step: PathStep) throws -> Node {
        // An eager encoder redacted its items as they came.
        if !isLazy || !session.mayRedact { return try node(of: item) }
        return try session.descend(step) { try node(of: item) }
    }

    /// The placeholder that the app chose for the whole container.
    var givenPlaceholder: Node? {
        let redactionState = isLazy ? session.redactionState : session.redactionState(after: nesting)
        return session.isHidden(redactionState) ? session.redactor?.automaton.placeholder(redactionState) : nil
    }

    /// Whether the keys of this container are hidden: if the container is, and its keys are data. Only the cases of an
    /// enum without payloads are surely names of fields.
    func hidesKeys<Key: CodingKey>(of type: Key.Type) -> Bool {
        guard session.isHidden(session.redactionState(after: nesting)) else { return false }
        return TypeMetadata(type).kind != .enumeration || MemoryLayout<Key>.size > 2
    }
}

extension [Node] {
    /// Sorted nodes without duplicates.
    var withoutRepetitions: [Node] {
        var unique: [Node] = []
        for node in self where unique.last != node { unique.append(node) }
        return unique
    }
}
