/// The encoder and the three containers through which a value describes itself to a ``TextDraft``.

struct TextPlace: Encoder {
    let draft: TextDraft
    let value: DraftText.Handle

    var codingPath: [any CodingKey] { draft.noPath }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        draft.container(draft.text.pointee.open(value, as: .keyed))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        UnkeyedText(draft: draft, handle: draft.text.pointee.open(value, as: .unkeyed))
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        draft.text.pointee.openSingle(value)
        return SingleText(draft: draft, value: value)
    }
}

extension TextPlace: HidingEncoder {
    /// Whoever hides it has to know where it stands.
    func noteHiddenField() { draft.text.pointee.isUnfit = true }
}

extension TextDraft {
    /// Where one stands: what is written may depend on it.
    fileprivate var noPath: [any CodingKey] {
        text.pointee.isUnfit = true
        return []
    }

    /// The encoder of what a draft has no place for.
    fileprivate var noEncoder: any Encoder {
        text.pointee.isUnfit = true
        return TextPlace(draft: self, value: .none)
    }
}

struct KeyedText<Key: CodingKey>: KeyedDraftContainer {
    let draft: TextDraft
    let handle: DraftText.Handle
    var codingPath: [any CodingKey] { draft.noPath }

    @inline(__always)
    private func member(_ key: Key, _ put: (UnsafeMutablePointer<DraftText>) -> Void) throws {
        try draft.text.pointee.begin(key.stringValue, in: handle)
        put(draft.text)
    }

    func encodeNil(forKey key: Key) throws { try member(key) { $0.pointee.put(Node.null) } }
    func encode(_ value: Bool, forKey key: Key) throws { try member(key) { $0.pointee.put(value) } }
    func encode(_ value: String, forKey key: Key) throws { try member(key) { $0.pointee.put(value) } }
    func encode(_ value: Double, forKey key: Key) throws { try member(key) { $0.pointee.put(value) } }
    func encode(_ value: Float, forKey key: Key) throws { try member(key) { $0.pointee.put(value.node) } }
    func encode(_ value: Int, forKey key: Key) throws { try member(key) { $0.pointee.put(value) } }
    func encode(_ value: Int8, forKey key: Key) throws { try member(key) { $0.pointee.put(integer: value) } }
    func encode(_ value: Int16, forKey key: Key) throws { try member(key) { $0.pointee.put(integer: value) } }
    func encode(_ value: Int32, forKey key: Key) throws { try member(key) { $0.pointee.put(integer: value) } }
    func encode(_ value: Int64, forKey key: Key) throws { try member(key) { $0.pointee.put(integer: value) } }
    func encode(_ value: UInt, forKey key: Key) throws { try member(key) { $0.pointee.put(integer: value) } }
    func encode(_ value: UInt8, forKey key: Key) throws { try member(key) { $0.pointee.put(integer: value) } }
    func encode(_ value: UInt16, forKey key: Key) throws { try member(key) { $0.pointee.put(integer: value) } }
    func encode(_ value: UInt32, forKey key: Key) throws { try member(key) { $0.pointee.put(integer: value) } }
    func encode(_ value: UInt64, forKey key: Key) throws { try member(key) { $0.pointee.put(integer: value) } }
    func encode(_ value: Int128, forKey key: Key) throws { try member(key) { $0.pointee.put(integer: value) } }
    func encode(_ value: UInt128, forKey key: Key) throws { try member(key) { $0.pointee.put(integer: value) } }

    func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
        try draft.put(value, depth: try draft.text.pointee.begin(key.stringValue, in: handle))
    }

    func encodeIfPresent<T: Encodable>(_ value: T?, forKey key: Key) throws {
        guard let value else { return }
        try draft.put(present: value, depth: try draft.text.pointee.begin(key.stringValue, in: handle))
    }

    private func nested(_ key: Key, isKeyed: Bool) -> DraftText.Handle {
        // Where it throws, the draft is unfit.
        guard (try? draft.text.pointee.begin(key.stringValue, in: handle)) != nil else { return .none }
        return draft.text.pointee.openNested(in: handle, isKeyed: isKeyed)
    }

    func nestedContainer<Nested: CodingKey>(keyedBy: Nested.Type, forKey key: Key) -> KeyedEncodingContainer<Nested> {
        draft.container(nested(key, isKeyed: true))
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        UnkeyedText(draft: draft, handle: nested(key, isKeyed: false))
    }

    func superEncoder() -> any Encoder { draft.noEncoder }
    func superEncoder(forKey key: Key) -> any Encoder { draft.noEncoder }
}

