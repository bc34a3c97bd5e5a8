/// Walks two values of one type side by side and notes where they differ.
final class ChangeWalk {
    let session: CodingSession
    // What is noted has been worked out before.
    @exclusivity(unchecked) private(set) var operations: [Patch.Operation] = []

    /// Whether only the text of the operations is wanted: many elements that come or go at once need no nodes.
    let writesText: Bool

    /// A field whose changes are missed, as a fault of the finder would miss them; for tests.
    var missedField: String?

    init(redactor: Redactor? = nil, writesText: Bool = false) {
        session = CodingSession(redactor: redactor)
        self.writesText = writesText
    }

    func note(_ operation: Patch.Operation) {
        operations.append(operation)
    }

    /// Compares two values at the place where the session stands.
    ///
    /// A ``ChangeFinder`` walks only from values that hold no instances, so that the same bits are the same value.
    func compare<T: Encodable>(_ old: T, _ new: T) throws {
        if SameBits.areThe(old, new) { return }
        if session.isHidden { return compareNodes(try session.node(for: old), try session.node(for: new)) }
        try withUnsafePointer(to: old) { old in
            try withUnsafePointer(to: new) { new in
                let traits = TypeTraits.of(T.self)
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
                        try session.deepen { try compareShapes(shape(of: old.pointee), shape(of: new.pointee)) }
                    } or: {
                        (try session.node(for: old.pointee), try session.node(for: new.pointee))
                    }
                }
            }
        }
    }

    /// Compares two values that describe themselves, of which the first may have done so already.
    ///
    /// - Parameter spare: A shape that nobody needs any more.
    /// - Returns: The shape of the second.
    func compare<T: Encodable>(_ old: T, _ oldShape: Shape?, _ new: T, reusing spare: inout Shape?) throws -> Shape {
        try session.deepen {
            let oldShape = try oldShape ?? shape(of: old)
            let shape = Shape.empty(reusing: &spare, session: session, isShallow: true)
            try new.encode(to: shape)
            try attempt {
                try compareShapes(oldShape, shape)
            } or: {
                (try session.ownNode(of: old), try session.ownNode(of: new))
            }
            return shape
        }
    }

    /// Compares two values field by field. If a field cannot be encoded, compares their nodes instead: a value's own
    /// `encode(to:)` may catch the error of a field and go on, and it meets that error only when its fields are encoded as it
    /// hands them over.
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

    /// The operations that were noted, which are then gone.
    func take() -> [Patch.Operation] {
        defer { operations = [] }
        return operations
    }

    /// Compares two values that stand where `nil` might have stood.
    func comparePresent<T: Encodable>(_ old: T, _ new: T) throws {
        if SameBits.areThe(old, new) { return }
        if session.isHidden {
            return compareNodes(try session.presentNode(for: old), try session.presentNode(for: new))
        }
        let kind = TypeTraits.of(T.self).kind
        switch kind {
        case .collection where T.self is any OptionalCoding.Type:
            compareNodes(try session.presentNode(for: old), try session.presentNode(for: new))
        case .other, .instance:
            if case .instance = kind { session.sawInstance = true }
            try attempt {
                try session.deepen {
                    let (oldShape, newShape) = (try shape(of: old), try shape(of: new))
                    if oldShape.form == .single || newShape.form == .single {
                        // It may stand for nil itself, and then its node looks different here.
                        compareNodes(try session.presentNode(for: old), try session.presentNode(for: new))
                    } else {
                        try compareShapes(oldShape, newShape)
                    }
                }
            } or: {
                (try session.presentNode(for: old), try session.presentNode(for: new))
            }
        default:
            try compare(old, new)
        }
    }

    /// Compares two nodes; what differs inside them is noted, not the whole.
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

    func compareTexts(_ old: String, _ new: String) {
        operations += Patch.Operation.changes(at: session.nodePath, from: old, to: new)
    }

    func replace(_ old: Node, _ new: Node) {
        note(.replace(path: session.nodePath, old: old, new: new))
    }

    func shape<T: Encodable>(of value: T) throws -> Shape {
        let shape = Shape(session: session, isShallow: true)
        try value.encode(to: shape)
        return shape
    }
}

extension Optional: OptionalCoding where Wrapped: Encodable {}

/// An optional; what it wraps may look absent though it is there.
protocol OptionalCoding {}

extension Optional where Wrapped: Encodable {
    static func findChanges(from old: UnsafeRawPointer, to new: UnsafeRawPointer, in walk: ChangeWalk) throws {
        let old = old.assumingMemoryBound(to: Self.self)
        let new = new.assumingMemoryBound(to: Self.self)
        switch (old.pointee, new.pointee) {
        case (nil, nil): break
        case (let old?, let new?): try walk.comparePresent(old, new)
        case (let old, let new):
            walk.replace(try walk.session.node(for: old), try walk.session.node(for: new))
        }
    }
}
