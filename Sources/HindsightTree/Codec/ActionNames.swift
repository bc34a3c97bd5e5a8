/// The names that an app's action types have in JSON, as far as they can be known, for messages.
package struct ActionNames: Sendable {
    /// All names; empty where they cannot be listed.
    package let known: [String]
    /// Tells whether a text is a name; `nil` where that cannot be told.
    private let test: (@Sendable (String) -> Bool)?

    /// Names that are known.
    package init(_ known: [String]) {
        self.known = known
        if known.isEmpty { test = nil } else { test = { known.contains($0) } }
    }

    /// The cases of an enum whose `Decodable` conformance is synthesized.
    ///
    /// Swift does not list them, but the enum's coding keys tell whether a text is one.
    package init<Action: Decodable>(of type: Action.Type) {
        known = []
        let probe = KeyProbe()
        do {
            _ = try Action(from: probe)
            test = nil
        } catch {
            // It always fails, for the probe has no value to offer; what it was asked for is what counts.
            let isKey = probe.found.isKey
            // Keys that take any text tell nothing.
            test = isKey?("\u{0}") == false ? isKey : nil
        }
    }

    /// Whether `text` is a name; `nil` where that cannot be told.
    package func isName(_ text: String) -> Bool? {
        test?(text)
    }

    /// A name that is one slip of the keyboard, or one slip in capitals, away from `text`.
    package func nearest(to text: String) -> String? {
        guard let test else { return nil }
        let folded = text.lowercased()
        return known.first { $0.lowercased() == folded } ?? Self.slips(of: text).first(where: test)
    }

    /// All texts that are one insertion, omission, exchange or transposition away from `text`. None for long ones.
    private static func slips(of text: String) -> [String] {
        let letters = Array(text.unicodeScalars)
        guard letters.count <= 40 else { return [] }
        let alphabet = Array("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_".unicodeScalars)
        var slips: [[Unicode.Scalar]] = [Array(text.lowercased().unicodeScalars)]
        for place in 0...letters.count {
            let (head, tail) = (Array(letters[..<place]), Array(letters[place...]))
            if let first = tail.first {
                slips.append(head + tail.dropFirst())
                if tail.count > 1 {
                    slips.append(head + [tail[1], first] + tail.dropFirst(2))
                }
                slips += alphabet.map { head + [$0] + tail.dropFirst() }
            }
            slips += alphabet.map { head + [$0] + tail }
        }
        return slips.map { scalars in
            var slip = String.UnicodeScalarView()
            slip.append(contentsOf: scalars)
            return String(slip)
        }
    }
}

/// A decoder with nothing in it that notes by which keys it is asked for its members.
private struct KeyProbe: Decoder {
    final class Found {
        var isKey: (@Sendable (String) -> Bool)?
    }

    struct Nothing: Error {}

    let found = Found()
    let codingPath: [any CodingKey] = []
    let userInfo: [CodingUserInfoKey: Any] = [:]

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        found.isKey = { Key(stringValue: $0) != nil }
        throw Nothing()
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw Nothing() }

    func singleValueContainer() throws -> any SingleValueDecodingContainer { throw Nothing() }
}
