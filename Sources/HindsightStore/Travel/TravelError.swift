/// An attempt to travel to a state that the store's history does not hold.
///
/// ```swift
/// do {
///     try store.travel(to: 400)
/// } catch {
///     print(error)    // There is no action 400 yet: history holds the states after 0 to 6.
/// }
/// ```
public struct TravelError: Error, Hashable, CustomStringConvertible {
    /// The number of the action to whose state the store should travel.
    public let seq: Int
    /// The numbers of the records that history holds; `nil` if the store keeps no history.
    public let kept: ClosedRange<Int>?

    init(seq: Int, first: Int?, last: Int?) {
        self.seq = seq
        if let first, let last { kept = first...last } else { kept = nil }
    }

    public var description: String {
        guard let kept else {
            return """
                The state after action \(seq) is not kept: this store keeps no history. Create it with a `history` \
                limit, such as `.last(actions: 100)`.
                """
        }
        return if seq > kept.upperBound {
            "There is no action \(seq) yet: history holds the states after \(kept.lowerBound) to \(kept.upperBound)."
        } else {
            """
            The state after action \(seq) is not kept any more: history holds those after \(kept.lowerBound) to \
            \(kept.upperBound). Create the store with a greater `history` limit.
            """
        }
    }
}
