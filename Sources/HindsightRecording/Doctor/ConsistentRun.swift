import HindsightFormat
import HindsightSupport
import HindsightTree

/// Positions whose states follow from one another, and from the keyframes among them.
///
/// States are reached from a keyframe: forward by applying the changes of each action, and backward by undoing them,
/// until something is missing or inconsistent. If two runs reach the same position, their states differ there.
/// Otherwise the states before and after would be equal too, and there would be one run.
struct ConsistentRun: Equatable {
    /// The first position.
    var low: Int
    /// The last position.
    var high: Int
    /// The keyframes of the run.
    var anchors: [Int]
    /// Whether the run begins with a keyframe that contradicts the states before it.
    var isContradiction = false
    /// Where the next action did not fit the last state.
    var patchFailure: PatchFailure?
    /// Whether undoing the action of the first position failed.
    var isStuck = false

    struct PatchFailure: Equatable {
        var seq: Int
        var reducer: Int
        var what: String
    }
}

/// Decides which of several runs to trust.
struct ConsistencyVerdict: Equatable {
    /// A part of a run that no other run contradicts.
    struct Piece: Equatable {
        var positions: ClosedRange<Int>
        var chain: ConsistentRun
    }

    /// In order of position.
    var pieces: [Piece] = []
    /// Runs that another one extends beyond on both sides. Their keyframes are wrong.
    var refuted: [ConsistentRun] = []
    /// Positions with several states, none of which can be preferred.
    var doubtful: [ClosedRange<Int>] = []

    /// Costs sorting the runs.
    init(of chains: [ConsistentRun]) {
        var believed: [ConsistentRun] = []
        // The furthest end of the runs that begin before the present one.
        var reached = Int.min
        var group = (low: Int.min, high: Int.min)
        for chain in chains.sorted(by: { ($0.low, $0.high) < ($1.low, $1.high) }) {
            if chain.low > group.low {
                reached = max(reached, group.high)
                group = (chain.low, chain.high)
            }
            group.high = max(group.high, chain.high)
            // One damaged keyframe explains this. Two keyframes with equal damage are unlikely.
            if chain.high < reached, chain.anchors.count == 1 { refuted.append(chain) } else { believed.append(chain) }
        }
        share(believed)
        doubtLooseEnds()
    }

    /// Assigns each position to the only run that has it.
    private mutating func share(_ chains: [ConsistentRun]) {
        var bounds: [(at: Int, chain: Int, isStart: Bool)] = []
        for (index, chain) in chains.enumerated() {
            bounds.append((chain.low, index, true))
            bounds.append((chain.high + 1, index, false))
        }
        bounds.sort { ($0.at, $0.chain) < ($1.at, $1.chain) }
        var open: Set<Int> = []
        var start = 0
        for bound in bounds {
            if start < bound.at, let first = open.first {
                let range = start...bound.at - 1
                if open.count == 1 {
                    pieces.append(Piece(positions: range, chain: chains[first]))
                } else {
                    doubtful.join(range)
                }
            }
            start = bound.at
            if bound.isStart { open.insert(bound.chain) } else { open.remove(bound.chain) }
        }
    }

    /// If a state does not fit, and no other run covers it, either side may be wrong: the positions from there to the
    /// run's next keyframe.
    private mutating func doubtLooseEnds() {
        let claimed = (pieces.map(\.positions) + doubtful).sorted { $0.lowerBound < $1.lowerBound }
        func isClaimed(_ position: Int) -> Bool {
            let index = claimed.partitioningIndex { $0.upperBound >= position }
            return index < claimed.count && claimed[index].contains(position)
        }
        var kept: [Piece] = []
        for var piece in pieces {
            let chain = piece.chain
            var (low, high) = (piece.positions.lowerBound, piece.positions.upperBound)
            if chain.patchFailure != nil, !isClaimed(chain.high + 1), let last = chain.anchors.last, last < high {
                doubtful.append(max(low, last + 1)...high)
                high = last
            }
            if chain.isStuck, !isClaimed(chain.low - 1), let first = chain.anchors.first, low < first, low <= high {
                doubtful.append(low...min(high, first - 1))
                low = first
            }
            guard low <= high else { continue }
            piece.positions = low...high
            kept.append(piece)
        }
        pieces = kept
        doubtful = doubtful.sorted { $0.lowerBound < $1.lowerBound }.reduce(into: []) { $0.join($1) }
    }
}
