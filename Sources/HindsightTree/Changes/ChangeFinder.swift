/// Finds what changed between two values of one type, at a cost that follows the change and not the value.
///
/// ```swift
/// let finder = ChangeFinder<AppState>()
/// let patch = try finder.patch(from: before, to: after)
/// ```
///
/// The patch leads from the old value's node to the new one's, exactly: what changed is decided on content, never on
/// a type's own `==`. Values are walked field by field through their `encode(to:)`; a part whose bits are the same (a
/// field, an array that still has the same storage, an element) is skipped unseen, and only what differs is encoded.
///
/// **Cost.** A field of the value: about a microsecond. An array that was copied: one comparison of its elements at
/// memory speed. A set, or a dictionary whose keys are not written as strings, that changed: its whole size.
///
/// **Class instances.** An instance may change while the reference to it stays the same. A value in which one is met, as
/// a class that is encoded or in the storage of what is encoded, is encoded whole each time, and compared with the node
/// that the finder keeps of the value before. Nothing tells the finder of changes behind a class that cannot be encoded,
/// or behind a closure.
public final class ChangeFinder<Value: Encodable> {
    /// Whether a value may hold class instances that can be encoded, as far as its type tells. What changed must then be
    /// asked for before the next change: an instance that has changed cannot be asked what it was.
    package static var mayHoldInstances: Bool { TypeFields.mayHoldInstances(Value.self) }
    private let mayHoldInstances = ChangeFinder.mayHoldInstances
    /// Whether the value that was encoded or compared last holds one.
    package private(set) var holdsInstances = false
    /// Whether each value is encoded whole and once, since an `encode(to:)` writes something else each time.
    private var comparesWhole = false
    private let traits = TypeTraits.of(Value.self)
    private var last: Node?
    private let redactor: Redactor?
    private let writesText: Bool

    /// Where one value after the other is followed: the last, and what it said about itself.
    ///
    /// Sound: it stands at one place, and has a value where `isFollowing`. A property of an unknown type would cost more
    /// to look at than to compare.
    private let followed: UnsafeMutablePointer<Value>
    private var isFollowing = false
    private var shape: Shape?
    /// The shape of the value before the last: its memory serves the next.
    private var spare: Shape?
    private var walk: ChangeWalk

    public convenience init() { self.init(redactor: nil) }

    /// Creates a finder that hides what a redactor says: its patches lead from one value's node without what is hidden
    /// to the other's.
    ///
    /// - Parameter writesText: Whether nothing is done with its patches but writing their text. It costs less then: a node
    ///   in a patch may have the text of many.
    package init(redactor: Redactor?, writesText: Bool = false) {
        self.redactor = redactor
        self.writesText = writesText
        walk = ChangeWalk(redactor: redactor, writesText: writesText)
        followed = .allocate(capacity: 1)
    }

    deinit {
        if isFollowing { followed.deinitialize(count: 1) }
        followed.deallocate()
    }

    /// The patch from one value to another.
    ///
    /// If values may hold instances of classes, `old` must be the `new` of the call before: an instance that has changed
    /// cannot be asked what it was.
    ///
    /// - Throws: ``TreeError`` if a value cannot be encoded, with the path of what cannot.
    public func patch(from old: Value, to new: Value) throws -> Patch {
        if mayHoldInstances || holdsInstances { return try patchOfNodes(from: old, to: new) }
        return try patchOfWalk(from: old, to: new)
    }

    private func patchOfWalk(from old: Value, to new: Value) throws -> Patch {
        let walk = ChangeWalk(redactor: redactor, writesText: writesText)
        do {
            try walk.compare(old, new)
        } catch {
            throw walk.session.wrap(error, .notEncodable)
        }
        if walk.session.sawInstance { last = try encode(new) }
        return Patch(walk.operations)
    }

    private func patchOfNodes(from old: Value, to new: Value) throws -> Patch {
        // What holds no instance is still what it was.
        let before = try keepsNode ? last ?? encode(old) : encode(old)
        let after = try encode(new)
        last = keepsNode ? after : nil
        return Patch(from: before, to: after)
    }

