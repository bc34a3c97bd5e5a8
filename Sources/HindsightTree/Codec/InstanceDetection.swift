/// Tells whether values of a type may hold class instances that can be encoded: references to something that may change
/// while the reference stays the same.
enum InstanceDetection {
    /// Whether a value may hold such an instance at any depth.
    ///
    /// The answer is `false` only if it is proved. A class that cannot be encoded does not count: it shows in a node
    /// only through what a value's own `encode(to:)` makes of it.
    ///
    /// - Parameter anyReference: Whether a class that cannot be encoded counts, too, and so does a closure.
    static func mayHoldInstances(_ type: Any.Type, anyReference: Bool = false) -> Bool {
        var visited: Set<ObjectIdentifier> = []
        return mayHoldInstances(type, anyReference, &visited)
    }

    private static func mayHoldInstances(
        _ type: Any.Type,
        _ anyReference: Bool,
        _ visited: inout Set<ObjectIdentifier>
    ) -> Bool {
        guard visited.insert(ObjectIdentifier(type)).inserted else { return false }
        // Reflection shows what is behind any reference.
        if type is any DescribedValue.Type { return true }
        if let wrapper = type as? any WrapsTypes.Type {
            return wrapper.wrappedTypes.contains { mayHoldInstances($0, anyReference, &visited) }
        }
        if type is any LeafCoding.Type || TypeLayout(of: type).isTrivial { return false }
        if type is AnyClass { return anyReference || type is any Encodable.Type }
        let metadata = TypeMetadata(type)
        switch metadata.kind {
        case .function: return anyReference
        case .metatype: return false
        case .structure, .enumeration, .tuple:
            // A collection keeps its elements behind a pointer. Its generic arguments tell what they are.
            guard let arguments = metadata.kind == .tuple ? [] : metadata.typeArguments else { return true }
            if arguments.contains(where: { mayHoldInstances($0, anyReference, &visited) }) { return true }
            // The libraries' own types are values, whatever they are made of.
            if TypeOrigin(of: type) == .library { return type == AnyHashable.self }
            guard let parts = metadata.parts else { return true }
            return parts.contains { part in part.type.map { mayHoldInstances($0, anyReference, &visited) } ?? true }
        case .existential, .instance, .other:
            return true
        }
    }

    /// Whether a property or a payload of a value, in the value's own storage, is such an instance or an optional one.
    ///
    /// The value's `encode(to:)` may hand its encoder on to the instance, and the encoder then does not see the
    /// instance.
    static func refersToInstance(_ type: Any.Type) -> Bool {
        var visited: Set<ObjectIdentifier> = []
        return refersToInstance(type, &visited)
    }

    private static func refersToInstance(_ type: Any.Type, _ visited: inout Set<ObjectIdentifier>) -> Bool {
        if type is AnyClass { return type is any Encodable.Type }
        guard visited.insert(ObjectIdentifier(type)).inserted, !TypeLayout(of: type).isTrivial,
            let parts = TypeMetadata(type).parts
        else { return false }
        return parts.contains { part in
            guard let type = part.type else { return false }
            // The encoder sees a part that can be encoded itself.
            let isSeen = type is any Encodable.Type && !(type is AnyClass) && !(type is any OptionalCoding.Type)
            return !isSeen && refersToInstance(type, &visited)
        }
    }
}

/// A type of the standard library that holds values of other types behind a pointer, or in a way of its own.
private protocol WrapsTypes {
    static var wrappedTypes: [Any.Type] { get }
}

extension Optional: WrapsTypes {
    static var wrappedTypes: [Any.Type] { [Wrapped.self] }
}

extension Array: WrapsTypes {
    static var wrappedTypes: [Any.Type] { [Element.self] }
}

extension ContiguousArray: WrapsTypes {
    static var wrappedTypes: [Any.Type] { [Element.self] }
}

extension Set: WrapsTypes {
    static var wrappedTypes: [Any.Type] { [Element.self] }
}

extension Dictionary: WrapsTypes {
    static var wrappedTypes: [Any.Type] { [Key.self, Value.self] }
}
