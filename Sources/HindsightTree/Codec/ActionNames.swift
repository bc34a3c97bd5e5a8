/// The names that an app's action types have in JSON, as far as they are known. For messages.
package struct ActionNames: Sendable {
    /// All names; empty if they cannot be listed.
    package let known: [String]
    /// Tells whether a text is a name; `nil` if that is not known.
    private let test: (@Sendable (String) -> Bool)?

    /// Names that are known.
    package init(_ known: [String]) {
        self.known = known
        if known.isEmpty { test = nil } else { test = { known.contains($0) } }
    }

    /// The cases of an enum whose `Decodable` conformance is synthesized.
    ///
    /// Swift does not list the cases, but the enum's coding keys accept their names only.
    package init<Action: Decodable>(of type: Action.Type) {
        known = []
        let probe = KeyProbe()
        do {
            _ = try Action(from: probe)
            test = nil
        } catch {
            // Decoding from the probe always fails, but notes the type of the keys first.
            let isKey = probe.found.isKey
            // Keys that accept any text, as those of a dictionary, tell no names.
            test = isKey?("\u{0}") == false ? isKey : nil
        }
    }

    /// Whether `text` is a name; `nil` if that is not known.
    package func isName(_ text: String) -> Bool? {
        test?(text)
    }

    /// A name that is one typing error, or a difference in case, away from `text`.
    package func nearest(to text: String) -> String? {
        guard let test else { return nil }
        let folded = text.lowercased()
        return known.first { $0.lowercased() == folded } ?? Self.edits(of: text).first(where: test)
    }

    /// All texts at a Damerau–Levenshtein distance of 1 from `text`. None for a text of more than 40 characters.
    private static func edits(of text: String) -> [String] {
        let letters = Array(text.unicodeScalars)
        guard letters.count <= 40 else { return [] }
        let alphabet = Array("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_".unicodeScalars)
        var edits: [[Unicode.Scalar]] = [Array(text.lowercased().unicodeScalars)]
        for place in 0...letters.count {
            let (head, tail) = (Array(letters[..<place]), Array(letters[place...]))
            if let first = tail.first {
                edits.append(head + tail.dropFirst())
                if tail.count > 1 {
                    edits.append(head + [tail[1], first] + tail.dropFirst(2))
                }
                edits += alphabet.map { head + [$0] + tail.dropFirst() }
            }
            edits += alphabet.map { head + [$0] + tail }
        }
        return edits.map { String(String.UnicodeScalarView($0)) }
    }
}

/// An empty decoder that notes the type of the keys by which a value asks for its members.
private struct KeyProbe: Decoder {
    final class Found {
        var isKey: (@Sendable (String) -> Bool)?
    }

    struct NoValue: Error {}

    let found = Found()
    let codingPath: [any CodingKey] = []
    let userInfo: [CodingUserInfoKey: Any] = [:]

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        found.isKey = { Key(stringValue: $0) != nil }
        throw NoValue()
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw NoValue() }

    func singleValueContainer() throws -> any SingleValueDecodingContainer { throw NoValue() }
}
