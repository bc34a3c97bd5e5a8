extension Recording {
    /// How a recording ended.
    public enum Ending: Sendable, Hashable {
        /// The recorder was closed.
        case closed
        /// The recorder was not closed. If `live`, it is recording now. Otherwise the process ended while no action was
        /// being reduced (see ``Recording/lastActivity``), or the recorder had to stop (see ``Recording/stopReason``).
        case open(live: Bool)
        /// The process ended while an action was being reduced: in the reducer with this number, from 1; or, if it is
        /// `nil`, before the first, after the last or between two reducers.
        case crashed(seq: Int, reducer: Int?)
    }
}
