/// The fast path of ``TextEncoder``: runs a value's `encode(to:)` on a ``JSONStreamWriter``.
///
/// Sound: no code of the app runs while `stream` is changed, so that no two accesses overlap, and `stream` stays at one
/// address for the encoder's life. A stored property would cost a check of exclusive access at each call.
final class JSONStreamEncoder {
    let stream: UnsafeMutablePointer<JSONStreamWriter>
    private let session = CodingSession()
    // Neither is accessed from within a change of it.
    private var traits = TypeCache<EncodingTraits>()
    private var recentFactories = TypeCache<UnsafeRawPointer>()
    private var factories: [ObjectIdentifier: AnyObject] = [:]

    /// A value with more levels falls back.
    private static let maxDepth = 64

    init() {
        stream = .allocate(capacity: 1)
        stream.initialize(to: JSONStreamWriter())
    }

    deinit {
        stream.deinitialize(count: 1)
        stream.deallocate()
    }

    /// Whether the value that was written last holds a class instance.
    var sawInstance: Bool { session.sawInstance }
    /// Whether a part of it was described.
    var hasDescribed: Bool { !session.typesWithoutCoding.isEmpty }
    /// The types because of which it was.
    var typesWithoutCoding: [String] { session.typesWithoutCoding }

    /// Writes a value, alone or as the only member of an object. Returns `nil` if the value falls back.
    func write<T: Encodable>(_ value: T, under key: String? = nil) -> NodeOutline? {
        stream.pointee.clear()
        session.sawInstance = false
        if !session.typesWithoutCoding.isEmpty { session.typesWithoutCoding = [] }
        do {
            if let key { try stream.pointee.beginObject(wrappingUnder: key) }
            try put(value, depth: key == nil ? 0 : 1)
        } catch {
            // The node encoder meets the same error and describes it.
            return nil
        }
        return stream.pointee.finish()
    }

    /// Writes a value that `depth` names lead to.
    func put<T: Encodable>(_ value: T, depth: Int) throws {
        if T.self == String.self { return stream.pointee.put(unsafeBitCast(value, to: String.self)) }
        if T.self == Int.self { return stream.pointee.put(unsafeBitCast(value, to: Int.self)) }
        try check(depth)
        do {
            try withUnsafePointer(to: value) { pointer in
                switch traits(of: T.self) {
                case .leaf(let type):
                    stream.pointee.put(try node(depth) { try type.leafNode(at: pointer, in: $0) })
                case .collection(let type):
                    if try type.write(at: pointer, to: self, depth: depth) { break }
                    stream.pointee.put(try node(depth) { try type.collectionNode(at: pointer, in: $0) })
                case .other:
                    try encode(pointer.pointee, depth)
                case .instance:
                    session.sawInstance = true
                    try encode(pointer.pointee, depth)
                }
            }
        } catch {
            // The app's code may catch the error and go on.
            stream.pointee.fallsBack = true
            throw error
        }
    }

    /// Writes the value of an optional that is not `nil`.
    func put<T: Encodable>(present value: T, depth: Int) throws {
        try check(depth)
        do {
            stream.pointee.put(try node(depth) { try $0.presentNode(for: value) })
        } catch {
            stream.pointee.fallsBack = true
            throw error
        }
    }

    /// The keyed container of a handle.
    ///
    /// Sound: `factories` keeps each factory alive whose address is cached, and the cache finds it by the type of its
    /// keys.
    func container<Key: CodingKey>(_ handle: JSONStreamWriter.Handle) -> KeyedEncodingContainer<Key> {
        let address = recentFactories[ObjectIdentifier(Key.self)] ?? factory(for: Key.self)
        return Unmanaged<KeyedContainerFactory<Key>>.fromOpaque(address)
            ._withUnsafeGuaranteedRef { $0.container(self, handle) }
    }

    @inline(never)
    private func factory<Key: CodingKey>(for type: Key.Type) -> UnsafeRawPointer {
        let id = ObjectIdentifier(type)
        let factory = factories[id] ?? SpecializedContainerFactory<KeyedStreamContainer<Key>>()
        factories[id] = factory
        let address = UnsafeRawPointer(Unmanaged.passUnretained(factory).toOpaque())
        recentFactories[id] = address
        return address
    }

    private func traits<T>(of type: T.Type) -> EncodingTraits {
        let id = ObjectIdentifier(type)
        if let traits = traits[id] { return traits }
        let traits = EncodingTraits.of(type)
        self.traits[id] = traits
        return traits
    }

    private func check(_ depth: Int) throws {
        if depth < Self.maxDepth, stream.pointee.valueDepth < Self.maxDepth, !stream.pointee.fallsBack { return }
        stream.pointee.fallsBack = true
        throw JSONStreamWriter.Fallback()
    }

    /// Writes a value through its own `encode(to:)`.
    private func encode<T: Encodable>(_ value: T, _ depth: Int) throws {
        let handle = stream.pointee.beginValue(depth)
        try value.encode(to: StreamValueEncoder(encoder: self, value: handle))
        try stream.pointee.endValue(handle)
    }

    /// Makes the node of a part, with a session that stands as deep as the part does.
    private func node(_ depth: Int, _ body: (CodingSession) throws -> Node) throws -> Node {
        session.didReadCodingPath = false
        let values = stream.pointee.valueDepth
        // Until this value ends, nothing can be written to those around it.
        let handle = stream.pointee.beginValue(depth)
        let node = try session.atDepth(names: depth, values: values, body)
        if session.didReadCodingPath { throw JSONStreamWriter.Fallback() }
        try stream.pointee.endOpaqueValue(handle)
        return node
    }
}

/// A direct-mapped cache of what is known about the types that were used last.
struct TypeCache<Value> {
    private var table: [(id: ObjectIdentifier, value: Value)?] = Array(repeating: nil, count: 16)

    @inline(__always)
    private static func slot(_ id: ObjectIdentifier) -> Int { Int(UInt(bitPattern: id) >> 4 & 15) }

    /// The entry of a type. Costs a load and a comparison.
    @inline(__always)
    subscript(id: ObjectIdentifier) -> Value? {
        get {
            guard let entry = table[Self.slot(id)], entry.id == id else { return nil }
            return entry.value
        }
        set { table[Self.slot(id)] = newValue.map { (id, $0) } }
    }
}
