/// Finds what changed between two values of one type, at a cost that follows the change and not the value.
///
/// ```swift
/// let finder = ChangeFinder<AppState>()
/// let patch = try finder.patch(from: before, to: after)
/// ```
///
/// The patch leads from the old value's node to the new one's, exactly: content decides, never a type's own `==`. The
/// finder walks values field by field through their `encode(to:)`. It skips a part whose bits are the same (a field, an
/// element, an array that shares its storage) and encodes only what differs.
///
/// **Cost.** A field of the value: about a microsecond. An array that was copied: one comparison of its elements at
/// memory speed. A set that changed, or a dictionary whose keys are not written as strings: its whole size.
///
/// **Class instances.** An instance may change while the reference to it stays the same. A value that encodes one, or
/// refers to one from the storage of what it encodes, is encoded whole each time and compared with the node of the
/// value before, which the finder keeps. The finder misses changes behind a class that cannot be encoded, or behind a
/// closure.
package final class ChangeFinder<Value: Encodable> {
    /// Whether a value may hold class instances that can be encoded, by its type. If so, ask for what changed before
    /// the next change: an instance does not remember what it was.
    package static var mayHoldInstances: Bool { InstanceDetection.mayHoldInstances(Value.self) }
    /// Whether two copies of a value may share something that changes: an instance of any class, or what a closure keeps.
    package static var mayShare: Bool { InstanceDetection.mayHoldInstances(Value.self, anyReference: true) }
    private let mayHoldInstances = ChangeFinder.mayHoldInstances
    // Each change of the properties below is complete before code of the app runs, so no access needs a check.

    /// Whether the value that was encoded or compared last holds one.
    package private(set) var holdsInstances = false
    /// Whether each value is encoded whole and once, since its `encode(to:)` writes something else each time.
    private var comparesWhole = false
    private let traits = ComparisonTraits.of(Value.self)
    private var last: Node?
    private let redactor: Redactor?
    private let writesText: Bool

    /// The value that was followed last.
    ///
    /// Sound: it stays at one address, and is initialized while `isFollowing`. Access to a stored property of a type
    /// that is not known would cost more than the comparison.
    private let followed: UnsafeMutablePointer<Value>
    private var isFollowing = false
    private var fields: FieldEncoder?
    /// The fields of the value before the last. The next value reuses their memory.
    private var spare: FieldEncoder?
    private var diff: ValueDiff

    /// Creates a finder whose patches lead from one node to the next.
    ///
    /// - Parameters:
    ///   - redactor: Redacts both nodes; `nil` for none.
    ///   - writesText: Whether the patches are used for their text only. They cost less then: one node in a
    ///     patch may have the text of many.
    package init(redactor: Redactor? = nil, writesText: Bool = false) {
        self.redactor = redactor
        self.writesText = writesText
        diff = ValueDiff(redactor: redactor, writesText: writesText)
        followed = .allocate(capacity: 1)
    }

    deinit {
        if isFollowing { followed.deinitialize(count: 1) }
        followed.deallocate()
    }

    /// The patch from one value to another.
    ///
    /// If values may hold class instances, `old` must be the `new` of the call before, or the value given to
    /// ``start(from:)``.
    ///
    /// - Throws: ``TreeError`` with the path of what cannot be encoded.
    package func patch(from old: Value, to new: Value) throws(TreeError) -> Patch {
        if mayHoldInstances || holdsInstances { return try patchOfNodes(from: old, to: new) }
        return try patchOfFields(from: old, to: new)
    }

    /// Notes the value from which the first patch will lead. Costs nothing unless the type may hold class instances.
    ///
    /// - Throws: ``TreeError`` with the path of what cannot be encoded.
    package func start(from value: Value) throws(TreeError) {
        if mayHoldInstances || holdsInstances { last = try encode(value) }
    }

    private func patchOfFields(from old: Value, to new: Value) throws(TreeError) -> Patch {
        let diff = ValueDiff(redactor: redactor, writesText: writesText)
        do {
            try diff.compare(old, new)
        } catch {
            throw diff.session.wrap(error, .notEncodable)
        }
        if diff.session.sawInstance { last = try encode(new) }
        return Patch(diff.operations)
    }

    private func patchOfNodes(from old: Value, to new: Value) throws(TreeError) -> Patch {
        // A value without instances has not changed since, so it can be encoded now.
        let before = if keepsNode, let last { last } else { try encode(old) }
        let after = try encode(new)
        last = keepsNode ? after : nil
        return Patch(from: before, to: after)
    }

    /// Encodes a whole value, and notes whether it holds instances.
    private func encode(_ value: Value) throws(TreeError) -> Node {
        let session = CodingSession(redactor: redactor)
        let node = try session.encode(value)
        holdsInstances = session.sawInstance
        return node
    }
}

