/// A value of any type as a node, by reflection: what can be read of a value that is not `Codable`.
///
/// | value | node |
/// |---|---|
/// | `Encodable`, at any depth | as ``NodeEncoder`` writes it |
/// | a struct or a tuple | an object with its stored properties |
/// | an enum | `{"case": {…}}`, with the labels of the payload, or `_0` |
/// | an array; a set | an array; a sorted one |
/// | a dictionary | an object, or an array of `[key, value]` if its keys are no strings or integers; sorted |
/// | a class instance | `{"$class": "Cart", …}` with its stored properties; `{"$reference": "Cart"}` inside of itself |
/// | a function; a type | `{"$function": "(Int) -> ()"}`; `{"$type": "Int"}` |
/// | what is too deep, or comes after ``maxParts`` parts | `{"$omitted": "Cart"}`, or `{"$omitted": "12 more"}` at the end |
/// | an `unowned` property | not read: `"$unowned": "property 2"` |
/// | an `Encodable` value that fails to encode itself | as one that is not; `{"$omitted": "Cart"}` if a pattern may match in it |
///
/// Nothing can be decoded from it. A property whose name begins with `_` or with the prefix of a lazy one has its name
/// without it, since wrappers and `@Observable` store `total` as `_total`. A type that reflects itself by
/// `CustomReflectable` is described so.
package struct ValueDescription {
    /// The value.
    package private(set) var node: Node
    /// The types that are not `Codable`, each once, in the order in which they were found; with those of functions.
    package private(set) var types: [String] = []

    /// The most parts of one value that are described.
    package static let maxParts = 20_000
    /// The deepest part, counted in values inside of values.
    package static let maxDepth = 64
    /// The deepest class instance inside of other class instances.
    package static let maxReferences = 4

    private let session: CodingSession
    private var kinds: [ObjectIdentifier: Kind] = [:]
    private var noted: Set<ObjectIdentifier> = []
    /// The number of the last part that may be described: a collection leaves half of the rest to what comes after it.
    private var end = Self.maxParts
    private var parts = 0
    /// Whether the present value is inside of a set or a dictionary, which shares its parts in no order.
    private var isInUnordered = false
    /// The path below that of the session.
    private var path: [PathStep] = []
    private var depth = 0
    /// The class instances around the present value.
    private var instances: [ObjectIdentifier] = []

    /// How values of a type are described.
    private enum Kind {
        case encodable(isCodable: Bool)
        case redacted, undescribed, function, metatype
        case text
        case reflected(unowned: Set<Int>)

        init(_ type: Any.Type) {
            if type is any RedactedField.Type {
                self = .redacted
            } else if type is any Encodable.Type {
                self = .encodable(isCodable: type is any Decodable.Type)
            } else if type is any Undescribed.Type {
                self = .undescribed
            } else if type == Character.self || type == Substring.self || type == Unicode.Scalar.self
                || type == StaticString.self
            {
                self = .text
            } else {
                let metadata = TypeMetadata(type)
                self =
                    switch metadata.kind {
                    case .function: .function
                    case .metatype: .metatype
                    default: .reflected(unowned: ValueDescription.unownedFields(of: type))
                    }
            }
        }
    }

    /// Describes a value. Costs one to three microseconds for each part.
    ///
    /// - Parameters:
    ///   - key: The key of an object that has the description as its only member; `nil` for the description alone.
    ///   - redactor: Redacts what its patterns match. ``Redacted`` properties have their placeholders in any case.
    package init(of value: Any, under key: String? = nil, redactor: Redactor? = nil) {
        self.init(of: value, under: key, in: CodingSession(redactor: redactor))
    }

    init(of value: Any, under key: String? = nil, in session: CodingSession) {
        node = .null
        self.session = session
        if let key { path = [.key(key)] }
        let inner = node(of: value)
        node = session.redacted(key.map { Node.object([Node.Member($0, inner)]) } ?? inner)
    }

    /// Whether a value is an enum, which is described as its case.
    package static func isCase(_ value: Any) -> Bool { Mirror(reflecting: value).displayStyle == .enum }

    // MARK: Values

    private mutating func node(of value: Any) -> Node {
        let type = type(of: value)
        parts += 1
        guard parts <= end, depth < Self.maxDepth else { return Self.omitted(type) }
        depth += 1
        defer { depth -= 1 }
        let kind = kind(of: type)
        switch kind {
        case .redacted:
            // An encoder without a redactor then hands the whole value to one that has it.
            session.didReadCodingPath = true
            // Below a hidden value a key may be a secret.
            if !session.isHidden(session.redactionState(after: path)) {
                session.redactor?.note(session.path + path)
            }
            return (value as? any RedactedField)?.placeholder ?? .null
        case .encodable(let isCodable):
            guard let value = value as? any Encodable, let node = try? encoded(value) else {
                return unencoded(value, of: type)
            }
            if !isCodable { note(type) }
            return node
        case .undescribed: return Self.omitted(type)
        case .text: return .string("\(value)")
        case .function:
            note(type)
            return .object([Node.Member("$function", .string(Self.name(of: type)))])
        case .metatype:
            note(type)
            return .object([Node.Member("$type", .string("\(value)"))])
        case .reflected(let unowned): return reflected(value, of: type, unowned)
        }
    }

    private mutating func kind(of type: Any.Type) -> Kind {
        let id = ObjectIdentifier(type)
        if let known = kinds[id] { return known }
        let kind = Kind(type)
        kinds[id] = kind
        return kind
    }

    private func encoded(_ value: any Encodable) throws -> Node {
        guard let last = path.last else { return try session.node(forAny: value) }
        return try session.descend(Array(path.dropLast()), last) { try session.node(forAny: value) }
    }

    /// Describes a value that failed to encode itself.
    private mutating func unencoded(_ value: Any, of type: Any.Type) -> Node {
        switch Mirror(reflecting: value).displayStyle {
        case .collection, .set, .optional: return reflected(value, of: type, [])
        default:
            // Patterns are of the names that its encode(to:) writes. Its properties may have others.
            if session.redactionState(after: path) != PathAutomaton.dead { return Self.omitted(type) }
            return reflected(value, of: type, Self.unownedFields(of: type))
        }
    }

    /// The stored properties that must not be read. What a type shows of itself are no stored properties.
    private static func unownedFields(of type: Any.Type) -> Set<Int> {
        type is any CustomReflectable.Type ? [] : TypeMetadata(type).unownedFields
    }

    private static func omitted(_ type: Any.Type) -> Node {
        .object([Node.Member("$omitted", .string(name(of: type)))])
    }

    private mutating func node(of value: Any, at step: PathStep) -> Node {
        path.append(step)
        defer { path.removeLast() }
        return node(of: value)
    }

    /// - Parameter unowned: The stored properties that must not be read: what they refer to may be gone.
    private mutating func reflected(_ value: Any, of type: Any.Type, _ unowned: Set<Int>) -> Node {
        let mirror = Mirror(reflecting: value)
        switch mirror.displayStyle {
        case .optional:
            guard let node = mirror.children.first.map({ node(of: $0.value) }) else { return .null }
            return node.looksLikeNil ? .object([Node.Member(OptionalTag.some, node)]) : node
        case .collection: return .array(elements(mirror))
        case .set: return unordered(mirror, type) { .array(Self.sorted($0.elements(mirror))) }
        case .dictionary: return unordered(mirror, type) { $0.dictionary(mirror) }
        case .tuple: return .object(members(of: mirror))
        case .enum:
            note(type)
            return enumeration(value, mirror, type)
        case .class, .foreignReference: return instance(value as AnyObject, mirror, type, unowned)
        default:
            note(type)
            return .object(members(of: mirror, unowned))
        }
    }

    private mutating func elements(_ mirror: Mirror) -> [Node] {
        let outer = end
        if !isInUnordered { end = parts + (end - parts) / 2 }
        defer { end = outer }
        var nodes: [Node] = []
        for (index, child) in mirror.children.enumerated() {
            guard parts < end else {
                nodes.append(.object([Node.Member("$omitted", .string("\(mirror.children.count - index) more"))]))
                break
            }
            nodes.append(node(of: child.value, at: .index(index)))
        }
        return nodes
    }

    /// A set or a dictionary with all its parts, or with none if they are too many. Which of them come first is random,
    /// so that some of them would be others each time.
    private mutating func unordered(_ mirror: Mirror, _ type: Any.Type, _ body: (inout Self) -> Node) -> Node {
        let (outer, isInner) = (end, isInUnordered)
        if !isInner { end = parts + (end - parts) / 2 }
        isInUnordered = true
        defer { (end, isInUnordered) = (outer, isInner) }
        if mirror.children.count < end - parts {
            let node = body(&self)
            if parts < end { return node }
        } else if !isInner {
            return Self.omitted(type)
        }
        // What is around this one is too large, too, whatever comes first in it.
        parts = end
        return Self.omitted(type)
    }

    private mutating func enumeration(_ value: Any, _ mirror: Mirror, _ type: Any.Type) -> Node {
        guard let payload = mirror.children.first, let name = payload.label else {
            return .object([Node.Member(Self.caseName(of: value) ?? Self.name(of: type), .object([]))])
        }
        path.append(.key(name))
        defer { path.removeLast() }
        let inside = Mirror(reflecting: payload.value)
        // A payload of one value has no label that reflection knows.
        if inside.displayStyle == .tuple { return .object([Node.Member(name, .object(members(of: inside)))]) }
        return .object([Node.Member(name, .object([Node.Member("_0", node(of: payload.value, at: .key("_0")))]))])
    }

    /// The name of a case; `nil` if reflection metadata was stripped.
    private static func caseName(of value: Any) -> String? {
        func open<T>(_ value: T) -> String? { enumCaseName(value).map { String(cString: $0) } }
        return _openExistential(value, do: open)
    }

    private mutating func instance(
        _ object: AnyObject,
        _ mirror: Mirror,
        _ type: Any.Type,
        _ unowned: Set<Int>
    ) -> Node {
        note(type)
        let id = ObjectIdentifier(object)
        if instances.contains(id) { return .object([Node.Member("$reference", .string(Self.name(of: type)))]) }
        if instances.count == Self.maxReferences { return Self.omitted(type) }
        instances.append(id)
        defer { instances.removeLast() }
        var layers = [(mirror, unowned)]
        while let layer = layers.last?.0.superclassMirror {
            layers.append((layer, TypeMetadata(layer.subjectType).unownedFields))
        }
        var all = [Node.Member("$class", .string(Self.name(of: type)))]
        for (layer, unowned) in layers.reversed() { all += members(of: layer, unowned) }
        return .object(unique(all))
    }

    private mutating func dictionary(_ mirror: Mirror) -> Node {
        var pairs: [(key: Node, value: Node)] = []
        for child in mirror.children {
            let pair = Array(Mirror(reflecting: child.value).children)
            guard pair.count == 2 else { continue }
            let key = node(of: pair[0].value)
            let step: PathStep = Self.text(of: key).map { .entry($0) } ?? .index(pairs.count)
            pairs.append((key, node(of: pair[1].value, at: step)))
        }
        let names = pairs.compactMap { Self.text(of: $0.key) }
        guard names.count == pairs.count else {
            return .array(Self.sorted(pairs.map { .array([$0.key, $0.value]) }))
        }
        let members = zip(names, pairs).map { Node.Member($0, $1.value) }
        return .object(unique(members.sorted { $0.key < $1.key }))
    }

    /// The name of the member that a key makes; `nil` if it makes none.
    private static func text(of key: Node) -> String? {
        switch key {
        case .string(let text): text
        case .int(let number): "\(number)"
        default: nil
        }
    }

    // MARK: Members

    private mutating func members(of mirror: Mirror, _ unowned: Set<Int> = []) -> [Node.Member] {
        var members: [Node.Member] = []
        var place = mirror.children.startIndex
        // A type that reflects itself has other children than stored properties.
        let unowned = mirror.displayStyle == .tuple ? [] : unowned
        for index in 0..<mirror.children.count {
            defer { place = mirror.children.index(after: place) }
            if unowned.contains(index) {
                members.append(Node.Member("$unowned", .string("property \(index + 1)")))
                continue
            }
            let child = mirror.children[place]
            let label = child.label ?? "_\(index)"
            if Self.ignored.contains(label) { continue }
            guard parts < end else {
                members.append(Node.Member("$omitted", .string("\(mirror.children.count - index) more")))
                break
            }
            let name = Self.name(ofProperty: label)
            members.append(Node.Member(name, node(of: child.value, at: .key(name))))
        }
        return unique(members)
    }

    /// What the macro `@Observable` and an actor add, which is no part of their state.
    private static let ignored: Set<String> = ["_$observationRegistrar", "$defaultActor"]

    /// `.0` of a tuple is `_0`, and `_total`, the storage of a wrapped property `total`, is `total`.
    private static func name(ofProperty label: String) -> String {
        if label.hasPrefix("."), let index = Int(label.dropFirst()) { return "_\(index)" }
        for prefix in ["$__lazy_storage_$_", "_"] where label.hasPrefix(prefix) {
            let rest = label.dropFirst(prefix.count)
            if rest.first?.isLetter == true { return String(rest) }
        }
        return label
    }

    /// The members, with `'` behind a name that another one has.
    private func unique(_ members: [Node.Member]) -> [Node.Member] {
        var names: Set<String> = []
        return members.map { member in
            var name = member.key
            while !names.insert(name).inserted { name += "'" }
            return Node.Member(name, member.value)
        }
    }

    private static func sorted(_ nodes: [Node]) -> [Node] {
        nodes.map { (text: $0.json, node: $0) }.sorted { $0.text < $1.text }.map(\.node)
    }

    // MARK: Types

    private mutating func note(_ type: Any.Type) {
        guard noted.insert(ObjectIdentifier(type)).inserted else { return }
        let name = Self.name(of: type)
        if !types.contains(name) { types.append(name) }
    }
}

extension CodingSession {
    /// The description of a value at the session's path. Notes the types that lack `Codable`, and redacted properties.
    func describe<Value>(_ value: Value) -> Node {
        let description = ValueDescription(of: value, in: self)
        // A `nil`, or an empty array, has no part that would tell.
        let types = description.types.isEmpty ? [ValueDescription.name(of: Value.self)] : description.types
        typesWithoutCoding += types.filter { !typesWithoutCoding.contains($0) }
        return description.node
    }
}

/// The name of an enum's case, by which the standard library prints it; `nil` for another value, or without metadata.
@_silgen_name("swift_EnumCaseName")
private func enumCaseName<T>(_ value: T) -> UnsafePointer<CChar>?

/// A ``Redacted`` field of any type.
protocol RedactedField {
    var placeholder: Node { get }
}

extension Redacted: RedactedField {
    var placeholder: Node {
        if let value = wrappedValue.redacted() as? any Encodable, let node = try? NodeEncoder().encode(value) {
            return node
        }
        return .string(Placeholder.text)
    }
}
