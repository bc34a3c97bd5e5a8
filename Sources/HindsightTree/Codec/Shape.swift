/// What a value's `encode(to:)` said: its fields in order, before they are nodes.
///
/// A *deep* shape encodes each field as it comes. A *shallow* one keeps the fields as they are, so that two values can
/// be compared field by field and only what differs is encoded.
final class Shape: Encoder {
    enum Form { case none, single, keyed, unkeyed, mixed }

    enum Content {
        case node(Node)
        case double(Double)
        case field(AnyField)
        case shape(Shape)
    }

    struct Item {
        let key: String
        let content: Content
    }

    let session: CodingSession
    let isShallow: Bool
    /// The way from the encoded value to this container, where it is a nested one.
    let nesting: [PathStep]
    // Nothing that the app has written runs while one of these is being changed, but for the `deinit` of what a shape has
    // kept, and that does not know of the shape: so the changes need no looking at.
    @exclusivity(unchecked) private(set) var form = Form.none
    @exclusivity(unchecked) private(set) var items: [Item] = []
    /// Whether no key was written twice, where that is known.
    @exclusivity(unchecked) private var isKnownToHaveUniqueKeys = false
    /// Whether members are left out: all here is hidden, and their keys are data.
    private var dropsMembers = false

    init(session: CodingSession, isShallow: Bool, nesting: [PathStep] = []) {
        self.session = session
        self.isShallow = isShallow
        self.nesting = nesting
    }

    var codingPath: [any CodingKey] {
        session.wasAskedWhere = true
        return session.path + nesting
    }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        become(.keyed)
        if session.isWatched { dropsMembers = hidesKeys(of: type) }
        return KeyedEncodingContainer(KeyedShape(shape: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        become(.unkeyed)
        return UnkeyedShape(shape: self)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        become(.single)
        return SingleShape(shape: self)
    }

    /// A shape that says nothing yet: the spare one, if nobody else has it.
    static func empty(reusing spare: inout Shape?, session: CodingSession, isShallow: Bool) -> Shape {
        guard isKnownUniquelyReferenced(&spare), let shape = spare, shape.session === session,
            shape.isShallow == isShallow, shape.nesting.isEmpty
        else { return Shape(session: session, isShallow: isShallow) }
        shape.form = .none
        shape.items.removeAll(keepingCapacity: true)
        shape.isKnownToHaveUniqueKeys = false
        shape.dropsMembers = false
        return shape
    }

    private func become(_ wanted: Form) {
        if form == .none && wanted != .single { items.reserveCapacity(12) }
        form = form == .none || form == wanted ? wanted : .mixed
    }

    // MARK: Taking fields

    /// Takes a plain value.
    func append(_ key: String, _ content: Content) {
        add(key, session.isWatched && !isShallow ? screened(key, content) : content)
    }

    /// A field whose value is looked at later; notes whether it is an instance of a class.
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
            isShallow
            ? .field(field(value))
            : .node(try session.descend(nesting, step) { try session.node(for: value) })
        add(form == .keyed ? step.name : "", content)
    }

    /// Takes the value of a field that might have been left out.
    func append<T: Encodable>(_ step: PathStep, present value: T) throws {
        let content: Content =
            isShallow
            ? .field(field(present: value))
            : .node(try session.descend(nesting, step) { try session.presentNode(for: value) })
        add(form == .keyed ? step.name : "", content)
    }

    /// Takes the value for which this one stands.
    func appendSingle<T: Encodable>(_ value: T) throws {
        add("", isShallow ? .field(field(value)) : .node(try session.descend(nesting) { try session.node(for: value) }))
    }

    /// A container inside this one, or the encoder of a superclass: part of the same value.
    func nested(_ step: PathStep, as nestedForm: Form) -> Shape {
        let shape = Shape(session: session, isShallow: isShallow, nesting: nesting + [step])
        shape.form = nestedForm
        add(form == .keyed ? step.name : "", .shape(shape))
        return shape
    }

    func nested<Key: CodingKey>(_ step: PathStep, keyedBy type: Key.Type) -> Shape {
        let shape = nested(step, as: .keyed)
        if session.isWatched { shape.dropsMembers = shape.hidesKeys(of: type) }
        return shape
    }

    // MARK: The node

    /// The node of all that was said.
    func node() throws -> Node {
        guard nesting.count + session.path.count <= TreeLimits.depth else {
            return try session.descend(nesting, .index(0)) { .null }
        }
        if session.isWatched, let placeholder = givenPlaceholder { return placeholder }
        switch form {
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

    /// The node of an item at whose place the session stands.
    func node(of item: Item) throws -> Node {
        switch item.content {
        case .node(let node): isShallow && session.isHidden ? session.placeholder(for: node) : node
        case .double where isShallow && session.isHidden: session.placeholder(for: .int(0))
        case .double(let value): try value.leafNode(in: session)
        case .shape(let shape): try shape.node()
        case .field(let field):
            try field.node(in: session)
        }
    }

    /// The items of a keyed container; where a key was written twice, the later value stands.
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

    /// Whether the keys are those of another shape, in their order.
    ///
    /// What is known of that one's keys is then known of these.
    func hasKeys(of other: Shape) -> Bool {
        guard items.count == other.items.count else { return false }
        for index in items.indices where !items[index].key.hasSameScalars(as: other.items[index].key) { return false }
        isKnownToHaveUniqueKeys = isKnownToHaveUniqueKeys || other.isKnownToHaveUniqueKeys
        return true
    }

    var hasRepeatedKeys: Bool {
        if isKnownToHaveUniqueKeys { return false }
        isKnownToHaveUniqueKeys = !looksForRepeatedKeys()
        return !isKnownToHaveUniqueKeys
    }

    private func looksForRepeatedKeys() -> Bool {
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

/// A field's value with its type forgotten.
class AnyField {
    func node(in session: CodingSession) throws -> Node { .null }
    func holdsSameBits(as other: AnyField) -> Bool { false }
    func type(at path: ArraySlice<String>) -> Any.Type { Never.self }
    /// Tells `walk` what changed from this field to `newer`; `false` where the two are not of one type.
    func findChanges(to newer: AnyField, in walk: ChangeWalk) throws -> Bool { false }
}

final class Field<Value: Encodable>: AnyField {
    let value: Value

    init(_ value: Value) { self.value = value }

    override func node(in session: CodingSession) throws -> Node {
        try session.node(for: value)
    }

    override func holdsSameBits(as other: AnyField) -> Bool {
        guard Swift.type(of: other) == Field<Value>.self else { return false }
        return SameBits.areThe(value, unsafeDowncast(other, to: Field<Value>.self).value)
    }

    override func type(at path: ArraySlice<String>) -> Any.Type { TypeAtPath.type(at: path, in: value) }

    override func findChanges(to newer: AnyField, in walk: ChangeWalk) throws -> Bool {
        guard Swift.type(of: newer) == Field<Value>.self else { return false }
        try walk.compare(value, unsafeDowncast(newer, to: Field<Value>.self).value)
        return true
    }
}
