/// Collects what a value's `encode(to:)` writes: its fields in order. All nodes come from this encoder.
///
/// An *eager* encoder turns each field into a node as it comes. A *lazy* one keeps the fields as values, so that two
/// values can be compared field by field and only what differs is encoded.
final class FieldEncoder: Encoder {
    enum ContainerKind { case none, single, keyed, unkeyed, mixed }

    enum Content {
        case node(Node)
        case double(Double)
        case float(Float)
        case field(AnyField)
        case nested(FieldEncoder)
    }

    struct Item {
        let key: String
        let content: Content
    }

    let session: CodingSession
    let isLazy: Bool
    /// The path from the encoded value to this container, if it is a nested one.
    let nesting: [PathStep]
    // No code of the app runs while one of these is changed, except the `deinit` of a field, which cannot reach this
    // encoder. So no access needs a check.
    private(set) var kind = ContainerKind.none
    private(set) var items: [Item] = []
    /// Whether it is known that no key was written twice.
    private var hasOnlyUniqueKeys = false
    /// Whether members are left out, since this container is hidden and its keys are data.
    private var dropsMembers = false

    init(session: CodingSession, isLazy: Bool, nesting: [PathStep] = []) {
        self.session = session
        self.isLazy = isLazy
        self.nesting = nesting
    }

