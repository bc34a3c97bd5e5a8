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
/// A value that holds instances of classes which can be encoded: its whole size each time, since an instance may
/// change while the reference to it stays the same; the finder then keeps the last node. Instances are looked for in
/// the fields of structs and tuples and in the standard collections. One that only an enum's payload or an existential
/// holds is taken for a value: states are meant to be value types, and there the runtime does not tell.
public final class ChangeFinder<Value: Encodable> {
    /// Whether a value may hold class instances that can be encoded. What changed must then be asked for before the
    /// next change: an instance that has changed cannot be asked what it was.
    package let holdsInstances: Bool
    private let traits = TypeTraits.of(Value.self)
    private var last: Node?
    private let redactor: Redactor?

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
    package init(redactor: Redactor?) {
        self.redactor = redactor
        holdsInstances = !traits.bits.isValue
        walk = ChangeWalk(redactor: redactor)
        followed = .allocate(capacity: 1)
    }

    deinit {
        if isFollowing { followed.deinitialize(count: 1) }
        followed.deallocate()
    }

    /// The patch from one value to another.
    ///
    /// Where the type holds instances of classes, `old` must be the `new` of the call before: an instance that has
    /// changed cannot be asked what it was.
    ///
    /// - Throws: ``TreeError`` where a value cannot be encoded, with the path of what cannot.
    public func patch(from old: Value, to new: Value) throws -> Patch {
        if holdsInstances { return try patchOfNodes(from: old, to: new) }
        let walk = ChangeWalk(redactor: redactor)
        do {
            try walk.compare(old, new)
        } catch {
            throw walk.session.wrap(error, .notEncodable)
        }
        return Patch(walk.operations)
    }

    private func patchOfNodes(from old: Value, to new: Value) throws -> Patch {
        let encoder = NodeEncoder(redactor: redactor)
        let before = try last ?? encoder.encode(old)
        let after = try encoder.encode(new)
        last = after
        return Patch(from: before, to: after)
    }
}

/// Tells a ``ChangeFinder`` that holds instances what the value is before the first change.
extension ChangeFinder {
    /// Notes the value from which the next patch will lead. Costs nothing unless the type holds class instances.
    ///
    /// - Throws: ``TreeError`` where the value cannot be encoded.
    public func start(from value: Value) throws {
        if holdsInstances { last = try NodeEncoder(redactor: redactor).encode(value) }
    }
}

/// Following one value after the other, as a recorder does, at half the cost: each is asked only once what it holds.
extension ChangeFinder {
    /// Begins with a value.
    ///
    /// - Throws: ``TreeError`` where the type holds class instances and the value cannot be encoded.
    package func follow(from value: Value) throws {
        try start(from: value)
        go(to: value, nil)
    }

    /// The patch from the last value that was followed to this one, which is then the last.
    ///
    /// - Throws: ``TreeError`` where the value cannot be encoded, with the path of what cannot; the last is then what it
    ///   was.
    package func patch(to new: Value) throws -> Patch {
        precondition(isFollowing, "no value to follow from")
        guard isDescribed, !holdsInstances, !walk.session.isHidden else {
            let patch = try patch(from: followed.pointee, to: new)
            go(to: new, nil)
            return patch
        }
        if isSurelySame(followed.pointee, new) { return Patch() }
        do {
            let shape = try walk.compare(followed.pointee, shape, new, reusing: &spare)
            spare = self.shape
            go(to: new, shape)
            return Patch(walk.take())
        } catch {
            defer { walk = ChangeWalk(redactor: redactor) }
            throw walk.session.wrap(error, .notEncodable)
        }
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
            || withUnsafePointer(to: old) { old in withUnsafePointer(to: new) { traits.bits.provesEqual(old, $0) } }
    }

    private var isDescribed: Bool { if case .other = traits.kind { true } else { false } }
}
