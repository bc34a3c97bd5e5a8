/// Myers' greedy search for the shortest list of insertions and removals, bounded and without recursion.
///
/// On diagonal k (old index − new index), `furthest[k]` is the furthest old index that a path with `edits` edits
/// reaches. `rounds` keeps the indices of all rounds, a triangle of ``Alignment/bound``² / 2 numbers, to walk the path
/// back.
struct MyersDiff {
    /// A point on a path: the old index, the diagonal, and the edits that lead there.
    private struct Point {
        var old = 0
        var diagonal = 0
        var edits = 0
        var new: Int { old - diagonal }
    }

    /// The elements that each edit must gain on a path that does not reach the end.
    private static let worth = 16

    private let bound: Int
    private var furthest: [Int]
    private var rounds: [Int] = []

    private init(bound: Int) {
        self.bound = bound
        furthest = [Int](repeating: 0, count: 2 * bound + 3)
    }

    /// The hunks on the path, and the rest after the path: empty if the path reaches the end.
    ///
    /// A path that does not reach the end goes as far as it pays.
    static func run(_ old: Int, _ new: Int, same: (Int, Int) -> Bool) -> (hunks: [Hunk], rest: Hunk) {
        var search = MyersDiff(bound: min(Alignment.bound, old + new))
        let point = search.longestPath(old, new, same: same)
        return (search.walkBack(point), Hunk(old: point.old..<old, new: point.new..<new))
    }

    private mutating func longestPath(_ old: Int, _ new: Int, same: (Int, Int) -> Bool) -> Point {
        var best = Point()
        var bestGain = 0
        for edits in 0...bound {
            for diagonal in stride(from: -edits, through: edits, by: 2) {
                var x = edits == 0 ? 0 : Self.step(onto: diagonal, edits) { furthest[bound + 1 + $0] }.old
                while x < old, x - diagonal < new, same(x, x - diagonal) { x += 1 }
                furthest[bound + 1 + diagonal] = x
                rounds.append(x)
                let point = Point(old: x, diagonal: diagonal, edits: edits)
                guard x <= old, point.new <= new else { continue }
                if x == old, point.new == new { return point }
                let gain = x + point.new - edits * Self.worth
                if gain > bestGain { (best, bestGain) = (point, gain) }
            }
        }
        return best
    }

    /// The old index at which the furthest path enters a diagonal.
    ///
    /// The step is an insertion from the diagonal above, or a removal from the one below.
    @inline(__always)
    private static func step(
        onto diagonal: Int,
        _ edits: Int,
        furthest: (Int) -> Int
    ) -> (old: Int, isInsertion: Bool) {
        if diagonal == -edits || (diagonal != edits && furthest(diagonal - 1) < furthest(diagonal + 1)) {
            return (furthest(diagonal + 1), true)
        }
        return (furthest(diagonal - 1) + 1, false)
    }

    /// The hunks on the path to `point`, found from its end to its start.
    private func walkBack(_ point: Point) -> [Hunk] {
        var hunks: [Hunk] = []
        var here = point
        // The end of the current hunk.
        var end = point
        func close() {
            let hunk = Hunk(old: here.old..<end.old, new: here.new..<end.new)
            if !hunk.isEmpty { hunks.append(hunk) }
        }
        while here.edits > 0 {
            // Rounds 0, 1, … have 1, 2, … numbers. Diagonals are two apart.
            let before = here.edits - 1
            let (start, isInsertion) = Self.step(onto: here.diagonal, here.edits) { diagonal in
                rounds[before * (before + 1) / 2 + (diagonal + before) / 2]
            }
            if start < here.old {
                close()
                end = Point(old: start, diagonal: here.diagonal)
            }
            here = Point(
                old: isInsertion ? start : start - 1,
                diagonal: here.diagonal + (isInsertion ? 1 : -1),
                edits: before
            )
        }
        close()
        return hunks.reversed()
    }
}
