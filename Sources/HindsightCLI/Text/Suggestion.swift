import HindsightSupport

/// Finds the word that the user probably meant to type.
enum Suggestion {
    /// The candidate that is most similar to `word`; `nil` if none is similar enough for a typing error.
    ///
    /// A prefix of at least two characters counts as similar. Costs O(characters²) a candidate.
    static func nearest(to word: String, in candidates: some Collection<String>) -> String? {
        let typed = Array(word.lowercased().prefix(longest))
        guard !typed.isEmpty else { return nil }
        let allowed = max(1, typed.count / 3)
        var best: (candidate: String, distance: Int)?
        for candidate in candidates where candidate.utf8.count <= longest {
            let letters = Array(candidate.lowercased())
            guard abs(letters.count - typed.count) <= allowed else { continue }
            let distance = distance(typed, letters)
            if distance <= allowed, distance < best?.distance ?? .max {
                best = (candidate, distance)
            }
        }
        if let best { return best.candidate }
        guard typed.count >= 2 else { return nil }
        return candidates.first { $0.lowercased().starts(with: typed) }
    }

    /// `Did you mean totals?`; empty if no candidate is similar enough to the word.
    static func question(_ word: String?, in candidates: some Collection<String>) -> [String] {
        guard let word, let nearest = nearest(to: word, in: candidates) else { return [] }
        return ["Did you mean \(escape(nearest))?"]
    }

    /// Longer words are not compared: the comparison is quadratic.
    private static let longest = 64

    /// The Damerau–Levenshtein distance in its optimal string alignment form: the number of insertions,
    /// deletions, substitutions and swaps of neighbours between two words.
    static func distance(_ left: [Character], _ right: [Character]) -> Int {
        var beforeLast: [Int] = []
        var last = Array(0...right.count)
        for (i, a) in left.enumerated() {
            var row = [i + 1]
            row.reserveCapacity(right.count + 1)
            for (j, b) in right.enumerated() {
                var cost = min(last[j + 1] + 1, row[j] + 1, last[j] + (a == b ? 0 : 1))
                if i > 0, j > 0, a == right[j - 1], left[i - 1] == b {
                    cost = min(cost, beforeLast[j - 1] + 1)
                }
                row.append(cost)
            }
            (beforeLast, last) = (last, row)
        }
        return last[right.count]
    }
}