/// Following a series of values, as a recorder does. It costs half as much: the finder encodes the fields of each value
/// once.
extension ChangeFinder {
    /// Starts with a value.
    ///
    /// - Parameter looking: Whether to look for class instances even if the type tells of none.
    /// - Throws: ``TreeError`` if the finder looks for class instances and the value cannot be encoded.
    package func follow(from value: Value, lookingForInstances looking: Bool = false) throws(TreeError) {
        if mayHoldInstances || looking { last = try encode(value) }
        if !keepsNode { last = nil }
        go(to: value, nil)
    }

    /// Starts with a value whose `encode(to:)` writes something else each time, and wrote `node` for this one. From
    /// here on, each value is encoded whole and once.
    package func follow(from value: Value, writtenAs node: Node) {
        comparesWhole = true
        last = node
        go(to: value, nil)
    }

    /// Whether each value is compared with the node of the one before.
    private var keepsNode: Bool { holdsInstances || comparesWhole }

    /// The patch from the value that was followed last to this one, which is then the last.
    ///
    /// - Throws: ``TreeError`` with the path of what cannot be encoded. The last value then stays what it was.
    package func patch(to new: Value) throws(TreeError) -> Patch {
        precondition(isFollowing, "no value to follow from")
        guard hasFields, !keepsNode, !diff.session.isHidden else {
            let patch =
                keepsNode
                ? try patchOfNodes(from: followed.pointee, to: new) : try patchOfFields(from: followed.pointee, to: new)
            if !keepsNode { last = nil }
            go(to: new, nil)
            return patch
        }
        if isSurelySame(new) { return Patch() }
        do {
            // No access to the property may last while code of the app runs. To swap counts no references.
            var reused: FieldEncoder?
            swap(&reused, &spare)
            let fields = try diff.compare(followed.pointee, fields, new, reusing: &reused)
            swap(&spare, &self.fields)
            go(to: new, fields)
            let patch = Patch(diff.takeOperations())
            if diff.session.sawInstance {
                diff.session.sawInstance = false
                last = try encode(new)
            }
            return patch
        } catch {
            defer { diff = ValueDiff(redactor: redactor, writesText: writesText) }
            throw diff.session.wrap(error, .notEncodable)
        }
    }

    /// A field whose changes are missed while values are followed, as a bug would miss them; for tests.
    package var missedField: String? {
        get { diff.missedField }
        set { diff.missedField = newValue }
    }

    /// Releases the value that was followed last.
    package func stopFollowing() {
        if isFollowing { followed.deinitialize(count: 1) }
        isFollowing = false
        (fields, spare) = (nil, nil)
    }

    /// The value that was followed last.
    package var lastFollowed: Value? { isFollowing ? followed.pointee : nil }

    private func go(to value: Value, _ fields: FieldEncoder?) {
        if isFollowing { followed.pointee = value } else { followed.initialize(to: value) }
        isFollowing = true
        self.fields = fields
    }

    /// Whether a value is surely the one that was followed last.
    private func isSurelySame(_ new: Value) -> Bool {
        withUnsafePointer(to: new) { traits.bits.hasSameBits(followed, $0) }
    }

    /// The node of the value that was followed last, if it holds instances.
    package var lastNode: Node? { holdsInstances ? last : nil }

    private var hasFields: Bool { if case .other = traits.kind { true } else { false } }
}
