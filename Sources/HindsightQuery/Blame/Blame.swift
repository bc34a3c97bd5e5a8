import HindsightFormat
import HindsightRecording
import HindsightTree

/// Who set each value in a part of a state. ``HindsightRecording/Recording/blame(_:at:by:)`` finds it.
package struct Blame: Sendable {
    /// A single value or an empty container, and who set it.
    package struct Place: Sendable {
        /// The path at ``Blame/position``.
        package let path: NodePath
        /// The value there.
        package let value: Node
        /// Who set the value. For a redacted value: who brought the place into being.
        package let origin: ChangeOrigin
        /// Whether the recording hides the value, and so its changes.
        package let isRedacted: Bool
    }

    /// The position of the state.
    package let position: Recording.Position
    /// Each place, in the order of the state.
    package let places: [Place]
}

extension Recording {
    /// Finds who set each value in a part of a state, like `git blame`.
    ///
    /// Elements of arrays are followed through insertions and removals of others. An element that a reducer removes and
    /// inserts again with the same content keeps its origin. Writing the same value again does not count. The recording
    /// has only changes, so it cannot tell a value that was written again from one that was left alone.
    ///
    /// ```swift
    /// let blame = try recording.blame(NodePath(["cart"]))
    /// for place in blame?.places ?? [] { print(place.path, place.origin) }
    /// ```
    ///
    /// Costs the changes that touch the places, and those that change several elements of an array around one, because
    /// elements that change places may be recorded like that. Without an index of your own, also a pass over the
    /// recorded changes.
    ///
    /// - Parameters:
    ///   - path: The part of the state; the whole state by default.
    ///   - position: The position of the state; ``end`` by default.
    ///   - index: The index of this recording. Another one is used if it was built before the recording grew.
    /// - Returns: `nil` if there is nothing at the path.
    /// - Throws: A `RecordingError` with the code `positionOutOfRange`, `damaged` or `unreadable`.
    package func blame(
        _ path: NodePath = NodePath(),
        at position: Position? = nil,
        by index: ChangeIndex? = nil
    ) throws(RecordingError) -> Blame? {
        let position = position ?? end
        let state = try state(at: position)
        guard state[path] != nil else { return nil }
        return try blame([path], in: state, at: position, by: index)
    }

    /// Finds who set each value in several parts of a state.
    ///
    /// - Parameter computed: What led to the position, if its state was computed.
    package func blame(
        _ paths: [NodePath],
        in state: Node,
        at position: Position,
        by index: ChangeIndex? = nil,
        computed: ComputedSteps? = nil
    ) throws(RecordingError) -> Blame {
        let index = if let index, index.covers(self) { index } else { try ChangeIndex(of: self) }
        let walk = PlaceWalk(
            back: position,
            from: state,
            following: paths,
            asWholes: false,
            by: index,
            computed: computed
        )
        var origins: [ChangeOrigin?] = Array(repeating: nil, count: walk.tree.leaves.count)
        while let step = try walk.next() {
            for change in step.changes { origins[change.leaf] = step.origin }
        }
        let mask = try redactionMask()
        let places = zip(walk.tree.leaves, origins).map { leaf, origin in
            Blame.Place(
                path: leaf.path,
                value: leaf.value,
                origin: origin ?? beginning,
                isRedacted: mask?.hides(leaf.path) ?? false
            )
        }
        return Blame(position: position, places: places)
    }

    /// What the recording hides in states; `nil` if it hides nothing.
    package func redactionMask() throws(RecordingError) -> RedactionMask? {
        try redactionMask(of: redaction.states)
    }

    /// What some of its patterns hide; `nil` if there are none.
    func redactionMask(of patterns: [String]) throws(RecordingError) -> RedactionMask? {
        guard !patterns.isEmpty else { return nil }
        do {
            return try RedactionMask(patterns)
        } catch {
            throw damaged("what it says of redacted values cannot be read", seq: nil, cause: error)
        }
    }
}

/// A place in the answer of `blame`.
package typealias BlameLine = Joined<BlamePlace, Joined<ChangeFacts, BlameValue>>

package struct BlamePlace: Answer {
    package let path: NodePath
    package let redacted: Bool

    package static let notes = ["redacted": "then only path and value follow"]
}

/// The value stands last, because it may be long.
package struct BlameValue: Answer {
    package let value: Node
}

extension Blame.Place {
    package func line(in recording: Recording, computed: ComputedSteps?) throws(RecordingError) -> BlameLine {
        let facts = isRedacted ? ChangeFacts() : try ChangeFacts(origin, in: recording, computed: computed)
        return Joined(BlamePlace(path: path, redacted: isRedacted), Joined(facts, BlameValue(value: value)))
    }
}
