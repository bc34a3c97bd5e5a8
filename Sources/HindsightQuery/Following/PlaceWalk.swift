import HindsightFormat
import HindsightRecording
import HindsightTree

/// Follows places of a state back through time, from change to change.
final class PlaceWalk {
    let tree: PlaceTree
    private let index: ChangeIndex
    private let recording: Recording
    private let steps: StepReader
    /// When something may happen next, for each place in the tree: the largest key is first.
    private var schedule = KeyHeap()
    /// The ranges of actions to compare as a whole, the last one last.
    private var unknown: [ClosedRange<Int>]
    private let position: Recording.Position
    private let computedSteps: ComputedSteps?
    /// The computed steps that are still to be walked, the last one last.
    private var computed: [(position: Recording.Position, operations: [Patch.Operation])]
    /// How often the walk has looked up when a place changes.
    private(set) var lookupCount = 0

    /// An array with fewer places to schedule is never scheduled as a whole.
    private static let leastElements = 32
    /// How many places are scheduled in the time that reading a step takes, about.
    private static let placesPerStep = 8

    /// - Parameters:
    ///   - position: The position at which the walk begins.
    ///   - state: The state there.
    ///   - paths: The places to follow.
    ///   - computed: What led to the position, if that is after the last recorded one.
    init(
        back position: Recording.Position,
        from state: Node,
        following paths: [NodePath],
        asWholes followsWholes: Bool,
        by index: ChangeIndex,
        computed: ComputedSteps? = nil
    ) {
        computedSteps = computed
        self.computed = computed?.steps(upTo: position) ?? []
        let position = computed?.firstRecorded(before: position) ?? position
        (self.index, self.position) = (index, position)
        recording = index.recording
        steps = StepReader(recording, index.keys)
        tree = PlaceTree(of: state, following: paths, asWholes: followsWholes)
        unknown = index.unknownRanges(before: position)
        if self.computed.isEmpty { plan(tree.root, NodePath(), before: index.keys.last(upTo: position) + 1) }
    }

    /// The changes of followed places by one step, the last first.
    struct Step {
        var origin: ChangeOrigin
        var changes: [(leaf: Int, change: PlaceTree.Change)]
        /// The position before it.
        var before: Recording.Position
        /// Where the first followed place was after it.
        var path: NodePath
    }

    /// Goes to the next change of a followed place.
    ///
    /// - Returns: `nil` if there are none back to the start.
    func next() throws(RecordingError) -> Step? {
        while !tree.isEmpty {
            // Only a walk that follows one whole place uses the path. For many leaves, computing it is slow.
            let path = tree.followsWholes ? tree.path(ofLeaf: 0) : NodePath()
            if let (after, operations) = computed.popLast() {
                try tree.undo(operations) { () throws(RecordingError) in
                    try recording.state(at: after.before, computedSteps)
                }
                if computed.isEmpty { plan(tree.root, NodePath(), before: index.keys.last(upTo: position) + 1) }
                if tree.changes.isEmpty { continue }
                return Step(origin: .step(after), changes: tree.changes, before: after.before, path: path)
            }
            let key = schedule.largest
            if let range = unknown.last, key.map({ index.keys.seq($0) <= range.upperBound }) ?? true {
                unknown.removeLast()
                try compare(range)
                if tree.changes.isEmpty { continue }
                let actions = range.lowerBound...min(range.upperBound, position.seq)
                let before = Recording.Position(seq: range.lowerBound - 1)
                return Step(origin: .oneOf(actions), changes: tree.changes, before: before, path: path)
            }
            guard let key else { return nil }
            var touched: [Place] = []
            while schedule.largest == key { if let place = schedule.removeLargest() { touched.append(place) } }
            if touched.isEmpty { continue }
            let before = index.position(before: key)
            try tree.undo(try steps.operations(key)) { () throws(RecordingError) in try recording.state(at: before) }
            planAgain(touched, before: key)
            if tree.changes.isEmpty { continue }
            return Step(origin: index.origin(of: key), changes: tree.changes, before: before, path: path)
        }
        return nil
    }

    /// Undoes what a range of actions changed together, according to the states before and after it.
    private func compare(_ range: ClosedRange<Int>) throws(RecordingError) {
        let before = Recording.Position(seq: range.lowerBound - 1)
        let after = min(Recording.Position(seq: range.upperBound), position)
        let (old, new) = (try recording.state(at: before), try recording.state(at: after))
        tree.undo(Patch(from: old, to: new).operations) { old }
        plan(tree.root, NodePath(), before: index.keys.last(upTo: before) + 1)
    }

    // MARK: Planning

