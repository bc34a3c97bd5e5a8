/// Writes values as the JSON text of their nodes, without making the nodes: `NodeEncoder().encode(value).json`, byte for
/// byte, at a fraction of its cost.
///
/// It writes what nearly every `encode(to:)` does: members and elements one after the other. Where one does anything
/// else (goes back to a container, writes a key twice, asks where it stands …), or fails, ``NodeEncoder`` does the work,
/// so that there is one truth about what a value's text is.
///
/// It keeps its memory for the next value. One thread at a time.
package final class TextEncoder {
    // Not touched from within a change of it.
    @exclusivity(unchecked) private var draft = TextDraft()
    private let redactor: Redactor?
    /// Whether the value that was encoded last holds a class instance.
    package private(set) var sawInstance = false

    /// Creates an encoder that hides what a redactor says.
    package init(redactor: Redactor? = nil) { self.redactor = redactor }

    /// Encodes a value into ``bytes``.
    ///
    /// - Parameter key: Where there is one, the text is that of an object which has the value under this key alone.
    /// - Returns: What the value looks like from far.
    /// - Throws: ``TreeError``, just as ``NodeEncoder`` does.
    package func encode<T: Encodable>(_ value: T, under key: String? = nil) throws -> NodeOutline {
        // A container that was kept beyond its value's encoding must not write into another's.
        if !isKnownUniquelyReferenced(&draft) { draft = TextDraft() }
        // What is hidden is hidden by the way to it, which is not kept track of here.
        if redactor?.hasPatterns != true, let outline = draft.write(value, under: key) {
            sawInstance = draft.sawInstance
            return outline
        }
        let session = CodingSession(redactor: redactor)
        let node = try session.encode(value, as: key)
        sawInstance = session.sawInstance
        return put(key.map { .object([Node.Member($0, node)]) } ?? node)
    }

    /// The text of a value.
    package static func text<T: Encodable>(of value: T, redactor: Redactor?) throws -> String {
        let encoder = TextEncoder(redactor: redactor)
        _ = try encoder.encode(value)
        return encoder.text
    }

    /// Takes a node's text as what was encoded.
    package func put(_ node: Node) -> NodeOutline {
        draft.text.pointee.writer.bytes.removeAll(keepingCapacity: true)
        draft.text.pointee.writer.write(node)
        return node.outline
    }

    /// The text that was encoded last, in UTF-8.
    package var bytes: [UInt8] { draft.text.pointee.writer.bytes }

    /// The text that was encoded last.
    package var text: String { draft.text.pointee.writer.text }
}

/// What a node looks like from far: as much as it takes to give an action a name.
package enum NodeOutline: Sendable, Equatable {
    case text(String)
    /// An object with one member.
    case member(String, isObject: Bool)
    case other

    /// The name of an enum's case, where it looks like one for sure.
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
