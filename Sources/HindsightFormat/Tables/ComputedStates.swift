import HindsightTree

/// How far the states of a recording were computed by the recorder, which ran the app's reducers on a state of its own,
/// and how far they were compared with the app's.
///
/// A row of the table `recording` holds it as text: `1200` if all states were computed, and `1200-1500` if those of the
/// actions after 1500 are the app's own.
package struct ComputedStates: Hashable, Answer {
    /// The last action up to which the states were compared with the app's, now and then; 0 if none was.
    package var confirmed: Int
    /// The last action with computed states; `nil` if all actions have them.
    @Nullable package var last: Int?

    package init(confirmed: Int, last: Int? = nil) {
        (self.confirmed, self.last) = (confirmed, last)
    }

    /// Parses the text of the row; `nil` if it is not valid.
    package init?(_ text: String) {
        let numbers = text.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
        guard numbers.count <= 2, let confirmed = numbers[0], confirmed >= 0 else { return nil }
        self.init(confirmed: confirmed)
        if numbers.count == 2 {
            guard let last = numbers[1], last >= confirmed else { return nil }
            self.last = last
        }
    }

    package var text: String { "\(confirmed)\(last.map { "-\($0)" } ?? "")" }

    /// The same with the numbers of a part that begins after action `first` and ends with `end`.
    package func part(after first: Int, to end: Int) -> ComputedStates {
        func number(_ seq: Int) -> Int { min(max(seq, first), end) - first }
        return ComputedStates(confirmed: number(confirmed), last: last.map(number))
    }
}
