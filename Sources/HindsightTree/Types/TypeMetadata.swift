import HindsightSupport

/// The parts of a type, read from the metadata that the Swift runtime keeps for it.
///
/// The standard library's own reflection lists stored properties only on Linux, and the payloads of an enum nowhere.
/// The metadata has both on every platform. Its layout is Swift's ABI: `docs/ABI/TypeMetadata.rst` and
/// `include/swift/ABI/Metadata.h` in Swift's repository. The tests compare the fields with the standard library's
/// `_forEachField`.
///
/// Sound: each read stays within the metadata of an existing type, at offsets that the ABI fixes, and metadata is never
/// freed. A type compiled without reflection metadata has no field descriptor, which is checked.
struct TypeMetadata {
    enum Kind {
        case structure, enumeration, tuple, function, existential, metatype, instance, other
    }

    /// A stored property, an element of a tuple, or the payload of a case.
    struct Part {
        /// `nil` if the runtime does not know the type.
        let type: Any.Type?
        /// Bytes from the start of a value; `nil` for payloads, and for properties whose offset is not fixed.
        let offset: Int?
    }

    let kind: Kind
    private let metadata: UnsafeRawPointer

    init(_ type: Any.Type) {
        metadata = unsafeBitCast(type, to: UnsafeRawPointer.self)
        kind =
            switch metadata.load(as: UInt.self) {
            case 0x200: .structure
            case 0x201, 0x202: .enumeration
            case 0x301: .tuple
            case 0x302: .function
            case 0x303, 0x307: .existential
            case 0x304, 0x306: .metatype
            // A class's metadata starts with a pointer, or with null.
            case 0, 0x800...: .instance
            default: .other
            }
    }

    var isClass: Bool { kind == .instance }

    /// The parts of a struct, an enum or a tuple; `nil` if they are not known.
    var parts: [Part]? {
        guard Self.isRead else { return nil }
        return switch kind {
        case .structure, .enumeration: fields
        case .tuple: elements
        default: nil
        }
    }

    /// The generic arguments of a struct or enum; `nil` if they are not known.
    var typeArguments: [Any.Type]? {
        guard Self.isRead, kind == .structure || kind == .enumeration else { return nil }
        let flags = descriptor.load(as: UInt32.self)
        guard flags & 0x80 != 0 else { return [] }
        // The generic header follows the seven words that describe a struct or an enum, and two that make instances.
        let header = descriptor + 9 * MemoryLayout<Int32>.size
        let count = Int(header.load(as: UInt16.self))
        var slot = arguments
        var types: [Any.Type] = []
        for parameter in 0..<count {
            let parameter = (header + 4 * MemoryLayout<UInt16>.size + parameter).load(as: UInt8.self)
            guard parameter & 0x80 != 0 else { continue }
            switch parameter & 0x3F {
            case 0: types.append(slot.load(as: Any.Type.self))
            case 2: break  // A number, as the count of an InlineArray.
            default: return nil
            }
            slot += MemoryLayout<UInt>.size
        }
        return types
    }

    /// Whether the metadata is read. The environment variable `HINDSIGHT_REFLECTION=off` turns it off, to test what
    /// happens if the platform or a compiler option strips the metadata.
    static let isRead =
        getenv("HINDSIGHT_REFLECTION").map { String(cString: $0) } != "off"
        && MemoryLayout<UInt>.size == 8

    // MARK: Reading

    private var descriptor: UnsafeRawPointer { metadata.load(fromByteOffset: 8, as: UnsafeRawPointer.self) }
    private var arguments: UnsafeRawPointer { metadata + 16 }

    private var elements: [Part] {
        let count = metadata.load(fromByteOffset: 8, as: Int.self)
        return (0..<count).map { index in
            let element = metadata + 24 + index * 16
            return Part(
                type: element.load(as: Any.Type.self),
                offset: Int(element.load(fromByteOffset: 8, as: UInt32.self))
            )
        }
    }

    private var fields: [Part]? {
        guard let list = Self.target(of: descriptor + 16) else { return nil }
        let recordSize = Int(list.load(fromByteOffset: 10, as: UInt16.self))
        let count = Int(list.load(fromByteOffset: 12, as: UInt32.self))
        let offsets = kind == .structure ? fieldOffsets : nil
        return (0..<count).compactMap { index in
            // A case without a payload has no type.
            guard let name = Self.target(of: list + 16 + index * recordSize + 4) else { return nil }
            return Part(type: type(named: name), offset: offsets.map { Int($0[index]) })
        }
    }

    /// The indices of stored properties that are `unowned`, which a struct's or a class's own fields have.
    ///
    /// A mangled name ends with the kind of reference: `Xo` is `unowned`, `Xu` is `unowned(unsafe)`.
    var unownedFields: Set<Int> {
        guard Self.isRead, let list = fieldList else { return [] }
        let recordSize = Int(list.load(fromByteOffset: 10, as: UInt16.self))
        let count = Int(list.load(fromByteOffset: 12, as: UInt32.self))
        return Set(
            (0..<count).filter { index in
                guard let name = Self.target(of: list + 16 + index * recordSize + 4) else { return false }
                let bytes = name.assumingMemoryBound(to: UInt8.self)
                let length = Self.length(ofName: bytes)
                guard length >= 2, bytes[length - 2] == UInt8(ascii: "X") else { return false }
                return [UInt8(ascii: "o"), UInt8(ascii: "u")].contains(bytes[length - 1])
            }
        )
    }

    /// The descriptor of the fields of a struct or of a class that is declared in Swift; `nil` if there is none.
    private var fieldList: UnsafeRawPointer? {
        switch kind {
        case .structure: return Self.target(of: descriptor + 16)
        case .instance:
            #if canImport(Darwin)
                // A class of Objective-C has no such descriptor. The second bit of this word marks one of Swift.
                guard metadata.load(fromByteOffset: 32, as: UInt.self) & 2 != 0 else { return nil }
                let place = 64
            #else
                let place = 40
            #endif
            let descriptor = metadata.load(fromByteOffset: place, as: UnsafeRawPointer?.self)
            return descriptor.flatMap { Self.target(of: $0 + 16) }
        default: return nil
        }
    }

    private var fieldOffsets: UnsafePointer<UInt32>? {
        let words = Int(descriptor.load(fromByteOffset: 24, as: UInt32.self))
        return words == 0 ? nil : (metadata + words * 8).assumingMemoryBound(to: UInt32.self)
    }

    private func type(named name: UnsafeRawPointer) -> Any.Type? {
        let bytes = name.assumingMemoryBound(to: UInt8.self)
        return _getTypeByMangledNameInContext(
            bytes,
            UInt(Self.length(ofName: bytes)),
            genericContext: descriptor,
            genericArguments: arguments
        )
    }

    /// The target of a relative pointer; `nil` for null.
    private static func target(of place: UnsafeRawPointer) -> UnsafeRawPointer? {
        let distance = place.load(as: Int32.self)
        return distance == 0 ? nil : place + Int(distance)
    }

    /// The length of a mangled name. A byte below 0x20 precedes a pointer: four bytes relative, or a word.
    private static func length(ofName name: UnsafePointer<UInt8>) -> Int {
        var length = 0
        while name[length] != 0 {
            switch name[length] {
            case 0x01...0x17: length += 5
            case 0x18...0x1F: length += 1 + MemoryLayout<UInt>.size
            default: length += 1
            }
        }
        return length
    }
}
