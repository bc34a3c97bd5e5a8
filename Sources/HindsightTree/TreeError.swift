/// Why a value could not become a node, or a text or node not what was asked for.
public struct TreeError: Error, Sendable, Hashable {
    /// What kind of failure it is. More may be added.
    public struct Code: RawRepresentable, Sendable, Hashable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        /// A text is not the JSON that it should be.
        public static let badJSON = Code(rawValue: "bad JSON")
        /// A node is nested deeper than ``TreeLimits/depth``.
        public static let tooDeep = Code(rawValue: "too deep")
        /// A value cannot be kept exactly.
        public static let notEncodable = Code(rawValue: "not encodable")
        /// A node is not one of the type that was asked for.
        public static let notDecodable = Code(rawValue: "not decodable")
        /// A patch does not fit the node it was applied to, or is none.
        public static let badPatch = Code(rawValue: "bad patch")
    }

    public let code: Code
    /// Where in the node, or `nil` where there is no node yet.
    public let path: NodePath?
    /// What is wrong there and what was expected, as one sentence without a full stop.
    public let reason: String
    /// How far into a JSON text the failure is, in bytes from 0.
    public let offset: Int?

    public init(_ code: Code, at path: NodePath? = nil, offset: Int? = nil, _ reason: String) {
        self.code = code
        self.path = path
        self.offset = offset
        self.reason = reason
    }
}

extension TreeError: CustomStringConvertible {
    public var description: String {
        var text = reason
        if let path { text += path.isRoot ? " (at the root)" : " (at \(path))" }
        if let offset { text += " (byte \(offset) of the text)" }
        return text
    }
}

/// What the tree refuses, so that no stack overflows and no hostile file is trusted.
public enum TreeLimits {
    /// How many containers may stand one inside the other, in a value that is encoded as in a JSON text that is read.
    public static let depth = 512
}
