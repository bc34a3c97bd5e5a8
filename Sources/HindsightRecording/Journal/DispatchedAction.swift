import HindsightStore

/// An action as it is known before its reducers run: what is written ahead.
struct DispatchedAction: Equatable, Sendable {
    var seq: Int
    var parent: Int?
    /// Earlier actions that this one is the parent of.
    var adopted: [Int] = []
    var type: String
    var payload: String?
    var at: Int64
    var origin: Origin?
    var problem: String?
}
