/// Why a value has no node, or a text or a node is not what was expected.
public struct TreeError: Error, Sendable, Hashable {
    /// The kind of failure. More may be added.
    public struct Code: RawRepresentable, Sendable, Hashable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        /// A text is not the JSON that was expected.
        public static let badJSON = Code(rawValue: "bad JSON")
        /// A node is nested deeper than ``TreeLimits/depth``.
        public static let tooDeep = Code(rawValue: "too deep")
        /// A value cannot be kept exactly.
        public static let notEncodable = Code(rawValue: "not encodable")
        /// A node is not one of the requested type.
        public static let notDecodable = Code(rawValue: "not decodable")
        /// A patch does not fit its node, or a text or node is no patch.
        public static let badPatch = Code(rawValue: "bad patch")
    }

    /// The kind of failure.
    public let code: Code
    /// The path in the node; `nil` if there is no node yet.
    public let path: NodePath?
    /// What is wrong and what was expected, as one sentence without a full stop.
    public let reason: String
    /// The offset of the failure in a JSON text, in bytes from 0.
    public let offset: Int?

    /// Creates an error, as your own `encode` and `decode` closures may throw it.
    public init(_ code: Code, at path: NodePath? = nil, offset: Int? = nil, _ reason: String) {
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
