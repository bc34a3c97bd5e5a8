/// The way of a value's `encode(to:)` into a ``DraftText``: calls what the app has written, and keeps what it says.
///
/// Sound: nothing that the app has written runs while `text` is being changed, so no two changes of it overlap; and it
/// stands at one place for the draft's life. The compiler would look at every change whether that is so.
final class TextDraft {
    let text: UnsafeMutablePointer<DraftText>
    private let session = CodingSession()
    // Neither of them is touched from within a change of it.
    @exclusivity(unchecked) private var kinds = LastTypes<TypeTraits.Kind>()
    @exclusivity(unchecked) private var lastMakers = LastTypes<UnsafeRawPointer>()
    private var makers: [ObjectIdentifier: AnyObject] = [:]

    /// Beyond so many levels, somebody else does better.
    private static let deepest = 64

    init() {
        text = .allocate(capacity: 1)
        text.initialize(to: DraftText())
    }

    deinit {
        text.deinitialize(count: 1)
        text.deallocate()
    }

    /// Whether the value that was written last holds a class instance.
    var sawInstance: Bool { session.sawInstance }

    /// Writes a value, alone or as the only member of an object; `nil` where it does not fit.
    func write<T: Encodable>(_ value: T, under key: String? = nil) -> NodeOutline? {
        text.pointee.clear()
        session.sawInstance = false
        do {
            if let key { try text.pointee.beginLone(key) }
            try put(value, depth: key == nil ? 0 : 1)
        } catch {
            // Whatever it was: the node encoder finds it too, and says it well.
            return nil
        }
        return text.pointee.finish()
    }

    /// Writes a value with so many names on the way to it.
    func put<T: Encodable>(_ value: T, depth: Int) throws {
        if T.self == String.self { return text.pointee.put(unsafeBitCast(value, to: String.self)) }
        if T.self == Int.self { return text.pointee.put(unsafeBitCast(value, to: Int.self)) }
        try check(depth)
        do {
            try withUnsafePointer(to: value) { pointer in
                switch kind(of: T.self) {
                case .leaf(let type):
                    text.pointee.put(try node(depth) { try type.leafNode(at: pointer, in: $0) })
                case .collection(let type):
                    if try type.write(at: pointer, to: self, depth: depth) { break }
                    text.pointee.put(try node(depth) { try type.collectionNode(at: pointer, in: $0) })
                case .other:
                    try putDescribed(pointer.pointee, depth)
                case .instance:
                    session.sawInstance = true
                    try putDescribed(pointer.pointee, depth)
                }
            }
        } catch {
            // A user's code may catch it and go on.
            text.pointee.isUnfit = true
            throw error
        }
    }

    /// Writes a value that is there, where `nil` might have been.
    func put<T: Encodable>(present value: T, depth: Int) throws {
        try check(depth)
        do {
            text.pointee.put(try node(depth) { try $0.presentNode(for: value) })
        } catch {
            text.pointee.isUnfit = true
            throw error
        }
    }

    /// The container of a handle.
    ///
    /// Sound: a maker stays alive in `makers` once its place is known, and stands there by the type of its keys.
    func container<Key: CodingKey>(_ handle: DraftText.Handle) -> KeyedEncodingContainer<Key> {
        let place = lastMakers[ObjectIdentifier(Key.self)] ?? maker(of: Key.self)
        return Unmanaged<KeyedTextMaker<Key>>.fromOpaque(place)._withUnsafeGuaranteedRef { $0.container(self, handle) }
    }

    @inline(never)
    private func maker<Key: CodingKey>(of type: Key.Type) -> UnsafeRawPointer {
        let id = ObjectIdentifier(type)
        let maker = makers[id] ?? KeyedTextMakerOf<KeyedText<Key>>()
        makers[id] = maker
        let place = UnsafeRawPointer(Unmanaged.passUnretained(maker).toOpaque())
        lastMakers[id] = place
        return place
    }

    private func kind<T>(of type: T.Type) -> TypeTraits.Kind {
        let id = ObjectIdentifier(type)
        if let kind = kinds[id] { return kind }
        let kind = TypeTraits.of(type).kind
        kinds[id] = kind
        return kind
    }

    private func check(_ depth: Int) throws {
        if depth < Self.deepest, text.pointee.depthOfValues < Self.deepest, !text.pointee.isUnfit { return }
        text.pointee.isUnfit = true
        throw DraftText.Unfit()
    }

    /// Writes a value that describes itself.
    private func putDescribed<T: Encodable>(_ value: T, _ depth: Int) throws {
        let place = text.pointee.beginValue(depth)
        try value.encode(to: TextPlace(draft: self, value: place))
        try text.pointee.endValue(place)
    }

    /// Makes a node of a part, as if all names had been gone through on the way.
    private func node(_ depth: Int, _ body: (CodingSession) throws -> Node) throws -> Node {
        session.wasAskedWhere = false
        let values = text.pointee.depthOfValues
        // What is around it cannot be written to meanwhile.
        let place = text.pointee.beginValue(depth)
        let node = try session.standing(depth, within: values, body)
        if session.wasAskedWhere { throw DraftText.Unfit() }
        try text.pointee.giveUp(place)
        return node
    }
}
