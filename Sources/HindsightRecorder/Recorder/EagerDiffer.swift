import HindsightFormat
import HindsightTree

/// Looks for changes right after they were made: for states that may hold class instances, which change behind their
/// references. It follows the states from the first on.
final class EagerDiffer<State: Codable & Sendable> {
    let finder: ChangeFinder<State>
    var rule: KeyframeRule
    /// The action after which the state is that which was followed last.
    var lastSeq = 0
    init(finder: ChangeFinder<State>, rule: KeyframeRule) {
        self.finder = finder
        self.rule = rule
    }
}
