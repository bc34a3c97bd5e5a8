/// A value of any type as a node, by reflection: what can be read of a value that is not `Codable`.
///
/// | value | node |
/// |---|---|
/// | a value that is `Encodable`, at any depth | as ``NodeEncoder`` writes it |
/// | a struct or a tuple | an object with its stored properties |
/// | an enum | `{"case": {…}}`, with the labels of the payload, or `_0` |
/// | an array or a set; a dictionary | an array, that of a set sorted; an object, or an array of `[key, value]`, sorted |
/// | a class instance | `{"$class": "Cart", …}` with its stored properties; `{"$reference": "Cart"}` inside of itself |
/// | a function; a type | `{"$function": "(Int) -> ()"}`; `{"$type": "Int"}` |
/// | what is too deep, or comes after ``maxParts`` parts | `{"$omitted": "Cart"}` |
///
/// Nothing can be decoded from it. A property of a wrapper or an `@Observable` class has its name without `_`. What a
/// type shows of itself by `CustomReflectable` is what is described.
package struct ValueDescription {
    /// The value.
    package private(set) var node: Node
    /// The types that are not `Codable`, each once, in the order in which they were found; with those of functions.
    package private(set) var types: [String] = []
    /// Whether the value is an enum.
    package let isCase: Bool

    /// The most parts of one value that are described.
    package static let maxParts = 20_000
    /// The deepest part, counted in values inside of values.
    package static let maxDepth = 64
    /// The deepest class instance inside of other class instances.
    package static let maxReferences = 4

    private var found: Set<String> = []
    private var parts = 0
    private var depth = 0
    /// The class instances around the present value.
    private var instances: [ObjectIdentifier] = []

    /// Describes a value. Costs about a microsecond for each part. ``Redacted`` properties have their placeholders; patterns are the caller's.
    package init(of value: Any) {
        node = .null
        isCase = Mirror(reflecting: value).displayStyle == .enum
        node = node(of: value)
    }

    // MARK: Values

    private mutating func node(of value: Any) -> Node {
        let type = type(of: value)
        parts += 1
        guard parts <= Self.maxParts, depth < Self.maxDepth else {
            return .object([Node.Member("$omitted", .string("\(type)"))])
        }
        depth += 1
        defer { depth -= 1 }
        if let field = value as? any RedactedField { return field.placeholder }
        if let value = value as? any Encodable, let node = try? NodeEncoder().encode(value) {
            if !(type is any Decodable.Type) { note(type) }
            return node
        }
        switch TypeMetadata(type).kind {
        case .function:
            note(type)
            return .object([Node.Member("$function", .string("\(type)"))])
        case .metatype:
            note(type)
            return .object([Node.Member("$type", .string("\(value)"))])
        default: return reflected(value, of: type)
        }
    }

    private mutating func reflected(_ value: Any, of type: Any.Type) -> Node {
        let mirror = Mirror(reflecting: value)
        switch mirror.displayStyle {
        case .optional: return mirror.children.first.map { node(of: $0.value) } ?? .null
        case .collection: return .array(mirror.children.map { node(of: $0.value) })
        case .set: return .array(sorted(mirror.children.map { node(of: $0.value) }))
        case .dictionary: return dictionary(mirror)
        case .tuple: return .object(members(of: mirror))
        case .enum:
            note(type)
            return enumeration(value, mirror)
        case .class, .foreignReference: return instance(value as AnyObject, mirror, type)
        default:
            note(type)
            return .object(members(of: mirror))
        }
    }

    private mutating func enumeration(_ value: Any, _ mirror: Mirror) -> Node {
        guard let payload = mirror.children.first, let name = payload.label else {
            // Only its text tells a case without a payload.
            return .object([Node.Member("\(value)", .object([]))])
        }
        let inside = Mirror(reflecting: payload.value)
        // A payload of one value has no label that reflection knows.
        let members =
            inside.displayStyle == .tuple
            ? members(of: inside) : [Node.Member("_0", node(of: payload.value))]
        return .object([Node.Member(name, .object(members))])
    }

    private mutating func instance(_ object: AnyObject, _ mirror: Mirror, _ type: Any.Type) -> Node {
        note(type)
        let id = ObjectIdentifier(object)
        if instances.contains(id) || instances.count == Self.maxReferences {
            return .object([Node.Member("$reference", .string("\(type)"))])
        }
        instances.append(id)
        defer { instances.removeLast() }
        var layers = [mirror]
        while let layer = layers.last?.superclassMirror { layers.append(layer) }
        var all = [Node.Member("$class", .string("\(type)"))]
        for layer in layers.reversed() { all += members(of: layer) }
        return .object(unique(all))
    }

    private mutating func dictionary(_ mirror: Mirror) -> Node {
        var pairs: [(key: Node, value: Node)] = []
        for child in mirror.children {
            let pair = Array(Mirror(reflecting: child.value).children)
            guard pair.count == 2 else { continue }
            pairs.append((node(of: pair[0].value), node(of: pair[1].value)))
        }
        let names = pairs.compactMap { pair in if case .string(let name) = pair.key { name } else { nil as String? } }
        guard names.count == pairs.count else {
            return .array(sorted(pairs.map { .array([$0.key, $0.value]) }))
        }
        return .object(zip(names, pairs).map { Node.Member($0, $1.value) }.sorted { $0.key < $1.key })
    }

    // MARK: Members

    private mutating func members(of mirror: Mirror) -> [Node.Member] {
        var members: [Node.Member] = []
        for (index, child) in mirror.children.enumerated() {
            let label = child.label ?? "_\(index)"
            // What the macro `@Observable` adds to a class is no part of its state.
            if label == "_$observationRegistrar" { continue }
            members.append(Node.Member(Self.name(ofProperty: label), node(of: child.value)))
        }
        return unique(members)
    }

    /// `.0` of a tuple is `_0`, and `_total`, the storage of a wrapped property `total`, is `total`.
    private static func name(ofProperty label: String) -> String {
        if label.hasPrefix("."), let index = Int(label.dropFirst()) { return "_\(index)" }
        guard label.hasPrefix("_"), let first = label.dropFirst().first, first.isLetter else { return label }
        return String(label.dropFirst())
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

    private func sorted(_ nodes: [Node]) -> [Node] { nodes.sorted { $0.json < $1.json } }

    private mutating func note(_ type: Any.Type) {
        let name = "\(type)"
        if found.insert(name).inserted { types.append(name) }
    }
}

extension ValueDescription {
    /// The types that keep a type from being `Codable`, the type first, as far as its stored properties and payloads tell.
    ///
    /// Empty if it is `Codable`.
    package static func typesWithoutCoding(in type: Any.Type) -> [String] {
        var (names, visited): ([String], Set<ObjectIdentifier>) = ([], [])
        func visit(_ type: Any.Type) {
            guard visited.insert(ObjectIdentifier(type)).inserted, !(type is any Codable.Type) else { return }
            let metadata = TypeMetadata(type)
            let arguments = metadata.typeArguments ?? []
            if TypeOrigin(of: type) != .library || metadata.kind == .function { names.append("\(type)") }
            arguments.forEach(visit)
            if TypeOrigin(of: type) != .library { for part in metadata.parts ?? [] { part.type.map(visit) } }
        }
        visit(type)
        return names
    }
}

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
