import HindsightFormat
import HindsightTree

/// Finds changes on the dispatching thread, for states that may contain class instances, which change behind their
/// references. It follows the states from the first on.
final class EagerDiffer<State: Codable & Sendable> {
    let finder: ChangeFinder<State>
    var rule: KeyframeRule
    /// The action that led to the last state that was followed.
    var lastSeq = 0
    init(finder: ChangeFinder<State>, rule: KeyframeRule) {
        self.finder = finder
        self.rule = rule
    }
}
