import HindsightTree

/// Compares two different patches of a state by their results.
struct StepComparison {
    /// The state before the recorded patch.
    let before: Node
    /// The state after the recorded patch.
    let after: Node
    /// The recorded patch.
    let expected: Patch
    /// Today's patch.
    let actual: Patch

    /// The result of today's patch; `nil` if it is the recorded one, except for the order of members.
    ///
    /// Compares only the places that either patch changes.
    ///
    /// - Parameter replayed: Returns today's whole state. Called if today's patch does not apply to the recorded state.
    func differingState(or replayed: () throws -> Node) throws -> Node? {
        var state = before
        do {
            try actual.apply(to: &state)
        } catch {
            // The replayed state has another structure than the recorded one.
            let state = try replayed()
            if state.isEquivalent(to: after) { return nil }
            return state
        }
        let places = Set((expected.operations + actual.operations).map(\.path))
        let isSame = places.allSatisfy { place in
            switch (after[place], state[place]) {
            case (nil, nil): true
            case (let left?, let right?): left.isEquivalent(to: right)
            default: false
            }
        }
        if isSame { return nil }
        return state
    }
}

extension Node {
    mutating func apply(_ patch: Patch) throws {
        try patch.apply(to: &self)
    }
}
