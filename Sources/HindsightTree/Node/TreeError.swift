/// Why a value has no node, or a text or a node is not what was expected.
public struct TreeError: Error, Sendable, Hashable {
    /// The kind of failure. More may be added.
    package struct Code: RawRepresentable, Sendable, Hashable {
        package let rawValue: String
        package init(rawValue: String) { self.rawValue = rawValue }

        /// A text is not the JSON that was expected.
        package static let badJSON = Code(rawValue: "bad JSON")
        /// A node is nested deeper than ``TreeLimits/depth``.
        package static let tooDeep = Code(rawValue: "too deep")
        /// A value cannot be kept exactly.
        package static let notEncodable = Code(rawValue: "not encodable")
        /// A node is not one of the requested type.
        package static let notDecodable = Code(rawValue: "not decodable")
        /// A node is the description of a value: see ``Described``.
        package static let isDescription = Code(rawValue: "is a description")
        /// A patch does not fit its node, or a text or node is no patch.
        package static let badPatch = Code(rawValue: "bad patch")
    }

    /// The kind of failure.
    package let code: Code
    /// The path in the node; `nil` if there is no node yet.
    public let path: NodePath?
    /// What is wrong and what was expected, as one sentence without a full stop.
    package let reason: String
    /// The offset of the failure in a JSON text, in bytes from 0.
    package let offset: Int?

    /// Creates an error.
    package init(_ code: Code, at path: NodePath? = nil, offset: Int? = nil, _ reason: String) {
        self.code = code
        self.path = path
        self.offset = offset
        self.reason = reason
    }
}

extension TreeError: CustomStringConvertible {
    /// The reason and the place, in one line.
    public var description: String {
        var text = reason
        if let path { text += path.isRoot ? " (at the root)" : " (at \(path))" }
        if let offset { text += " (byte \(offset) of the text)" }
        return text
    }
}

/// The limits that keep a deep value or a hostile file from overflowing the stack.
package enum TreeLimits {
    /// The number of containers that may be nested, in an encoded value as in a JSON text.
    package static let depth = 512
}
