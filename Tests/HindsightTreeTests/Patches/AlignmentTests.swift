import TestSupport
import Testing

@testable import HindsightTree

@Suite struct AlignmentTests {
    /// The hunks, after a check that the elements between them are equal.
    static func hunks(_ old: [Int], _ new: [Int]) -> [Hunk] {
        let hunks = Alignment.hunks(old.count, new.count) { old[$0] == new[$1] }
        var rebuilt: [Int] = []
        var at = 0
        for hunk in hunks {
            #expect(!hunk.isEmpty && hunk.old.lowerBound >= at)
            rebuilt += old[at..<hunk.old.lowerBound]
            #expect(hunk.new.lowerBound == rebuilt.count)
            rebuilt += new[hunk.new]
            at = hunk.old.upperBound
        }
        rebuilt += old[at...]
        #expect(rebuilt == new)
        return hunks
    }

    @Test(
        arguments: [
            ([], [], []),
            ([1], [1], []),
            ([], [1], [Hunk(old: 0..<0, new: 0..<1)]),
            ([1, 2, 3], [1, 3], [Hunk(old: 1..<2, new: 1..<1)]),
            ([1, 2, 3], [1, 9, 3], [Hunk(old: 1..<2, new: 1..<2)]),
            ([1, 1, 1], [1, 1], [Hunk(old: 2..<3, new: 2..<2)]),
            ([1, 2, 3, 4, 5], [2, 3, 4, 5, 1], [Hunk(old: 0..<1, new: 0..<0), Hunk(old: 5..<5, new: 4..<5)]),
            ([1, 2, 3, 4], [5, 6, 7], [Hunk(old: 0..<4, new: 0..<3)]),
        ] as [([Int], [Int], [Hunk])]
    )
    func `hunks are the differences`(old: [Int], new: [Int], hunks: [Hunk]) {
        #expect(Self.hunks(old, new) == hunks)
    }

    @Test func `elements between hunks are equal, for any two sequences`() {
        for var random in Seeded.runs(2000) {
            let letters = random.pick([1, 2, 3, 10, 1000])
            let old = (0..<random.below(60)).map { _ in random.below(letters) }
            var new = old
            for _ in 0..<random.below(6) {
                let at = random.below(new.count + 1)
                if random.once(in: 2) { new.insert(random.below(letters), at: at) }
                if random.once(in: 2) { new.removeSubrange(at..<min(new.count, at + random.below(4))) }
            }
            if random.once(in: 4) { new.shuffle(using: &random) }
            let hunks = Self.hunks(old, new)
            // No more than in the shortest alignment, by the textbook algorithm, unless it pairs different elements.
            let length = hunks.reduce(0) { $0 + $1.old.count + $1.new.count }
            if old.count != new.count { #expect(length == Self.shortest(old, new), "\(random)") }
        }
    }

    static func shortest(_ old: [Int], _ new: [Int]) -> Int {
        var row = Array(0...new.count)
        for i in 0..<old.count {
            var diagonal = row[0]
            row[0] = i + 1
            for j in 0..<new.count {
                let above = row[j + 1]
                row[j + 1] = old[i] == new[j] ? diagonal : min(above, row[j]) + 1
                diagonal = above
            }
        }
        return row[new.count]
    }

    @Test func `a few changes among many elements are separate hunks`() {
        let old = Array(0..<100_000)
        var new = old
        new.insert(-1, at: 99_000)
        new.remove(at: 50_000)
        new[100] = -2
        #expect(Self.hunks(old, new).map { max($0.old.count, $0.new.count) } == [1, 1, 1])
    }

    @Test func `many changed pairs are separate hunks, however many there are`() {
        let old = Array(0..<4000)
        let new = old.map { $0.isMultiple(of: 8) ? -1 : $0 }
        let hunks = Self.hunks(old, new)
        #expect(hunks.count == 500 && hunks.allSatisfy { $0.old.count == 1 && $0.new == $0.old })
    }

    @Test func `a long insertion does not hide a distant change`() {
        let old = Array(0..<50_000)
        for (insertion, change) in [(100, 40_000), (40_000, 100)] {
            var new = old
            new[change] = -1
            new.insert(contentsOf: repeatElement(-2, count: 1_000), at: insertion)
            #expect(Self.hunks(old, new).map(\.old.count).sorted() == [0, 1])
        }
    }

    @Test func `the cost of sequences beyond the bound is bounded`() {
        for var random in Seeded.runs(3) {
            for letters in [2, 4, 1_000_000] {
                let old = (0..<50_000).map { _ in random.below(letters) }
                let new = (0..<49_000).map { _ in random.below(letters) }
                var comparisons = 0
                _ = Alignment.hunks(old.count, new.count) {
                    comparisons += 1
                    return old[$0] == new[$1]
                }
                #expect(comparisons < 1_000_000, "\(random)")
                _ = Self.hunks(old, new)
            }
            // The worst case: all elements are equal except for too frequent ones.
            let old = (0..<50_000).map { $0 % 100 == 0 ? -1 : 0 }
            let new = (0..<50_000).map { $0 % 100 == 50 ? -2 : 0 } + [3]
            var comparisons = 0
            _ = Alignment.hunks(old.count, new.count) {
                comparisons += 1
                return old[$0] == new[$1]
            }
            #expect(comparisons < 100_000 * Alignment.bound)
            _ = Self.hunks(old, new)
        }
    }
}
