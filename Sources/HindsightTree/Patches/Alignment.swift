/// A run of elements of an old sequence and the run of a new sequence that replaces it. One of the two may be empty.
struct Hunk: Equatable {
    var old: Range<Int>
    var new: Range<Int>

    var isEmpty: Bool { old.isEmpty && new.isEmpty }
}

/// Finds the differences between two sequences, at a bounded cost.
enum Alignment {
    /// The most insertions and removals that a search looks for between the common ends.
    static let bound = 128

    /// The hunks in ascending order. Outside of them, the elements of both sequences are the same pair by pair.
    ///
    /// `same(i, j)` says whether old element `i` is the same as new element `j`. The common ends are never part of a
    /// hunk. If as many elements are left on both sides and few differ from their counterparts, those are the hunks.
    /// Otherwise ``MyersDiff`` searches from the start, then from the end, for at most ``bound`` insertions and
    /// removals each. The rest is one hunk.
    ///
    /// Costs at most (old + new) × ``bound`` comparisons, usually little more than old + new, and constant memory.
    @inline(__always)
    static func hunks(_ old: Int, _ new: Int, same: (Int, Int) -> Bool) -> [Hunk] {
        let (prefix, suffix) = commonEnds(old, new, same: same)
        let middle = Hunk(old: prefix..<(old - suffix), new: prefix..<(new - suffix))
        if middle.isEmpty { return [] }
        if middle.old.isEmpty || middle.new.isEmpty { return [middle] }
        return pairwiseHunks(middle, same: same) ?? searchedHunks(middle, same: same)
    }

    /// The number of elements at the start, and of the others at the end, that are the same.
    @inline(__always)
    static func commonEnds(_ old: Int, _ new: Int, same: (Int, Int) -> Bool) -> (prefix: Int, suffix: Int) {
        let shorter = min(old, new)
        var prefix = 0
        while prefix < shorter, same(prefix, prefix) { prefix += 1 }
        var suffix = 0
        while suffix < shorter - prefix, same(old - suffix - 1, new - suffix - 1) { suffix += 1 }
        return (prefix, suffix)
    }

    /// The runs of elements that differ from their counterparts; `nil` if the counts differ, or more than a quarter of
    /// the elements.
    @inline(__always)
    private static func pairwiseHunks(_ middle: Hunk, same: (Int, Int) -> Bool) -> [Hunk]? {
        guard middle.old.count == middle.new.count else { return nil }
        let shift = middle.new.lowerBound - middle.old.lowerBound
        var budget = middle.old.count / 4
        var hunks: [Hunk] = []
        for index in middle.old where !same(index, index + shift) {
            guard budget > 0 else { return nil }
            budget -= 1
            var start = index
            if let last = hunks.last, last.old.upperBound == index {
                start = last.old.lowerBound
                hunks.removeLast()
            }
            hunks.append(Hunk(old: start..<(index + 1), new: (start + shift)..<(index + shift + 1)))
        }
        return hunks
    }

    /// Searches from the start, then searches the rest from the end.
    private static func searchedHunks(_ middle: Hunk, same: (Int, Int) -> Bool) -> [Hunk] {
        let front = MyersDiff.run(middle.old.count, middle.new.count) { old, new in
            same(middle.old.lowerBound + old, middle.new.lowerBound + new)
        }
        let hunks = front.hunks.map { $0.moved(middle.old.lowerBound, middle.new.lowerBound) }
        let rest = front.rest.moved(middle.old.lowerBound, middle.new.lowerBound)
        if rest.isEmpty { return hunks }

        let (oldEnd, newEnd) = (rest.old.upperBound, rest.new.upperBound)
        let back = MyersDiff.run(rest.old.count, rest.new.count) { old, new in
            same(oldEnd - 1 - old, newEnd - 1 - new)
        }
        let behind = ([back.rest] + back.hunks.reversed()).filter { !$0.isEmpty }
        return hunks + behind.map { $0.mirrored(oldEnd, newEnd) }
    }
}

extension Hunk {
    func moved(_ old: Int, _ new: Int) -> Hunk {
        Hunk(old: self.old.shifted(by: old), new: self.new.shifted(by: new))
    }

    /// The hunk of two sequences whose indices were counted from the end.
    fileprivate func mirrored(_ oldEnd: Int, _ newEnd: Int) -> Hunk {
        Hunk(
            old: (oldEnd - old.upperBound)..<(oldEnd - old.lowerBound),
            new: (newEnd - new.upperBound)..<(newEnd - new.lowerBound)
        )
    }
}

extension Range<Int> {
    func shifted(by offset: Int) -> Range<Int> { lowerBound + offset..<upperBound + offset }
}
