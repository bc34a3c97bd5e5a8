/// The size and alignment of a type that is known only at run time.
struct TypeLayout {
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

    /// For each byte of a value, `0xFF` if it belongs to a field and 0 if it is padding.
    ///
    /// Bytes are padding only if the fields account for the whole value: each field starts where the one before it
    /// ends, aligned, and the last one ends where the value does. A C struct may have fields that Swift does not list,
    /// such as bit fields, so all of its bytes count.
    static func usedBytes(of type: Any.Type) -> [UInt8] {
        let layout = TypeLayout(of: type)
        let all = Array(repeating: 0xFF as UInt8, count: layout.size)
        let metadata = TypeMetadata(type)
        guard metadata.kind == .structure || metadata.kind == .tuple, TypeOrigin(of: type) == .swift,
            let parts = metadata.parts, !parts.isEmpty
        else { return all }
        var bytes = Array(repeating: 0 as UInt8, count: layout.size)
        var end = 0
        for part in parts {
            guard let type = part.type, let offset = part.offset else { return all }
            let field = TypeLayout(of: type)
            end = (end + field.alignment - 1) & ~(field.alignment - 1)
            guard offset == end else { return all }
            end += field.size
            guard end <= layout.size else { return all }
            for (index, byte) in usedBytes(of: type).enumerated() { bytes[offset + index] |= byte }
        }
        return end == layout.size ? bytes : all
    }
}

/// Where a type is declared.
enum TypeOrigin {
    /// The standard library and Foundation.
    case library
    /// A C header.
    case c
    case swift

    init(of type: Any.Type) {
        let name = String(reflecting: type)
        if name.hasPrefix("__C.") {
            self = .c
        } else {
            self = name.hasPrefix("Swift.") || name.hasPrefix("Foundation") ? .library : .swift
        }
    }
}
