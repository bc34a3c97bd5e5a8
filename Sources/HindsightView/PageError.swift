/// Why there is no page of a recording.
package struct PageError: Error, Sendable, CustomStringConvertible {
    /// The kind of failure. Later versions may add codes.
    package struct Code: RawRepresentable, Sendable, Hashable {
        package let rawValue: String
        package init(rawValue: String) { self.rawValue = rawValue }

        /// A browser could not open the page: the recording has too many actions, or too much text.
        package static let tooLarge = Code(rawValue: "too large")
    }

    package let code: Code
    /// What is too large, as a clause.
    package let reason: String
    /// A part of the recording that has room in a page: the position of the first state, and the last action.
    package let suggestion: ClosedRange<Int>

    package var description: String {
        """
        The recording is too large for a page: \(reason).
        Choose a part, such as from \(suggestion.lowerBound) to \(suggestion.upperBound).
        """
    }
}
