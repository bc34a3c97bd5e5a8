import HindsightFormat
import HindsightTree

/// Finds the chains of a recording's states, fed with its actions and whole states in their order.
///
/// Costs applying and undoing everything about once, and what a few states take in memory. A small change may move much
/// of a big state, and so a file can be made that would keep it busy for days: it heeds a deadline.
struct ConsistentRunFinder {
    /// States that go on.
    private struct Live {
        var state: Node
        var chain: ConsistentRun
        var weight: Int
    }

    private(set) var closed: [ConsistentRun] = []
    private var live: [Live] = []
    /// The last action whose steps are not known: no state before its end is reached from behind it.
    private var floor: Int
    /// The position that has been reached.
    private var seq: Int
    /// How often it was gone back beyond a contradiction; from some number on that is not done any more.
    private var journeys = 0
    /// Positions that were left out because their states are too big.
    private(set) var unexamined: ClosedRange<Int>?
    private let deadline: Deadline

    /// What an action's reducers did; `nil` where that cannot be read.
    private let steps: (Int) throws -> [TimedPatch]?

    private static let mostLive = 4
    private static let mostJourneys = 32
    /// So many operations are applied between two looks at the clock.
    private static let stride = 64

    /// - Parameters:
    ///   - first: The first position.
    ///   - steps: Reads what an action's reducers did, for the way back.
    ///   - deadline: When to give up.
    init(from first: Int, until deadline: Deadline = .never, steps: @escaping (Int) throws -> [TimedPatch]?) {
        self.deadline = deadline
        floor = first
        seq = first
        self.steps = steps
    }

    /// Whether any state was reached up to here.
    var isFollowing: Bool { !live.isEmpty }

    var chains: [ConsistentRun] { closed + live.map(\.chain) }

    // MARK: The way forward

    /// The next action did this.
    ///
    /// - Parameter bytes: Of its text.
    mutating func apply(_ next: Int, _ steps: [TimedPatch], bytes: Int) {
        seq = next
        // In place, from the last: a state that two hold would be copied whole to be changed.
        for index in live.indices.reversed() {
            let (misfit, isDone) = Self.apply(steps, next, to: &live[index].state, until: deadline)
            live[index].weight += 2 * bytes
            if isDone, live[index].weight > MemoryEstimate.most {
                live[index].weight = MemoryEstimate.of(live[index].state)
            }
            let isTooBig = live[index].weight > MemoryEstimate.most
            guard isDone, !isTooBig else {
                live[index].chain.misfit = misfit
                closed.append(live.remove(at: index).chain)
                if isDone { leaveOut(next) }
                continue
            }
            live[index].chain.high = next
        }
    }

    /// - Returns: What did not fit, and whether all was applied.
    private static func apply(
        _ steps: [TimedPatch],
        _ seq: Int,
        to state: inout Node,
        until deadline: Deadline
    ) -> (misfit: ConsistentRun.Misfit?, isDone: Bool) {
        for (index, step) in steps.enumerated() {
            var rest = step.patch.operations[...]
            while !rest.isEmpty {
                if deadline.hasPassed { return (nil, false) }
                do {
                    try Patch(Array(rest.prefix(stride))).apply(to: &state)
                } catch {
                    let reducer = step.duration == nil ? 0 : index + 1
                    return (ConsistentRun.Misfit(seq: seq, reducer: reducer, what: "\(error)"), false)
                }
                rest = rest.dropFirst(stride)
            }
        }
        return (nil, true)
    }

    /// What the next action did is not known.
    mutating func interrupt(at next: Int) {
        closed += live.map(\.chain)
        live = []
        floor = next
        seq = next
    }

    // MARK: Whole states

    /// There is a whole state here.
    ///
    /// - Returns: What is wrong with it by itself, as a clause.
    mutating func anchor(_ text: String) throws -> String? {
        let weight = MemoryEstimate.of(text)
        // Where a state is much bigger than the text, making a text of it costs more than the text is worth.
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
        if live.count >= Self.mostLive {
            // The one that has least to say for itself.
            let weakest = live.indices.min { live[$0].chain.anchors.count < live[$1].chain.anchors.count }
            if let weakest { closed.append(live.remove(at: weakest).chain) }
        }
        live.append(Live(state: state, chain: chain, weight: weight))
        return nil
    }

    /// How far back the states before a whole one can be reached by undoing, and whether something did not fit there.
    private mutating func goBack(from state: Node, isContested: Bool) throws -> (Int, isStuck: Bool) {
        if isContested {
            journeys += 1
            // As if all of it could: it is then in doubt, which errs on the safe side.
            if journeys > Self.mostJourneys { return (floor, false) }
        }
        var state = state
        var position = seq
        while position > floor, !deadline.hasPassed, let steps = try steps(position) {
            do {
                for step in steps.reversed() { try step.patch.undo(on: &state) }
            } catch {
                return (position, true)
            }
            position -= 1
        }
        return (position, false)
    }

    private mutating func leaveOut(_ position: Int) {
        unexamined = (unexamined?.lowerBound ?? position)...position
    }
}

/// How much memory a state may take, roughly and rather too much.
enum MemoryEstimate {
    /// What is examined takes at most this much at once.
    static let most = 600 << 20
    /// A text that is longer is not read.
    static let longestText = 300 << 20

    private static let node = 96

    /// What a text's node will take.
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
