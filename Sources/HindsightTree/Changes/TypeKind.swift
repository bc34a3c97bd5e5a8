/// What kind of type a type is, as far as it matters here.
enum TypeKind {
    /// A struct or a tuple: the types whose fields the runtime can list.
    case fields
    /// A protocol's existential, which may hold anything.
    case existential
    /// An enum, a class, a function or something else.
    case other

    /// Sound: a type is a pointer to its metadata, and the first word of that is the kind, or for a class a pointer or
    /// null. This and the numbers are Swift's ABI (`MetadataKind.def` in its sources), on all platforms.
    init(of type: Any.Type) {
        switch unsafeBitCast(type, to: UnsafePointer<UInt>.self).pointee {
        case 0x200, 0x301: self = .fields
        case 0x303, 0x307: self = .existential
        default: self = .other
        }
    }
}
