import HindsightFormat
import HindsightSupport
import HindsightTree

/// Positions whose states follow from one another, and from the whole states among them.
///
/// From a whole state, states are reached forward by applying what each action did, and backward by undoing it, until
/// something is missing or does not fit. Two chains that reach the same position have different states there: were they
/// the same, what comes after and before would be too, and it would be one chain.
struct ConsistentRun: Equatable {
    /// The first position that is reached.
    var low: Int
    /// The last one.
    var high: Int
    /// The whole states that say so.
    var anchors: [Int]
    /// Whether it begins with a whole state that contradicts the states before it.
    var isContradiction = false
    /// Where the next action did not fit its last state.
    var misfit: Misfit?
    /// Whether undoing its first position's action did not fit.
    var isStuck = false

    struct Misfit: Equatable {
        var seq: Int
        var reducer: Int
        var what: String
    }
}

/// Which of several chains to believe.
struct ConsistencyVerdict: Equatable {
    /// A part of a chain that no other contradicts.
    struct Piece: Equatable {
        var positions: ClosedRange<Int>
        var chain: ConsistentRun
    }

    /// In their order.
    var pieces: [Piece] = []
    /// Chains that another one goes past on both sides: it is their whole states that are wrong.
    var refuted: [ConsistentRun] = []
    /// Positions for which there are two states or more, and nothing tells which is right.
    var doubtful: [ClosedRange<Int>] = []

    /// Costs sorting the chains.
    init(of chains: [ConsistentRun]) {
        var believed: [ConsistentRun] = []
        // How far those reach that begin before the one that is looked at.
        var reached = Int.min
        var group = (low: Int.min, high: Int.min)
        for chain in chains.sorted(by: { ($0.low, $0.high) < ($1.low, $1.high) }) {
            if chain.low > group.low {
                reached = max(reached, group.high)
                group = (chain.low, chain.high)
            }
            group.high = max(group.high, chain.high)
            // One damaged whole state does that; two that are damaged alike are less likely than something else.
            if chain.high < reached, chain.anchors.count == 1 { refuted.append(chain) } else { believed.append(chain) }
        }
        share(believed)
        doubtLooseEnds()
    }

    /// Gives each position to the one chain that has it.
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
                } else if let last = doubtful.last, last.upperBound == start - 1 {
                    doubtful[doubtful.count - 1] = last.lowerBound...range.upperBound
                } else {
                    doubtful.append(range)
                }
            }
            start = bound.at
            if bound.isStart { open.insert(bound.chain) } else { open.remove(bound.chain) }
        }
    }

    /// Where something does not fit and no other chain has come across it, either of both sides may be wrong: what lies
    /// between it and the chain's next whole state.
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
            if chain.misfit != nil, !isClaimed(chain.high + 1), let last = chain.anchors.last, last < high {
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
        doubtful = doubtful.sorted { $0.lowerBound < $1.lowerBound }.reduce(into: []) { merged, range in
            if let last = merged.last, last.upperBound + 1 >= range.lowerBound {
                merged[merged.count - 1] = last.lowerBound...max(last.upperBound, range.upperBound)
            } else {
                merged.append(range)
            }
        }
    }
}
