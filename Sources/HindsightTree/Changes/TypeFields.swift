/// What is known of a type's values from its parts, without a value.
enum TypeFields {
    /// For each byte of a value `0xFF` if it belongs to a field and 0 if it is padding.
    ///
    /// Bytes are padding only if the fields account for the whole value: each stands where the one before it ends,
    /// aligned, and the last ends where the value does. A C struct may have fields that Swift does not list, such as bit
    /// fields: there all bytes count.
    static func usedBytes(of type: Any.Type) -> [UInt8] {
        let layout = Layout(of: type)
        let all = Array(repeating: 0xFF as UInt8, count: layout.size)
        let metadata = TypeMetadata(type)
        guard metadata.kind == .structure || metadata.kind == .tuple, origin(of: type) == .swift,
            let parts = metadata.parts, !parts.isEmpty
        else { return all }
        var bytes = Array(repeating: 0 as UInt8, count: layout.size)
        var end = 0
        for part in parts {
            guard let type = part.type, let offset = part.offset else { return all }
            let field = Layout(of: type)
            end = (end + field.alignment - 1) & ~(field.alignment - 1)
            guard offset == end else { return all }
            end += field.size
            guard end <= layout.size else { return all }
            for (index, byte) in usedBytes(of: type).enumerated() { bytes[offset + index] |= byte }
        }
        return end == layout.size ? bytes : all
    }

    /// Whether a value may hold, at any depth, an instance of a class that can be encoded: a reference to something that may
    /// change while the reference stays the same.
    ///
    /// The answer is `false` only if it is proved. A class that cannot be encoded does not count: it shows in a node only
    /// through what a value's own `encode(to:)` makes of it.
    static func mayHoldInstances(_ type: Any.Type) -> Bool {
        var visited: Set<ObjectIdentifier> = []
        return mayHoldInstances(type, &visited)
    }

    private static func mayHoldInstances(_ type: Any.Type, _ visited: inout Set<ObjectIdentifier>) -> Bool {
        guard visited.insert(ObjectIdentifier(type)).inserted else { return false }
        if let wrapper = type as? any WrapsTypes.Type {
            return wrapper.wrappedTypes.contains { mayHoldInstances($0, &visited) }
        }
        if type is any LeafCoding.Type || Layout(of: type).isTrivial { return false }
        if type is AnyClass { return type is any Encodable.Type }
        let metadata = TypeMetadata(type)
        switch metadata.kind {
        case .function, .metatype:
            return false
        case .structure, .enumeration, .tuple:
            // A collection keeps its elements behind a pointer: its arguments tell what they are.
            guard let arguments = metadata.kind == .tuple ? [] : metadata.typeArguments else { return true }
            if arguments.contains(where: { mayHoldInstances($0, &visited) }) { return true }
            // The libraries' own types are values, whatever they are made of.
            if origin(of: type) == .library { return type == AnyHashable.self }
            guard let parts = metadata.parts else { return true }
            return parts.contains { part in part.type.map { mayHoldInstances($0, &visited) } ?? true }
        case .existential, .instance, .other:
            return true
        }
    }

    /// Whether values of a type refer to an instance that can be encoded from their own storage: a property or a payload
    /// is one, or an optional one.
    ///
    /// Such a value may hand its encoder on to the instance, which the encoder then does not see.
    static func refersToInstance(_ type: Any.Type) -> Bool {
        var visited: Set<ObjectIdentifier> = []
        return refersToInstance(type, &visited)
    }

    private static func refersToInstance(_ type: Any.Type, _ visited: inout Set<ObjectIdentifier>) -> Bool {
        if type is AnyClass { return type is any Encodable.Type }
        guard visited.insert(ObjectIdentifier(type)).inserted, !Layout(of: type).isTrivial,
            let parts = TypeMetadata(type).parts
        else { return false }
        return parts.contains { part in
            guard let type = part.type else { return false }
            // The encoder sees a part that can be encoded itself.
            let isSeen = type is any Encodable.Type && !(type is AnyClass) && !(type is any OptionalCoding.Type)
            return !isSeen && refersToInstance(type, &visited)
        }
    }

    private enum Origin {
        /// The standard library and Foundation.
        case library
        /// A C header.
        case c
        case swift
    }

    private static func origin(of type: Any.Type) -> Origin {
        let name = String(reflecting: type)
        if name.hasPrefix("__C.") { return .c }
        return name.hasPrefix("Swift.") || name.hasPrefix("Foundation") ? .library : .swift
    }

    private struct Layout {
        let size: Int
        let alignment: Int
        /// Whether a value holds no reference of any kind.
        let isTrivial: Bool

        init(of type: Any.Type) {
            func open<T>(_: T.Type) -> (Int, Int, Bool) {
                (MemoryLayout<T>.size, MemoryLayout<T>.alignment, _isPOD(T.self))
            }
            (size, alignment, isTrivial) = _openExistential(type, do: open)
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
