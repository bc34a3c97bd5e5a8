#if os(Linux)
    @_spi(Reflection) import Swift
#endif

/// What the runtime tells about the fields of a type.
///
/// `_forEachField` is the standard library's own reflection of stored properties with their offsets. Where a toolchain
/// does not offer it, no fields are known: then all bytes of a value count, which costs closer looks and nothing else.
enum TypeFields {
    struct Field {
        let type: Any.Type
        let offset: Int
    }

    /// The stored properties of a struct or the elements of a tuple; empty where they cannot be known.
    static func fields(of type: Any.Type) -> [Field] {
        // Asked for the fields of an existential, the runtime looks into a value that is not there, and traps.
        guard TypeKind(of: type) == .fields else { return [] }
        #if os(Linux)
            var fields: [Field] = []
            let isKnown = _forEachField(of: type) { _, offset, fieldType, _ in
                fields.append(Field(type: fieldType, offset: offset))
                return true
            }
            return isKnown ? fields : []
        #else
            return []
        #endif
    }

    /// For each byte of a value `0xFF` where it belongs to a field and 0 where it is padding.
    static func usedBytes(of type: Any.Type) -> [UInt8] {
        let size = size(of: type)
        let fields = type is AnyClass || isFromStandardLibrary(type) ? [] : fields(of: type)
        guard !fields.isEmpty else { return Array(repeating: 0xFF, count: size) }
        var bytes = Array(repeating: 0 as UInt8, count: size)
        for field in fields {
            for (index, byte) in usedBytes(of: field.type).enumerated() where field.offset + index < size {
                bytes[field.offset + index] |= byte
            }
        }
        return bytes
    }

    /// Whether a value may hold a class instance that can be encoded: a reference to something that may change while
    /// the reference stays the same.
    ///
    /// An existential may hold one. Classes that cannot be encoded do not count. They never show in a node but through a value that keeps its
    /// storage in one, and such a value puts another storage in its place when it changes, as the old one is held.
    static func holdsInstances(_ type: Any.Type) -> Bool {
        var visited: Set<ObjectIdentifier> = []
        return holdsInstances(type, &visited)
    }

    private static func holdsInstances(_ type: Any.Type, _ visited: inout Set<ObjectIdentifier>) -> Bool {
        guard visited.insert(ObjectIdentifier(type)).inserted else { return false }
        if let wrapper = type as? any WrapsTypes.Type {
            return wrapper.wrappedTypes.contains { holdsInstances($0, &visited) }
        }
        // Before the names are looked at: that of `any Error` begins with Swift, too.
        if TypeKind(of: type) == .existential { return true }
        if isFromStandardLibrary(type) { return false }
        if type is AnyClass { return type is any Encodable.Type }
        return fields(of: type).contains { holdsInstances($0.type, &visited) }
    }

    private static func size(of type: Any.Type) -> Int {
        func open<T>(_: T.Type) -> Int { MemoryLayout<T>.size }
        return _openExistential(type, do: open)
    }

    private static func isFromStandardLibrary(_ type: Any.Type) -> Bool {
        let name = String(reflecting: type)
        return name.hasPrefix("Swift.") || name.hasPrefix("Foundation.") || name.hasPrefix("FoundationEssentials.")
    }
}

/// A type of the standard library that holds values of other types.
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
