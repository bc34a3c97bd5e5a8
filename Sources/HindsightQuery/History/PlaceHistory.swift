import HindsightFormat
import HindsightRecording
import HindsightTree

/// The changes of one place. ``HindsightRecording/Recording/history(of:upTo:following:limit:)`` finds them.
package struct PlaceHistory: Sendable {
    /// One change.
    package struct Change: Sendable {
        /// Who made it.
        package let origin: ChangeOrigin
        /// Where the place was after it. Differs from the path that was asked for only if the element is followed.
        package let path: NodePath
        /// The value before; `nil` if there was none.
        package let old: Node?
        /// The value after; `nil` if there is none since.
        package let new: Node?

        package init(origin: ChangeOrigin, path: NodePath, old: Node?, new: Node?) {
            (self.origin, self.path, self.old, self.new) = (origin, path, old, new)
        }
    }

    /// The changes in the order of time: all of them, or the last ones.
    package internal(set) var changes: [Change] = []
    /// The value before the first of ``changes``; `nil` if there was none.
    package internal(set) var first: Node?
    /// Where the place was before the first of ``changes``.
    package internal(set) var firstPath: NodePath
    /// The number of steps before the first of ``changes`` that may have changed the place; 0 if these are all changes.
    package internal(set) var earlierCount = 0
    /// Whether each of the earlier steps changed the place. Otherwise ``earlierCount`` is an upper bound.
    package internal(set) var earlierIsExact = true
    /// The actions from the first of ``changes`` on whose changes are not recorded one by one, or are doubtful. Only the
    /// value before and after each range is certain. The place may have changed more often than ``changes`` says, or
    /// have changed and changed back.
    package internal(set) var unknown: [ClosedRange<Int>] = []
}

/// A change in the answer of `history`.
package typealias HistoryLine = Joined<HistoryPlace, Joined<ChangeFacts, HistoryValues>>

package struct HistoryPlace: Answer {
    package let path: NodePath
}

/// The values stand last, because they may be long.
package struct HistoryValues: Answer {
    package let old: Node?
    package let new: Node?
}

/// What a limit cuts off.
package struct EarlierChanges: Answer {
    package let earlier: Int
    package let exact: Bool

    package static let notes = ["earlier": "their number, or an upper bound of it"]
}

package struct UnrecordedChanges: Answer {
    package let actions: [ClosedRange<Int>]
}

extension PlaceHistory {
    package var earlier: EarlierChanges? {
        earlierCount > 0 ? EarlierChanges(earlier: earlierCount, exact: earlierIsExact) : nil
    }

    package var unrecorded: UnrecordedChanges? { unknown.isEmpty ? nil : UnrecordedChanges(actions: unknown) }
}

extension PlaceHistory.Change {
    package func line(in recording: Recording, computed: ComputedSteps?) throws(RecordingError) -> HistoryLine {
        let facts = try ChangeFacts(origin, in: recording, computed: computed)
        return Joined(HistoryPlace(path: path), Joined(facts, HistoryValues(old: old, new: new)))
    }
}

extension Recording {
    /// Finds the changes of one place.
    ///
    /// The place is a path: if elements before it are inserted, another element is there. To follow the element instead,
    /// pass `following: true`; its history then begins where it was inserted. A value that was written again unchanged
    /// is no change.
    ///
    /// Of a range of actions whose states were left out or are doubtful, the history has at most one change: the
    /// difference between the states before and after it. ``PlaceHistory/unknown`` names these ranges.
    ///
    /// Costs a pass over the recorded changes, of which it parses those that touch the place.
    ///
    /// - Parameters:
    ///   - path: The place.
    ///   - position: The last position; ``end`` by default. If the element is followed, it is there at this position.
    ///   - following: Whether to follow the element.
    ///   - limit: The most changes to find, from the last one back.
    /// - Throws: A `RecordingError` with the code `positionOutOfRange`, `damaged` or `unreadable`.
    package func history(
        of path: NodePath,
        upTo position: Position? = nil,
        following: Bool = false,
        limit: Int = .max
    ) throws(RecordingError) -> PlaceHistory {
        let position = position ?? end
        let state = try state(at: position)
        return try history(of: path, in: state, at: position, following: following, limit: limit)
    }

