/// The `problem` of an action with a payload that is a description by reflection, and the same of a recording's states.
package enum DescriptionText {
    /// The most types that one text names.
    private static let maxTypes = 50
    private static let start = "It is a description, since these types are not Codable: "
    private static let separator = "; "

    /// - Parameter types: The names of the types that are not `Codable`; at least one.
    package static func text(of types: [String]) -> String {
        start + list(types) + "."
    }

    /// The types that a text names; empty if it names none.
    package static func types(in text: String) -> [String] {
        guard text.hasPrefix(start), text.hasSuffix(".") else { return [] }
        return types(list: String(text.dropFirst(start.count).dropLast()))
    }

    /// The value of ``Metadata/Key/described``.
    package static func list(_ types: [String]) -> String { types.prefix(maxTypes).joined(separator: separator) }

    /// The types that such a value names.
    package static func types(list: String) -> [String] {
        // The name of a type has no semicolon.
        list.split(separator: separator).map(String.init)
    }
}
