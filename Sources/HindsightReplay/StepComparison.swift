import HindsightTree

/// Compares two different patches of one state by the states that they lead to.
struct StepComparison {
    /// The state that the recorded patch changed.
    let before: Node
    /// What it made of it.
    let after: Node
    /// The recorded patch.
    let expected: Patch
    /// Today's patch.
    let actual: Patch

    /// The state that today's patch leads to, if it differs; `nil` if it is the same except for the order of
    /// members.
    ///
    /// Looks only at what either patch changes.
    ///
    /// - Parameter replayed: Today's whole state, called if today's patch does not fit the recorded one.
    func differingState(or replayed: () throws -> Node) throws -> Node? {
        var state = before
        do {
            try actual.apply(to: &state)
        } catch {
            // The patch speaks of a state with other places for its members.
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
