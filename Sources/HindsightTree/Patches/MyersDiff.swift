/// Myers' greedy search for the shortest list of insertions and removals, bounded and without recursion.
///
/// On diagonal k (old index − new index), `reach[k]` is how far into the old sequence one gets with `edits` edits. What
/// each round reached is kept, a triangle of ``Alignment/bound``² / 2 numbers, so that the way can be walked back.
struct MyersDiff {
    /// A place on a way: the old index, and the edits and the diagonal that it was reached with.
    private struct Place {
        var old = 0
        var diagonal = 0
        var edits = 0
        var new: Int { old - diagonal }
    }

    /// Each edit must bring at least this many elements closer to the end for a way that does not reach it.
    private static let worth = 16

    private let bound: Int
    private var reach: [Int]
    private var rounds: [Int] = []

    private init(bound: Int) {
        self.bound = bound
        reach = [Int](repeating: 0, count: 2 * bound + 3)
    }

    /// The hunks on the way, and what is left behind the last pair that was found: nothing, if the way goes to the end.
    ///
    /// Where the end is not reached, the way is followed as far as it pays.
    static func run(_ old: Int, _ new: Int, same: (Int, Int) -> Bool) -> (hunks: [Hunk], rest: Hunk) {
        var search = MyersDiff(bound: min(Alignment.bound, old + new))
        let place = search.furthest(old, new, same: same)
        return (search.walkBack(place), Hunk(old: place.old..<old, new: place.new..<new))
    }

    private mutating func furthest(_ old: Int, _ new: Int, same: (Int, Int) -> Bool) -> Place {
        var best = Place()
        var bestGain = 0
        for edits in 0...bound {
            for diagonal in stride(from: -edits, through: edits, by: 2) {
                var x = edits == 0 ? 0 : step(onto: diagonal, edits).old
                while x < old, x - diagonal < new, same(x, x - diagonal) { x += 1 }
                reach[bound + 1 + diagonal] = x
                rounds.append(x)
                let place = Place(old: x, diagonal: diagonal, edits: edits)
                guard x <= old, place.new <= new else { continue }
                if x == old, place.new == new { return place }
                let gain = x + place.new - edits * Self.worth
                if gain > bestGain { (best, bestGain) = (place, gain) }
            }
        }
        return best
    }

    /// Where the furthest way onto a diagonal arrives, before it runs along pairs.
    private func step(onto diagonal: Int, _ edits: Int) -> (old: Int, isInsertion: Bool) {
        Self.step(onto: diagonal, edits) { reach[bound + 1 + $0] }
    }

    /// It is an insertion from the diagonal above or a removal from the one below.
    @inline(__always)
    private static func step(
        onto diagonal: Int,
        _ edits: Int,
        reach: (Int) -> Int
    ) -> (old: Int, isInsertion: Bool) {
        if diagonal == -edits || (diagonal != edits && reach(diagonal - 1) < reach(diagonal + 1)) {
            return (reach(diagonal + 1), true)
        }
        return (reach(diagonal - 1) + 1, false)
    }

    /// Turns the way to `place` into hunks, from its end to its beginning.
    private func walkBack(_ place: Place) -> [Hunk] {
        var hunks: [Hunk] = []
        var here = place
        // Where the hunk ends that is being gathered.
        var end = place
        func close() {
            let hunk = Hunk(old: here.old..<end.old, new: here.new..<end.new)
            if !hunk.isEmpty { hunks.append(hunk) }
        }
        while here.edits > 0 {
            // The rounds before have 1, 2, … numbers each; diagonals are two apart.
            let before = here.edits - 1
            let (start, isInsertion) = Self.step(onto: here.diagonal, here.edits) { diagonal in
                rounds[before * (before + 1) / 2 + (diagonal + before) / 2]
            }
            if start < here.old {
                close()
                end = Place(old: start, diagonal: here.diagonal)
            }
            here = Place(
                old: isInsertion ? start : start - 1,
                diagonal: here.diagonal + (isInsertion ? 1 : -1),
                edits: before
            )
        }
        // Without edits, everything is paired.
        close()
        return hunks.reversed()
    }
}