    /// Finds the changes of one place up to a position with a given state.
    ///
    /// - Parameters:
    ///   - computed: What led to the position, if its state was computed.
    ///   - progress: Called now and then with the part of the changes that was read, from 0 to 1.
    package func history(
        of path: NodePath,
        in state: Node,
        at position: Position,
        following: Bool,
        limit: Int,
        computed: ComputedSteps? = nil,
        progress: ((Double) -> Void)? = nil
    ) throws(RecordingError) -> PlaceHistory {
        let steps = try StepsBackward(from: position, of: self, computed: computed, progress: progress)
        var history =
            following
            ? try followedHistory(of: path, in: state, limit, steps)
            : try fixedHistory(of: path, in: state, limit, steps)
        let position = computed?.firstRecorded(before: position) ?? position
        // An element that is followed was nowhere before it was inserted.
        let isPart = history.earlierCount > 0 || following && history.first == nil
        let first = isPart ? history.changes.first?.origin.firstAction ?? 0 : 0
        history.unknown = summedRanges(before: position).filter { $0.lowerBound >= first }
            .map { $0.lowerBound...min($0.upperBound, position.seq) }
        return history
    }

    /// The history of the value that is at a path now, wherever it was.
    private func followedHistory(
        of path: NodePath,
        in state: Node,
        _ limit: Int,
        _ steps: StepsBackward
    ) throws(RecordingError) -> PlaceHistory {
        var history = PlaceHistory(firstPath: path)
        var value = state[path]
        let walk = PlaceWalk(steps, from: state, following: [path], asWholes: true)
        while history.changes.count < limit, let step = try walk.next() {
            let new = value
            var fits = true
            for (_, change) in step.changes where fits {
                switch change {
                case .set: value = nil
                case .replaced(let old): value = old
                case .inside(let operation):
                    var part = StatePart(path: NodePath(), node: value.take())
                    fits = part.undo(operation)
                    value = part.node
                }
            }
            // If the recorded changes do not lead here, the state before is read.
            if !fits { value = try steps.state(before: step.step)[walk.tree.path(ofLeaf: 0)] }
            if value == new { continue }
            let origin = step.step.origin
            history.changes.append(PlaceHistory.Change(origin: origin, path: step.path, old: value, new: new))
        }
        history.changes.reverse()
        history.first = value
        history.firstPath = walk.tree.isEmpty ? history.changes.first?.path ?? path : walk.tree.path(ofLeaf: 0)
        if history.changes.count >= limit, !walk.tree.isEmpty {
            history.earlierCount = try steps.count(touching: history.firstPath).count
            history.earlierIsExact = false
        }
        return history
    }

    private func fixedHistory(
        of path: NodePath,
        in state: Node,
        _ limit: Int,
        _ steps: StepsBackward
    ) throws(RecordingError) -> PlaceHistory {
        var history = PlaceHistory(firstPath: path)
        let place = Array(path.description.utf8)
        var part = StatePart(path: path, node: state[path])
        while history.changes.count < limit, let step = try steps.next(where: { $0.touches(place) }) {
            let new = part.node
            // Where another element comes to the place, the state says which.
            if !step.operations.reversed().allSatisfy({ !$0.moves(path) && part.undo($0) }) {
                part.node = try steps.state(before: step)[path]
            }
            if part.node == new { continue }
            history.changes.append(PlaceHistory.Change(origin: step.origin, path: path, old: part.node, new: new))
        }
        history.changes.reverse()
        history.first = part.node
        if history.changes.count >= limit {
            (history.earlierCount, history.earlierIsExact) = try steps.count(touching: path)
        }
        return history
    }
}

extension Patch.Operation {
    /// Whether the operation moves the element of an array that a place is, or is in.
    ///
    /// `true` also for members of an object whose names are numbers, because a path does not tell them apart.
    fileprivate func moves(_ place: NodePath) -> Bool {
        let array: Int
        switch self {
        case .add, .remove: array = path.components.count - 1
        case .splice: array = path.components.count
        case .replace, .edit: return false
        }
        guard array >= 0, array < place.components.count,
            path.components[..<array].elementsEqual(place.components[..<array]),
            let index = Place.index(place.components[array])
        else { return false }
        if case .splice(_, let at, _, _) = self { return at <= index }
        guard let changed = Place.index(path.components[array]) else { return false }
        return changed <= index
    }
}

extension StatePart {
    /// Undoes an operation as far as it touches the part.
    ///
    /// - Returns: Whether it fits.
    mutating func undo(_ operation: Patch.Operation) -> Bool {
        do {
            try apply(operation.inverted)
            return true
        } catch {
            return false
        }
    }
}
