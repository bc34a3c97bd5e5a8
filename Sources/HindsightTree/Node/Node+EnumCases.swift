/// Recognizes the cases of enums in the nodes that `Codable` makes of them: `.market(.quotes)` is
/// `{"market":{"_0":{"quotes":{}}}}`.
///
/// Nodes carry no types, and a case looks like a struct or a dictionary with one member. An object counts as a case if
/// it has exactly one member, the member's key is a Swift identifier, its value is an object, and
/// - that object has the key `_0`, which only a payload without a label has; or
/// - the object is itself a payload without a label.
///
/// By the second rule, a struct or a dictionary with one member that is passed without a label counts as a case too.
/// All of its names and values are still shown.
extension Node {
    /// The case that this node counts as, and the members of its payload.
    ///
    /// - Parameter isPayload: Whether this is a payload without a label.
    package func enumCase(isPayload: Bool) -> (name: String, payload: [Member])? {
        guard case .object(let members) = self, members.count == 1, members[0].key.isIdentifier,
            case .object(let payload) = members[0].value, isPayload || payload.contains(where: { $0.key == "_0" })
        else { return nil }
        return (members[0].key, payload)
    }

    /// The names of the cases inside an action, without its own name: `["quotes"]` for `.market(.quotes)`.
    package var nestedCases: [String] {
        guard case .object(let members) = self, members.count == 1, case .object(var payload) = members[0].value else {
            return []
        }
        var names: [String] = []
        // An enum that is registered under its type's name has the case as its payload.
        if let inner = members[0].value.enumCase(isPayload: false) {
            names.append(inner.name)
            payload = inner.payload
        }
        while payload.count == 1, payload[0].key == "_0", let inner = payload[0].value.enumCase(isPayload: true) {
            names.append(inner.name)
            payload = inner.payload
        }
        return names
    }
}

extension String {
    fileprivate var isIdentifier: Bool {
        guard let first = unicodeScalars.first, utf8.count <= 64, first == "_" || first.properties.isXIDStart else {
            return false
        }
        return !isPayloadPosition && unicodeScalars.dropFirst().allSatisfy(\.properties.isXIDContinue)
    }

    /// Whether this is the key of a payload without a label: `_0`, `_1` and so on.
    package var isPayloadPosition: Bool {
        let bytes = utf8
        return bytes.count >= 2 && bytes.first == UInt8(ascii: "_")
            && bytes.dropFirst().allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
}
