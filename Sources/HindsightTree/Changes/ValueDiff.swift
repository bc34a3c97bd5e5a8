/// Compares two values of one type side by side and collects the operations that lead from one to the other.
final class ValueDiff {
    let session: CodingSession
    // An operation is complete before it is appended.
    private(set) var operations: [Patch.Operation] = []

    /// Whether only the text of the operations is needed. Many elements that come or go at once then need no nodes.
    let writesText: Bool

    /// A field whose changes are missed, as a bug would miss them; for tests.
    var missedField: String?

    init(redactor: Redactor? = nil, writesText: Bool = false) {
        session = CodingSession(redactor: redactor)
        self.writesText = writesText
    }

    func append(_ operation: Patch.Operation) {
        operations.append(operation)
    }

    /// Removes the operations and returns them.
    func takeOperations() -> [Patch.Operation] {
        defer { operations = [] }
        return operations
    }

    /// Compares two values that describe themselves, of which the first may have done so already.
    ///
    /// - Parameter spare: An encoder whose memory may be reused.
    /// - Returns: The fields of the second value.
    func compare<T: Encodable>(
        _ old: T,
        _ oldFields: FieldEncoder?,
        _ new: T,
        reusing spare: inout FieldEncoder?
    ) throws -> FieldEncoder {
        try session.deepen {
            let oldFields = try oldFields ?? fields(of: old)
            let fields = FieldEncoder.lazy(reusing: &spare, session: session)
            try new.encode(to: fields)
            try attempt {
                try compareFields(oldFields, fields)
            } or: {
                (try session.ownNode(of: old), try session.ownNode(of: new))
            }
            return fields
        }
    }

    /// Compares two values field by field, or their nodes if a field cannot be encoded.
    ///
    /// A value's own `encode(to:)` may catch the error of a field and go on. It meets that error only if the field is
    /// encoded while `encode(to:)` runs.
    private func attempt(_ fields: () throws -> Void, or nodes: () throws -> (old: Node, new: Node)) throws {
        let count = operations.count
        do {
            try fields()
        } catch {
            operations.removeSubrange(count...)
            let (old, new) = try nodes()
            compareNodes(old, new)
        }
    }

    /// Compares the values of two optionals that are not `nil` and not hidden.
    func comparePresent<T: Encodable>(_ old: T, _ new: T) throws {
        if isBitwiseEqual(old, new) { return }
        let kind = ComparisonTraits.of(T.self).kind
        switch kind {
        case .collection where T.self is any OptionalCoding.Type:
            compareNodes(try session.presentNode(for: old), try session.presentNode(for: new))
        case .other, .instance:
            if case .instance = kind { session.sawInstance = true }
            try attempt {
                try session.deepen {
                    let (oldFields, newFields) = (try fields(of: old), try fields(of: new))
                    if oldFields.kind == .single || newFields.kind == .single {
                        // The value may be encoded as `null` itself. Its node is then another one here.
                        compareNodes(try session.presentNode(for: old), try session.presentNode(for: new))
                    } else {
                        try compareFields(oldFields, newFields)
                    }
                }
            } or: {
                (try session.presentNode(for: old), try session.presentNode(for: new))
            }
        default:
            try compare(old, new)
        }
    }

    /// Compares two nodes. Appends what differs inside them, not the whole.
    func compareNodes(_ old: Node, _ new: Node) {
        switch (old, new) {
        case (.string(let old), .string(let new)):
            compareTexts(old, new)
        case (.array, .array), (.object, .object), (.data, .data):
            let path = session.nodePath
            operations += Patch(from: old, to: new).operations.map { $0.prefixed(by: path) }
        default:
            if old != new { replace(old, new) }
        }
    }

    private func compareTexts(_ old: String, _ new: String) {
        operations += Patch.Operation.changes(at: session.nodePath, from: old, to: new)
    }

    func replace(_ old: Node, _ new: Node) {
        append(.replace(path: session.nodePath, old: old, new: new))
    }

    private func fields<T: Encodable>(of value: T) throws -> FieldEncoder {
        let fields = FieldEncoder(session: session, isLazy: true)
        try value.encode(to: fields)
        return fields
    }
}

extension ValueDiff: FieldComparing {
    /// Compares two values at the session's path.
    ///
    /// The old value must hold no class instances, so that two values with the same bits are the same value.
    func compare<T: Encodable>(_ old: T, _ new: T) throws {
        if isBitwiseEqual(old, new) { return }
        if session.isHidden { return compareNodes(try session.node(for: old), try session.node(for: new)) }
        try withUnsafePointer(to: old) { old in
            try withUnsafePointer(to: new) { new in
                let traits = ComparisonTraits.of(T.self)
                if traits.bits.hasSameBits(old, new) { return }
                switch traits.kind {
                case .leaf(let type):
                    if T.self == String.self {
                        let old = UnsafeRawPointer(old).assumingMemoryBound(to: String.self)
                        let new = UnsafeRawPointer(new).assumingMemoryBound(to: String.self)
                        compareTexts(old.pointee, new.pointee)
                    } else {
                        compareNodes(try type.leafNode(at: old, in: session), try type.leafNode(at: new, in: session))
                    }
                case .collection(let type):
                    try type.findChanges(from: old, to: new, in: self)
                case .other, .instance:
                    if case .instance = traits.kind { session.sawInstance = true }
                    try attempt {
                        try session.deepen { try compareFields(fields(of: old.pointee), fields(of: new.pointee)) }
                    } or: {
                        (try session.node(for: old.pointee), try session.node(for: new.pointee))
                    }
                }
            }
        }
    }
}

extension Optional: CollectionComparing where Wrapped: Encodable {
    static func findChanges(from old: UnsafeRawPointer, to new: UnsafeRawPointer, in diff: ValueDiff) throws {
        let old = old.assumingMemoryBound(to: Self.self)
        let new = new.assumingMemoryBound(to: Self.self)
        switch (old.pointee, new.pointee) {
        case (nil, nil): break
        case (let old?, let new?): try diff.comparePresent(old, new)
        case (let old, let new):
            diff.replace(try diff.session.node(for: old), try diff.session.node(for: new))
        }
    }
}
