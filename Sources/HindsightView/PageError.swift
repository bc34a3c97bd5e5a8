/// Why there is no page of a recording: a browser could not open it, since the recording has too many actions, or too
/// much text.
package struct PageError: Error, Sendable, CustomStringConvertible {
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