    /// Schedules what a step may have touched, and what it has moved.
    private func planAgain(_ touched: [Place], before key: Int) {
        for (array, start) in tree.shifted where !array.isScheduledAsWhole && isScheduledAlone(array) {
            let elements = array.elements[array.elements.partitioningIndex { $0.index >= start }...]
            let path = array.path
            if isQuickerAsWhole(path, elements.count, before: key) {
                array.isScheduledAsWhole = true
                plan(only: array, path, before: key)
            } else {
                for element in elements { plan(element, path.appending(String(element.index)), before: key) }
            }
        }
        for place in touched where isScheduledAlone(place) {
            let path = place.path
            if place.isScheduledAsWhole, !isQuickerAsWhole(path, place.elements.count, before: key) {
                plan(place, path, before: key)
            } else {
                plan(only: place, path, before: key)
            }
        }
        for place in tree.moved where isScheduledAlone(place) { plan(place, place.path, before: key) }
    }

    /// Whether a place is still in the tree, and not in an array that is scheduled as a whole.
    private func isScheduledAlone(_ place: Place) -> Bool {
        var place = place
        while let parent = place.parent {
            if parent.isScheduledAsWhole { return false }
            place = parent
        }
        return place === tree.root
    }

    /// Whether few steps change something inside an array until its elements may move again, so that looking at each of
    /// these steps is quicker than scheduling `count` elements.
    ///
    /// Otherwise, in a list in which most actions insert something, each of them would schedule most of the list anew.
    private func isQuickerAsWhole(_ path: NodePath, _ count: Int, before key: Int) -> Bool {
        guard count >= Self.leastElements else { return false }
        let moves = [index.keys(at: path).last(before: key), index.keys(amongElementsOf: path).last(before: key)]
        let nextMove = moves.compactMap { $0 }.max() ?? -1
        let inside = index.keys(inside: path)
        let steps = inside.partitioningIndex { $0 >= key } - inside.partitioningIndex { $0 > nextMove }
        return steps * Self.placesPerStep <= count
    }

    /// Schedules a place and all inside it.
    private func plan(_ place: Place, _ path: NodePath, before key: Int) {
        place.isScheduledAsWhole = false
        plan(only: place, path, before: key)
        for child in place.children {
            plan(child, path.appending(place.isArray ? String(child.index) : child.name), before: key)
        }
    }

    /// Schedules a place without those inside it.
    private func plan(only place: Place, _ path: NodePath, before key: Int) {
        place.generation += 1
        lookupCount += 1
        var lists = [index.keys(at: path)]
        // Elements may change places, although each of them is changed only inside.
        if place.isArray { lists.append(index.keys(amongElementsOf: path)) }
        if place.isScheduledAsWhole { lists.append(index.keys(inside: path)) }
        // Only what becomes empty, or is followed as a whole, changes by what happens inside.
        if case .leaf(let leaf) = place.content, tree.followsWholes || tree.leaves[leaf].value.isContainer {
            lists.append(index.keys(inside: path))
        }
        if let next = lists.compactMap({ $0.last(before: key) }).max() { schedule.insert(next, place) }
    }
}

extension [Int] {
    /// The last of ordered numbers that is below a bound.
    func last(before bound: Int) -> Int? {
        let end = partitioningIndex { $0 >= bound }
        return end > 0 ? self[end - 1] : nil
    }
}

/// A heap of places by keys. Forgets what was scheduled for an earlier generation of a place.
private struct KeyHeap {
    private var entries: [(key: Int, place: Place, generation: Int)] = []

    /// The largest key; `nil` if there is none.
    var largest: Int? {
        mutating get {
            while let first = entries.first, first.generation != first.place.generation { removeFirst() }
            return entries.first?.key
        }
    }

    mutating func removeLargest() -> Place? {
        guard largest != nil, let place = entries.first?.place else { return nil }
        removeFirst()
        return place
    }

    mutating func insert(_ key: Int, _ place: Place) {
        entries.append((key, place, place.generation))
        var at = entries.count - 1
        while at > 0, entries[at].key > entries[(at - 1) / 2].key {
            entries.swapAt(at, (at - 1) / 2)
            at = (at - 1) / 2
        }
    }

    private mutating func removeFirst() {
        guard let last = entries.popLast(), !entries.isEmpty else { return }
        entries[0] = last
        var at = 0
        while true {
            var largest = at
            for child in [2 * at + 1, 2 * at + 2] where child < entries.count {
                if entries[child].key > entries[largest].key { largest = child }
            }
            if largest == at { return }
            entries.swapAt(at, largest)
            at = largest
        }
    }
}
