import HindsightTree

/// Looks for changes right after they were made: for states that hold class instances, which change behind their
/// references.
final class Seeker<State: Codable & Sendable> {
    let finder: ChangeFinder<State>
    var previous: State
    var rule: KeyframeRule

    init(finder: ChangeFinder<State>, previous: State, rule: KeyframeRule) {
        self.finder = finder
        self.previous = previous
        self.rule = rule
    }
}
