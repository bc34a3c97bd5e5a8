import HindsightFormat
import HindsightRecording
import HindsightTree

/// The changes of one place. ``HindsightRecording/Recording/history(of:upTo:following:limit:by:)`` finds them.
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
    /// Costs the changes that touch the place, or its outermost array; and with an index of your own nothing else,
    /// without one, a pass over the recorded changes.
    ///
    /// - Parameters:
    ///   - path: The place.
    ///   - position: The last position; ``end`` by default. If the element is followed, it is there at this position.
    ///   - following: Whether to follow the element.
    ///   - limit: The most changes to find, from the last one back.
    ///   - index: The index of this recording. Another one is used if it was built before the recording grew.
    /// - Throws: A `RecordingError` with the code `positionOutOfRange`, `damaged` or `unreadable`.
    package func history(
        of path: NodePath,
        upTo position: Position? = nil,
        following: Bool = false,
        limit: Int = .max,
        by index: ChangeIndex? = nil
    ) throws(RecordingError) -> PlaceHistory {
        let position = position ?? end
        let state = try state(at: position)
        return try history(of: path, in: state, at: position, following: following, limit: limit, by: index)
    }

    /// Finds the changes of one place up to a position with a given state.
    ///
    /// - Parameter computed: What led to the position, if its state was computed.
    package func history(
        of path: NodePath,
        in state: Node,
        at position: Position,
        following: Bool,
        limit: Int,
        by index: ChangeIndex?,
        computed: ComputedSteps? = nil
    ) throws(RecordingError) -> PlaceHistory {
        let index = if let index, index.covers(self) { index } else { try ChangeIndex(of: self) }
        var history =
            following
            ? try followedHistory(of: path, in: state, at: position, limit, index, computed)
            : try fixedHistory(of: path, in: state, at: position, limit, index, computed)
        let position = computed?.firstRecorded(before: position) ?? position
        // An element that is followed was nowhere before it was inserted.
        let isPart = history.earlierCount > 0 || following && history.first == nil
        let first = isPart ? history.changes.first?.origin.firstAction ?? 0 : 0
        history.unknown = index.summedRanges(before: position).filter { $0.lowerBound >= first }
            .map { $0.lowerBound...min($0.upperBound, position.seq) }
        return history
    }

    /// The history of the value that is at a path now, wherever it was.
    private func followedHistory(
        of path: NodePath,
        in state: Node,
        at position: Position,
        _ limit: Int,
        _ index: ChangeIndex,
        _ computed: ComputedSteps?
    ) throws(RecordingError) -> PlaceHistory {
        var history = PlaceHistory(firstPath: path)
        var value = state[path]
        let walk = PlaceWalk(
            back: position,
            from: state,
            following: [path],
            asWholes: true,
            by: index,
            computed: computed
        )
        var last: Position?
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
            if !fits { value = try self.state(at: step.before, computed)[walk.tree.path(ofLeaf: 0)] }
            last = step.before
            if value == new { continue }
            history.changes.append(PlaceHistory.Change(origin: step.origin, path: step.path, old: value, new: new))
        }
        history.changes.reverse()
        history.first = value
        history.firstPath = walk.tree.isEmpty ? history.changes.first?.path ?? path : walk.tree.path(ofLeaf: 0)
        if history.changes.count >= limit, !walk.tree.isEmpty, let last {
            let keys = index.keys(touching: history.firstPath)
            let recorded = computed?.firstRecorded(before: last) ?? last
            history.earlierCount = keys.partitioningIndex { $0 > index.keys.last(upTo: recorded) }
            history.earlierCount += computed?.steps(upTo: last).count ?? 0
            history.earlierIsExact = false
        }
        return history
    }

    private func fixedHistory(
        of path: NodePath,
        in state: Node,
        at position: Position,
        _ limit: Int,
        _ index: ChangeIndex,
        _ computed: ComputedSteps?
    ) throws(RecordingError) -> PlaceHistory {
        var history = PlaceHistory(firstPath: path)
        var tracked = TrackedPart(of: state, for: path, by: index)
        var pending = computed?.steps(upTo: position) ?? []
        let position = computed?.firstRecorded(before: position) ?? position
        let steps = StepReader(self, index.keys)
        var unknown = index.unknownRanges(before: position)
        var keys = index.keys(touching: tracked.root)[...]
        keys = keys[..<keys.partitioningIndex { $0 > index.keys.last(upTo: position) }]
        while history.changes.count < limit {
            let new = tracked.value
            let origin: ChangeOrigin
            if let (after, operations) = pending.popLast() {
                origin = .step(after)
                if !tracked.undo(operations) { tracked.reset(to: try self.state(at: after.before, computed)) }
            } else if let range = unknown.last, keys.last.map({ index.keys.seq($0) <= range.upperBound }) ?? true {
                unknown.removeLast()
                origin = .oneOf(range.lowerBound...min(range.upperBound, position.seq))
                tracked.reset(to: try self.state(at: Position(seq: range.lowerBound - 1)))
                keys = keys[..<keys.partitioningIndex { index.keys.seq($0) >= range.lowerBound }]
            } else if let key = keys.popLast() {
                origin = index.origin(of: key)
                if !tracked.undo(try steps.operations(key)) {
                    tracked.reset(to: try self.state(at: index.position(before: key)))
                }
            } else {
                break
            }
            let old = tracked.value
            if old != new {
                history.changes.append(PlaceHistory.Change(origin: origin, path: path, old: old, new: new))
            }
        }
        history.changes.reverse()
        history.first = tracked.value
        history.earlierCount = keys.count + unknown.count + pending.count
        let around = path.ancestors.contains { !index.keys(at: $0).isEmpty }
        let isEachCounted = unknown.isEmpty && pending.isEmpty && tracked.root == path && !around
        history.earlierIsExact = history.earlierCount == 0 || isEachCounted
        return history
    }
}

/// The value at a path that stays the same while steps are undone, as a part of a larger value.
private struct TrackedPart {
    /// What is tracked: the place itself, or, if elements often move, the outermost array around it whose elements do.
    private var part: StatePart
    /// The path of the value in it.
    private let rest: NodePath

    /// How often elements may move so that the state before each time is read.
    private static let maxMoves = 8

    init(of state: Node, for path: NodePath, by index: ChangeIndex) {
        let arrays = path.ancestors.filter { outer in
            guard case .array? = state[outer] else { return false }
            return !index.keys(at: outer).isEmpty
        }
        let moves = arrays.reduce(0) { $0 + index.keys(at: $1).count }
        let root = moves > Self.maxMoves ? arrays[0] : path
        part = StatePart(path: root, node: state[root])
        rest = NodePath(Array(path.components[root.components.count...]))
    }

    var root: NodePath { part.path }
    var value: Node? { part.node?[rest] }

    mutating func reset(to state: Node) { part = StatePart(path: root, node: state[root]) }

    /// Undoes a step.
    ///
    /// - Returns: Whether that was possible with what is tracked.
    mutating func undo(_ operations: [Patch.Operation]) -> Bool {
        operations.reversed().allSatisfy { !$0.moves(root) && part.undo($0) }
    }
}

extension StatePart {
    /// Undoes an operation as far as it touches the part.
    ///
    /// - Returns: Whether it fits.
    mutating func undo(_ operation: Patch.Operation) -> Bool {
        (try? apply(operation.inverted)) != nil
    }
}