    /// Encodes a whole value, and notes whether it holds instances.
    private func encode(_ value: Value) throws -> Node {
        let session = CodingSession(redactor: redactor)
        let node = try session.encode(value)
        holdsInstances = session.sawInstance
        return node
    }
}

/// Tells a ``ChangeFinder`` whose values may hold instances what the value is before the first change.
extension ChangeFinder {
    /// Notes the value from which the next patch will lead. Costs nothing unless the type may hold class instances.
    ///
    /// - Throws: ``TreeError`` if the value cannot be encoded.
    public func start(from value: Value) throws {
        if mayHoldInstances || holdsInstances { last = try encode(value) }
    }
}

/// Following one value after the other, as a recorder does, at half the cost: each is asked only once what it holds.
extension ChangeFinder {
    /// Begins with a value.
    ///
    /// - Parameter looking: Whether instances are looked for though the type does not tell of any.
    /// - Throws: ``TreeError`` if class instances are looked for and the value cannot be encoded.
    package func follow(from value: Value, lookingForInstances looking: Bool = false) throws {
        if mayHoldInstances || looking { last = try encode(value) }
        if !keepsNode { last = nil }
        go(to: value, nil)
    }

    /// Begins with a value whose `encode(to:)` writes something else each time, and which was written as `node`: from here
    /// on each value is encoded whole and once.
    package func follow(from value: Value, writtenAs node: Node) {
        comparesWhole = true
        last = node
        go(to: value, nil)
    }

    /// Whether each value is compared with the node of the one before.
    private var keepsNode: Bool { holdsInstances || comparesWhole }

    /// The patch from the last value that was followed to this one, which is then the last.
    ///
    /// - Throws: ``TreeError`` where the value cannot be encoded, with the path of what cannot; the last is then what it
    ///   was.
    package func patch(to new: Value) throws -> Patch {
        precondition(isFollowing, "no value to follow from")
        guard isDescribed, !keepsNode, !walk.session.isHidden else {
            let patch =
                try keepsNode
                ? patchOfNodes(from: followed.pointee, to: new) : patchOfWalk(from: followed.pointee, to: new)
            if !keepsNode { last = nil }
            go(to: new, nil)
            return patch
        }
        if isSurelySame(followed.pointee, new) { return Patch() }
        do {
            let shape = try walk.compare(followed.pointee, shape, new, reusing: &spare)
            spare = self.shape
            go(to: new, shape)
            let patch = Patch(walk.take())
            if walk.session.sawInstance {
                walk.session.sawInstance = false
                last = try encode(new)
            }
            return patch
        } catch {
            defer { walk = ChangeWalk(redactor: redactor, writesText: writesText) }
            throw walk.session.wrap(error, .notEncodable)
        }
    }

    /// A field whose changes are missed where values are followed, as a fault here would miss them; for tests.
    package var missedField: String? {
        get { walk.missedField }
        set { walk.missedField = newValue }
    }

    /// Lets go of the value that was followed last.
    package func stopFollowing() {
        if isFollowing { followed.deinitialize(count: 1) }
        isFollowing = false
        (shape, spare) = (nil, nil)
    }

    /// The value that was followed last.
    package var lastFollowed: Value? { isFollowing ? followed.pointee : nil }

    private func go(to value: Value, _ shape: Shape?) {
        if isFollowing { followed.pointee = value } else { followed.initialize(to: value) }
        isFollowing = true
        self.shape = shape
    }

    private func isSurelySame(_ old: Value, _ new: Value) -> Bool {
        SameBits.areThe(old, new)
            || withUnsafePointer(to: old) { old in withUnsafePointer(to: new) { traits.bits.hasSameBits(old, $0) } }
    }

    /// The node of the value that was followed last, if it holds instances.
    package var lastNode: Node? { holdsInstances ? last : nil }

    private var isDescribed: Bool { if case .other = traits.kind { true } else { false } }
}
