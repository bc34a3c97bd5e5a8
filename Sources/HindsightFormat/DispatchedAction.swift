import HindsightStore

/// An action before its reducers run, as it is written ahead.
package struct DispatchedAction: Equatable, Sendable {
    package var seq: Int
    package var parent: Int?
    /// Earlier actions whose parent is this one.
    package var adopted: [Int] = []
    package var type: String
    package var payload: String?
    package var at: Int64
    package var origin: Origin?
    package var problem: String?
    package var thread: ThreadChange

    package init(
        seq: Int,
        parent: Int? = nil,
        adopted: [Int] = [],
        type: String,
        payload: String? = nil,
        at: Int64,
        origin: Origin? = nil,
        problem: String? = nil,
        thread: ThreadChange = .unknown
    ) {
        self.seq = seq
        self.parent = parent
        self.adopted = adopted
        self.type = type
        self.payload = payload
        self.at = at
        self.origin = origin
        self.problem = problem
        self.thread = thread
    }
}
