/// Why there is no page of a recording.
public struct PageError: Error, Sendable, CustomStringConvertible {
    /// The kind of failure. Later versions may add codes.
    public struct Code: RawRepresentable, Sendable, Hashable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        /// A browser could not open the page: the recording has too many actions, or too much text.
        public static let tooLarge = Code(rawValue: "too large")
    }

    public let code: Code
    /// What is too large, as a clause.
    public let reason: String
    /// A part of the recording that has room in a page: the position of the first state, and the last action.
    public let suggestion: ClosedRange<Int>

    public var description: String {
        """
        The recording is too large for a page: \(reason).
        Choose a part, such as from \(suggestion.lowerBound) to \(suggestion.upperBound).
        """
    }
}
