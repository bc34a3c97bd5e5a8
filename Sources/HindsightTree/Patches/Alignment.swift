/// Elements of an old sequence and those of a new one that stand in their place; one of the two may be none.
struct Gap: Equatable {
    var old: Range<Int>
    var new: Range<Int>

    var isEmpty: Bool { old.isEmpty && new.isEmpty }
}

/// Finds what is the same in two sequences, at a cost that is bounded whatever they hold.
enum Alignment {
    /// How many insertions and removals are looked for, at most, between the common beginning and end.
    static let bound = 128

    /// The gaps between what is the same, in ascending order; outside of them, elements are the same pair by pair.
    ///
    /// `same(i, j)` says whether old element `i` is new element `j`. The common beginning and end are left out first.
    /// If as many are left on both sides and few differ from their counterpart, those are the gaps. Otherwise a
    /// shortest list of insertions and removals is looked for, ``bound`` of them at most; what is not found from the
    /// beginning is looked for from the end, and what is left after that is one gap.
    ///
    /// Costs (old + new) × ``bound`` comparisons at most, in practice few more than old + new; memory is constant.
    @inline(__always)
    static func gaps(_ old: Int, _ new: Int, same: (Int, Int) -> Bool) -> [Gap] {
        let (prefix, suffix) = commonEnds(old, new, same: same)
        let middle = Gap(old: prefix..<(old - suffix), new: prefix..<(new - suffix))
        if middle.isEmpty { return [] }
        if middle.old.isEmpty || middle.new.isEmpty { return [middle] }
        return pairwiseGaps(middle, same: same) ?? searchedGaps(middle, same: same)
    }

    /// How many elements at the beginning, and how many of the others at the end, are the same.
    @inline(__always)
    static func commonEnds(_ old: Int, _ new: Int, same: (Int, Int) -> Bool) -> (prefix: Int, suffix: Int) {
        let shorter = min(old, new)
        var prefix = 0
        while prefix < shorter, same(prefix, prefix) { prefix += 1 }
        var suffix = 0
        while suffix < shorter - prefix, same(old - suffix - 1, new - suffix - 1) { suffix += 1 }
        return (prefix, suffix)
    }

    /// The runs of elements that differ from their counterpart; `nil` where counts differ, or more than a quarter of
    /// the elements.
    @inline(__always)
    private static func pairwiseGaps(_ middle: Gap, same: (Int, Int) -> Bool) -> [Gap]? {
        guard middle.old.count == middle.new.count else { return nil }
        let shift = middle.new.lowerBound - middle.old.lowerBound
        var budget = middle.old.count / 4
        var gaps: [Gap] = []
        for index in middle.old where !same(index, index + shift) {
            guard budget > 0 else { return nil }
            budget -= 1
            var start = index
            if let last = gaps.last, last.old.upperBound == index {
                start = last.old.lowerBound
                gaps.removeLast()
            }
            gaps.append(Gap(old: start..<(index + 1), new: (start + shift)..<(index + shift + 1)))
        }
        return gaps
    }

    /// Searches from the beginning, and what that leaves from the end.
    private static func searchedGaps(_ middle: Gap, same: (Int, Int) -> Bool) -> [Gap] {
        let front = EditSearch.run(middle.old.count, middle.new.count) { old, new in
            same(middle.old.lowerBound + old, middle.new.lowerBound + new)
        }
        let gaps = front.gaps.map { $0.moved(middle.old.lowerBound, middle.new.lowerBound) }
        let rest = front.rest.moved(middle.old.lowerBound, middle.new.lowerBound)
        if rest.isEmpty { return gaps }

        let (oldEnd, newEnd) = (rest.old.upperBound, rest.new.upperBound)
        let back = EditSearch.run(rest.old.count, rest.new.count) { old, new in
            same(oldEnd - 1 - old, newEnd - 1 - new)
        }
        let behind = ([back.rest] + back.gaps.reversed()).filter { !$0.isEmpty }
        return gaps + behind.map { $0.mirrored(oldEnd, newEnd) }
    }
}

extension Gap {
    func moved(_ old: Int, _ new: Int) -> Gap {
        Gap(
            old: (self.old.lowerBound + old)..<(self.old.upperBound + old),
            new: (self.new.lowerBound + new)..<(self.new.upperBound + new)
        )
    }

    /// The gap in sequences that were counted from the end.
    fileprivate func mirrored(_ oldEnd: Int, _ newEnd: Int) -> Gap {
        Gap(
            old: (oldEnd - old.upperBound)..<(oldEnd - old.lowerBound),
            new: (newEnd - new.upperBound)..<(newEnd - new.lowerBound)
        )
    }
}
