/// Encodes values as the JSON text of their nodes, without making the nodes: `NodeEncoder().encode(value).json`, byte
/// for byte, at a fraction of its cost.
///
/// It streams what nearly every `encode(to:)` writes: members and elements one after the other. If one does anything
/// else (goes back to a container, writes a key twice, reads its coding path), or fails, the encoder falls back to
/// ``NodeEncoder``, which alone defines the text and the errors.
///
/// It reuses its memory for the next value. Use it from one thread at a time.
package final class TextEncoder {
    // Not accessed from within a change of it.
    private var encoder = JSONStreamEncoder()
    package let redactor: Redactor?
    /// Whether the value that was encoded last holds a class instance.
    package private(set) var sawInstance = false
    /// The types because of which a part of that value was described: see ``Described``.
    package private(set) var typesWithoutCoding: [String] = []

    /// Creates an encoder that redacts what `redactor` hides.
    package init(redactor: Redactor? = nil) { self.redactor = redactor }

    /// Encodes a value into ``bytes``.
    ///
    /// - Parameter key: The key of an object that has the value as its only member; `nil` for the value alone.
    /// - Returns: The outline of the text.
    /// - Throws: ``TreeError``, just as ``NodeEncoder`` does.
    package func encode<T: Encodable>(_ value: T, under key: String? = nil) throws(TreeError) -> NodeOutline {
        // A container that the app kept after its value was encoded must not write into another value.
        if !isKnownUniquelyReferenced(&encoder) { encoder = JSONStreamEncoder() }
        // A redactor with patterns needs the path, which a stream does not keep.
        if redactor?.hasPatterns != true, let outline = encoder.write(value, under: key) {
            sawInstance = encoder.sawInstance
            if encoder.hasDescribed || !typesWithoutCoding.isEmpty { typesWithoutCoding = encoder.typesWithoutCoding }
            return outline
        }
        let session = CodingSession(redactor: redactor)
        let node = try session.encode(value, as: key)
        sawInstance = session.sawInstance
        typesWithoutCoding = session.typesWithoutCoding
        return put(key.map { .object([Node.Member($0, node)]) } ?? node)
    }

    /// The text of a value.
    package static func text<T: Encodable>(of value: T, redactor: Redactor?) throws(TreeError) -> String {
        let encoder = TextEncoder(redactor: redactor)
        _ = try encoder.encode(value)
        return encoder.text
    }

    /// Takes a node's text as the text that was encoded last.
    package func put(_ node: Node) -> NodeOutline {
        encoder.stream.pointee.json.bytes.removeAll(keepingCapacity: true)
        encoder.stream.pointee.json.write(node)
        return node.outline
    }

    /// The text that was encoded last, in UTF-8.
    package var bytes: [UInt8] { encoder.stream.pointee.json.bytes }

    /// The text that was encoded last.
    package var text: String { encoder.stream.pointee.json.text }
}

/// The outermost part of a node: enough to name an action.
package enum NodeOutline: Sendable, Equatable {
    case text(String)
    /// An object with one member.
    case member(String, isObject: Bool)
    case other

    /// The name of an enum's case; `nil` if the node may be something else.
    package var caseName: String? {
        switch self {
        case .text(let name), .member(let name, isObject: true): name
        case .member, .other: nil
        }
    }
}

extension Node {
    package var outline: NodeOutline {
        switch self {
        case .string(let text):
            return .text(text)
        case .object(let members) where members.count == 1:
            if case .object = members[0].value { return .member(members[0].key, isObject: true) }
            return .member(members[0].key, isObject: false)
        default:
            return .other
        }
    }
}
