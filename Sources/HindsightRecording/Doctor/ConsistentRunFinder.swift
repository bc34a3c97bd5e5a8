import HindsightFormat
import HindsightTree

/// Finds the consistent runs of a recording from its actions and keyframes in order.
///
/// Costs applying and undoing all changes about once, and the memory of a few states. A small change may move much of a
/// large state, so a malicious file could take days: the finder has a deadline.
struct ConsistentRunFinder {
    /// A run that is not finished.
    private struct Live {
        var state: Node
        var chain: ConsistentRun
        var weight: Int
    }

    private(set) var closed: [ConsistentRun] = []
    private var live: [Live] = []
    /// The last action with unknown steps. Undoing stops there.
    private var floor: Int
    /// The present position.
    private var seq: Int
    /// The number of contradictions beyond which states were undone. Limited.
    private var journeys = 0
    /// Positions that were left out because their states are too large.
    private(set) var unexamined: ClosedRange<Int>?
    private let deadline: ContinuousClock.Instant?

    /// Reads the steps of an action; `nil` if they cannot be read.
    private let steps: (Int) throws -> [TimedPatch]?

    private static let maxLive = 4
    private static let maxJourneys = 32
    /// The number of operations between two checks of the deadline.
    private static let stride = 64

    /// - Parameters:
    ///   - first: The first position.
    ///   - steps: Reads the steps of an action, to undo it.
    ///   - deadline: The time limit; `nil` if there is none.
    init(
        from first: Int,
        until deadline: ContinuousClock.Instant? = nil,
        steps: @escaping (Int) throws -> [TimedPatch]?
    ) {
        self.deadline = deadline
        floor = first
        seq = first
        self.steps = steps
    }

    /// Whether any state was reached up to here.
    var isFollowing: Bool { !live.isEmpty }

    var chains: [ConsistentRun] { closed + live.map(\.chain) }

    // MARK: Applying

    /// Adds the changes of the next action.
    ///
    /// - Parameter bytes: The size of their text.
    mutating func apply(_ next: Int, _ steps: [TimedPatch], bytes: Int) {
        seq = next
        // In place, from the last one, because a state with two references would be copied to be changed.
        for index in live.indices.reversed() {
            let (patchFailure, isDone) = Self.apply(steps, next, to: &live[index].state, until: deadline)
            live[index].weight += 2 * bytes
            if isDone, live[index].weight > MemoryEstimate.most {
                live[index].weight = MemoryEstimate.of(live[index].state)
            }
            let isTooBig = live[index].weight > MemoryEstimate.most
            guard isDone, !isTooBig else {
                live[index].chain.patchFailure = patchFailure
                closed.append(live.remove(at: index).chain)
                if isDone { leaveOut(next) }
                continue
            }
            live[index].chain.high = next
        }
    }

    /// - Returns: The problem, and whether all changes were applied.
    private static func apply(
        _ steps: [TimedPatch],
        _ seq: Int,
        to state: inout Node,
        until deadline: ContinuousClock.Instant?
    ) -> (patchFailure: ConsistentRun.PatchFailure?, isDone: Bool) {
        for (index, step) in steps.enumerated() {
            var run = PatchRun()
            for (number, operation) in step.patch.operations.enumerated() {
                if number.isMultiple(of: stride), hasPassed(deadline) { return (nil, false) }
                do {
                    try run.apply(operation, to: &state)
                } catch {
                    let reducer = step.duration == nil ? 0 : index + 1
                    return (ConsistentRun.PatchFailure(seq: seq, reducer: reducer, what: "\(error)"), false)
                }
            }
        }
        return (nil, true)
    }

    /// Notes that the changes of the next action are unknown.
    mutating func interrupt(at next: Int) {
        closed += live.map(\.chain)
        live = []
        floor = next
        seq = next
    }

    // MARK: Keyframes

    /// Adds a keyframe.
    ///
    /// - Returns: What is wrong with the keyframe itself, as a clause.
    mutating func anchor(_ text: String) throws -> String? {
        let weight = MemoryEstimate.of(text)
        // If a state is much larger than the text, converting it to text costs too much.
        if let index = live.firstIndex(where: { $0.weight / 4 <= weight && $0.state.json == text }) {
            live[index].chain.anchors.append(seq)
            return nil
        }
        guard weight + live.reduce(0, { $0 + $1.weight }) <= MemoryEstimate.most else {
            leaveOut(seq)
            return nil
        }
        let state: Node
        do {
            state = try Node(json: text)
        } catch {
            return "it is not what it should be: \(error)"
        }
        if let index = live.firstIndex(where: { $0.state == state }) {
            live[index].chain.anchors.append(seq)
            return nil
        }
        var chain = ConsistentRun(low: seq, high: seq, anchors: [seq])
        chain.isContradiction = !live.isEmpty
        let isContested = chain.isContradiction || (closed.last?.high ?? -1) >= floor
        (chain.low, chain.isStuck) = try goBack(from: state, isContested: isContested)
        if live.count >= Self.maxLive {
            // Drops the run with the least evidence.
            let weakest = live.indices.min { live[$0].chain.anchors.count < live[$1].chain.anchors.count }
            if let weakest { closed.append(live.remove(at: weakest).chain) }
        }
        live.append(Live(state: state, chain: chain, weight: weight))
        return nil
    }

    /// How far the states before a keyframe can be undone, and whether one did not fit.
    private mutating func goBack(from state: Node, isContested: Bool) throws -> (Int, isStuck: Bool) {
        if isContested {
            journeys += 1
            // Assumes the whole range, which marks it as doubtful. This errs on the safe side.
            if journeys > Self.maxJourneys { return (floor, false) }
        }
        var state = state
        var position = seq
        while position > floor, !Self.hasPassed(deadline), let steps = try steps(position) {
            do {
                for step in steps.reversed() { try step.patch.undo(on: &state) }
            } catch {
                return (position, true)
            }
            position -= 1
        }
        return (position, false)
    }

    private static func hasPassed(_ deadline: ContinuousClock.Instant?) -> Bool {
        deadline.map { ContinuousClock.now >= $0 } ?? false
    }

    private mutating func leaveOut(_ position: Int) {
        unexamined = (unexamined?.lowerBound ?? position)...position
    }
}

/// A rough upper estimate of a state's memory.
enum MemoryEstimate {
    /// The largest amount of memory for an examination.
    static let most = 600 << 20
    /// The longest text to read.
    static let maxTextLength = 300 << 20

    private static let node = 96

    /// The estimated memory of a text's node.
    static func of(_ text: String) -> Int { of(text.utf8) }

    static func of(_ text: some Sequence<UInt8>) -> Int {
        var weight = 0
        for byte in text {
            let isNode = byte == UInt8(ascii: ",") || byte == UInt8(ascii: "[") || byte == UInt8(ascii: "{")
            weight += isNode ? node + 1 : 1
        }
        return weight
    }

    static func of(_ state: Node) -> Int {
        switch state {
        case .array(let elements): elements.reduce(node) { $0 + of($1) }
        case .object(let members): members.reduce(node) { $0 + $1.key.utf8.count + of($1.value) }
        case .string(let text), .number(let text): node + text.utf8.count
        case .data(let bytes): node + bytes.count
        default: node
        }
    }
}