struct UnkeyedText: UnkeyedEncodingContainer {
    let draft: TextDraft
    let handle: DraftText.Handle
    var codingPath: [any CodingKey] { draft.noPath }
    var count: Int { draft.text.pointee.count(handle) }

    @inline(__always)
    private func element(_ put: (UnsafeMutablePointer<DraftText>) -> Void) throws {
        try draft.text.pointee.begin(in: handle)
        put(draft.text)
    }

    func encodeNil() throws { try element { $0.pointee.put(Node.null) } }
    func encode(_ value: Bool) throws { try element { $0.pointee.put(value) } }
    func encode(_ value: String) throws { try element { $0.pointee.put(value) } }
    func encode(_ value: Double) throws { try element { $0.pointee.put(value) } }
    func encode(_ value: Float) throws { try element { $0.pointee.put(value.node) } }
    func encode(_ value: Int) throws { try element { $0.pointee.put(value) } }
    func encode(_ value: Int8) throws { try element { $0.pointee.put(integer: value) } }
    func encode(_ value: Int16) throws { try element { $0.pointee.put(integer: value) } }
    func encode(_ value: Int32) throws { try element { $0.pointee.put(integer: value) } }
    func encode(_ value: Int64) throws { try element { $0.pointee.put(integer: value) } }
    func encode(_ value: UInt) throws { try element { $0.pointee.put(integer: value) } }
    func encode(_ value: UInt8) throws { try element { $0.pointee.put(integer: value) } }
    func encode(_ value: UInt16) throws { try element { $0.pointee.put(integer: value) } }
    func encode(_ value: UInt32) throws { try element { $0.pointee.put(integer: value) } }
    func encode(_ value: UInt64) throws { try element { $0.pointee.put(integer: value) } }
    func encode(_ value: Int128) throws { try element { $0.pointee.put(integer: value) } }
    func encode(_ value: UInt128) throws { try element { $0.pointee.put(integer: value) } }

    func encode<T: Encodable>(_ value: T) throws {
        try draft.put(value, depth: try draft.text.pointee.begin(in: handle))
    }

    private func nested(isKeyed: Bool) -> DraftText.Handle {
        // Where it throws, the draft is unfit.
        guard (try? draft.text.pointee.begin(in: handle)) != nil else { return .none }
        return draft.text.pointee.openNested(in: handle, isKeyed: isKeyed)
    }

    func nestedContainer<Nested: CodingKey>(keyedBy: Nested.Type) -> KeyedEncodingContainer<Nested> {
        draft.container(nested(isKeyed: true))
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        UnkeyedText(draft: draft, handle: nested(isKeyed: false))
    }

    func superEncoder() -> any Encoder { draft.noEncoder }
}

struct SingleText: SingleValueEncodingContainer {
    let draft: TextDraft
    let value: DraftText.Handle
    var codingPath: [any CodingKey] { draft.noPath }

    @inline(__always)
    private func single(_ put: (UnsafeMutablePointer<DraftText>) -> Void) throws {
        try draft.text.pointee.beginSingle(value)
        put(draft.text)
    }

    func encodeNil() throws { try single { $0.pointee.put(Node.null) } }
    func encode(_ value: Bool) throws { try single { $0.pointee.put(value) } }
    func encode(_ value: String) throws { try single { $0.pointee.put(value) } }
    func encode(_ value: Double) throws { try single { $0.pointee.put(value) } }
    func encode(_ value: Float) throws { try single { $0.pointee.put(value.node) } }
    func encode(_ value: Int) throws { try single { $0.pointee.put(value) } }
    func encode(_ value: Int8) throws { try single { $0.pointee.put(integer: value) } }
    func encode(_ value: Int16) throws { try single { $0.pointee.put(integer: value) } }
    func encode(_ value: Int32) throws { try single { $0.pointee.put(integer: value) } }
    func encode(_ value: Int64) throws { try single { $0.pointee.put(integer: value) } }
    func encode(_ value: UInt) throws { try single { $0.pointee.put(integer: value) } }
    func encode(_ value: UInt8) throws { try single { $0.pointee.put(integer: value) } }
    func encode(_ value: UInt16) throws { try single { $0.pointee.put(integer: value) } }
    func encode(_ value: UInt32) throws { try single { $0.pointee.put(integer: value) } }
    func encode(_ value: UInt64) throws { try single { $0.pointee.put(integer: value) } }
    func encode(_ value: Int128) throws { try single { $0.pointee.put(integer: value) } }
    func encode(_ value: UInt128) throws { try single { $0.pointee.put(integer: value) } }

    func encode<T: Encodable>(_ value: T) throws {
        try draft.put(value, depth: try draft.text.pointee.beginSingle(self.value))
    }
}