    var codingPath: [any CodingKey] {
        session.didReadCodingPath = true
        return session.path + nesting
    }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        setKind(.keyed)
        if session.mayRedact { dropsMembers = hidesKeys(of: type) }
        return KeyedEncodingContainer(KeyedFieldContainer(fields: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        setKind(.unkeyed)
        return UnkeyedFieldContainer(fields: self, isSingle: false)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        setKind(.single)
        return UnkeyedFieldContainer(fields: self, isSingle: true)
    }

    /// A lazy encoder without fields. Reuses the memory of `spare` if nothing else refers to it.
    static func lazy(reusing spare: inout FieldEncoder?, session: CodingSession) -> FieldEncoder {
        guard isKnownUniquelyReferenced(&spare), let fields = spare.take(), fields.session === session, fields.isLazy,
            fields.nesting.isEmpty
        else { return FieldEncoder(session: session, isLazy: true) }
        fields.kind = .none
        fields.items.removeAll(keepingCapacity: true)
        fields.hasOnlyUniqueKeys = false
        fields.dropsMembers = false
        return fields
    }

    private func setKind(_ wanted: ContainerKind) {
        if kind == .none && wanted != .single { items.reserveCapacity(12) }
        kind = kind == .none || kind == wanted ? wanted : .mixed
    }

    // MARK: Collecting fields

    /// Adds a primitive value.
    func append(_ key: String, _ content: Content) {
        add(key, session.mayRedact && !isLazy ? redacted(key, content) : content)
    }

    /// A field to encode later. Notes whether its value is a class instance.
    private func field<T: Encodable>(_ value: T) -> AnyField {
        if TypeMetadata(T.self).isClass { session.sawInstance = true }
        return Field(value)
    }

    private func field<T: Encodable>(present value: T) -> AnyField {
        if TypeMetadata(T.self).isClass { session.sawInstance = true }
        return Field(Optional(value))
    }

    private func add(_ key: String, _ content: Content) {
        if dropsMembers { return }
        items.append(Item(key: key, content: content))
    }

    func append<T: Encodable>(_ step: PathStep, encoding value: T) throws {
        let content: Content =
            isLazy
            ? .field(field(value))
            : .node(try session.descend(nesting, step) { try session.node(for: value) })
        add(kind == .keyed ? step.name : "", content)
    }

    /// Adds the value of an optional field that is not `nil`.
    func append<T: Encodable>(_ step: PathStep, present value: T) throws {
        let content: Content =
            isLazy
            ? .field(field(present: value))
            : .node(try session.descend(nesting, step) { try session.presentNode(for: value) })
        add(kind == .keyed ? step.name : "", content)
    }

    /// Adds the value of a single value container.
    func appendSingle<T: Encodable>(_ value: T) throws {
        add("", isLazy ? .field(field(value)) : .node(try session.descend(nesting) { try session.node(for: value) }))
    }

    /// A container inside this one, or the encoder of a superclass: part of the same value.
    func nested(_ step: PathStep, as nestedKind: ContainerKind) -> FieldEncoder {
        let fields = FieldEncoder(session: session, isLazy: isLazy, nesting: nesting + [step])
        fields.kind = nestedKind
        add(kind == .keyed ? step.name : "", .nested(fields))
        return fields
    }

    func nested<Key: CodingKey>(_ step: PathStep, keyedBy type: Key.Type) -> FieldEncoder {
        let fields = nested(step, as: .keyed)
        if session.mayRedact { fields.dropsMembers = fields.hidesKeys(of: type) }
        return fields
    }

    // MARK: Making nodes

    /// The node of all fields.
    func node() throws -> Node {
        guard nesting.count + session.path.count <= TreeLimits.depth else {
            return try session.descend(nesting, .index(0)) { .null }
        }
        if session.mayRedact, let placeholder = givenPlaceholder { return placeholder }
        switch kind {
        case .none:
            return .object([])
        case .single:
            guard items.count == 1 else {
                throw failure("its encode(to:) asked for a single value container and wrote \(items.count) values")
            }
            return try node(of: items[0])
        case .unkeyed:
            return .array(try items.enumerated().map { try node(of: $1, at: .index($0)) })
        case .keyed:
            let items = uniqueItems()
            return .escapedObject(try items.map { Node.Member($0.key, try node(of: $0, at: .key($0.key))) })
        case .mixed:
            throw failure("its encode(to:) asked for containers of different kinds")
        }
    }

    /// The node of an item. The session must stand at the item.
    func node(of item: Item) throws -> Node {
        switch item.content {
        case .node(let node): isLazy && session.isHidden ? session.placeholder(for: node) : node
        case .double where isLazy && session.isHidden, .float where isLazy && session.isHidden:
            // Also for one that is written as a text, such as infinity.
            session.placeholder(for: .int(0))
        case .double(let value): value.node
        case .float(let value): value.node
        case .nested(let fields): try fields.node()
        case .field(let field): try field.node(in: session)
        }
    }

    /// The items of a keyed container. If a key was written twice, the later value counts.
    func uniqueItems() -> [Item] {
        if !hasRepeatedKeys { return items }
        var places: [ScalarKey: Int] = [:]
        var unique: [Item] = []
        for item in items {
            let key = ScalarKey(item.key)
            if let place = places[key] {
                unique[place] = item
            } else {
                places[key] = unique.count
                unique.append(item)
            }
        }
        return unique
    }

    /// Whether the keys are those of `other`, in the same order.
    ///
    /// If they are, whatever is known about the keys of `other` holds for these.
    func hasKeys(of other: FieldEncoder) -> Bool {
        guard items.count == other.items.count else { return false }
        for index in items.indices where !items[index].key.hasSameScalars(as: other.items[index].key) { return false }
        hasOnlyUniqueKeys = hasOnlyUniqueKeys || other.hasOnlyUniqueKeys
        return true
    }

    var hasRepeatedKeys: Bool {
        if !hasOnlyUniqueKeys { hasOnlyUniqueKeys = !findsRepeatedKey() }
        return !hasOnlyUniqueKeys
    }

    private func findsRepeatedKey() -> Bool {
        if items.count > 16 { return Set(items.map { ScalarKey($0.key) }).count < items.count }
        for index in items.indices.dropFirst() {
            let key = items[index].key
            for earlier in 0..<index where items[earlier].key.hasSameScalars(as: key) { return true }
        }
        return false
    }

    private func failure(_ reason: String) -> TreeError {
        TreeError(.notEncodable, at: NodePath((session.path + nesting).map(\.name)), reason)
    }
}

/// Compares the values of two fields of one type.
protocol FieldComparing {
    func compare<T: Encodable>(_ old: T, _ new: T) throws
}

/// A field's value without its type.
class AnyField {
    func node(in session: CodingSession) throws -> Node { .null }
    func holdsSameBits(as other: AnyField) -> Bool { false }
    func type(at path: ArraySlice<String>) -> Any.Type { Never.self }
    /// Hands the values of this field and of `newer` to `comparer`, or returns `false` if they have different types.
    func compare(to newer: AnyField, with comparer: some FieldComparing) throws -> Bool { false }
}

final class Field<Value: Encodable>: AnyField {
    let value: Value

    init(_ value: Value) { self.value = value }

    override func node(in session: CodingSession) throws -> Node {
        try session.node(for: value)
    }

    override func holdsSameBits(as other: AnyField) -> Bool {
        guard Swift.type(of: other) == Field<Value>.self else { return false }
        return isBitwiseEqual(value, unsafeDowncast(other, to: Field<Value>.self).value)
    }

    override func type(at path: ArraySlice<String>) -> Any.Type { TypeAtPath.type(at: path, in: value) }

    override func compare(to newer: AnyField, with comparer: some FieldComparing) throws -> Bool {
        guard Swift.type(of: newer) == Field<Value>.self else { return false }
        try comparer.compare(value, unsafeDowncast(newer, to: Field<Value>.self).value)
        return true
    }
}
