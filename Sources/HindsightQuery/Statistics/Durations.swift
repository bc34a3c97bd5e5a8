import HindsightSupport
import HindsightTree

/// Some durations in nanoseconds.
package struct Durations: Codable, Sendable, Hashable {
    /// A column of a histogram.
    package struct Bin: Codable, Sendable, Hashable {
        /// The shortest duration in the bin.
        package internal(set) var from: Int64
        /// The shortest duration above the bin.
        package internal(set) var to: Int64
        /// The number of durations in the bin.
        package internal(set) var count: Int
    }

    /// The number of durations.
    package internal(set) var count = 0
    /// The exact sum; the largest number if it would be larger.
    package internal(set) var total: Int64 = 0
    /// The median, rounded down by less than 0.1 %; `nil` if there are no durations.
    @Nullable package internal(set) var median: Int64? = nil
    /// The duration that 99 % of the durations do not exceed, rounded down by less than 0.1 %; `nil` if there are none.
    @Nullable package internal(set) var p99: Int64? = nil
    /// The exact longest duration; `nil` if there is none.
    @Nullable package internal(set) var longest: Int64? = nil
    /// A histogram with bins from 1 to 2, from 2 to 5 and from 5 to 10 of each power of ten, from the first to the last
    /// that is not empty. Exact.
    package internal(set) var histogram: [Bin] = []
}

/// Counts durations so that the median of any number of them takes little memory.
///
/// Exact below 2,048 ns. Longer durations are rounded down to 11 significant bits, which is less than 0.1 %; their
/// total stays exact.
struct DurationCount {
    /// The number of durations.
    private(set) var count = 0
    private var total: Int64 = 0
    private var longest: Int64 = 0
    /// The number of durations by their rounded value.
    private var counts: [Int64: Int] = [:]
    /// The number of durations from each of ``bounds`` up to the next.
    private var bins: [Int] = []

    private static let significantBits = 11

    mutating func add(_ duration: Int64) {
        let duration = max(0, duration)
        count += 1
        total = total.addingClamped(duration)
        longest = max(longest, duration)
        counts[Self.rounded(duration), default: 0] += 1
        let bin = Self.bounds.partitioningIndex { $0 > duration } - 1
        if bin >= bins.count { bins += [Int](repeating: 0, count: bin - bins.count + 1) }
        bins[bin] += 1
    }

    /// The duration rounded down to 11 significant bits.
    static func rounded(_ duration: Int64) -> Int64 {
        let bits = Int64.bitWidth - duration.leadingZeroBitCount
        let shift = max(0, bits - significantBits)
        return (duration >> shift) << shift
    }

    /// The duration that a part of the durations do not exceed, in nanoseconds: 0.5 for the median, 0.99 for p99. `nil`
    /// if there are none.
    ///
    /// It is the smallest duration such that at least this part of all durations are not longer (the nearest rank),
    /// rounded as the type describes.
    func quantile(_ part: Double) -> Int64? {
        if count == 0 { return nil }
        let rank = max(1, min(count, Int((part * Double(count)).rounded(.up))))
        var seen = 0
        for (duration, count) in counts.sorted(by: { $0.key < $1.key }) {
            seen += count
            if seen >= rank { return duration }
        }
        return longest
    }

    /// What was counted.
    var durations: Durations {
        let histogram = bins.enumerated().drop { $0.element == 0 }.map { index, count in
            let upper = index + 1 < Self.bounds.count ? Self.bounds[index + 1] : .max
            return Durations.Bin(from: Self.bounds[index], to: upper, count: count)
        }
        return Durations(
            count: count,
            total: total,
            median: quantile(0.5),
            p99: quantile(0.99),
            longest: count == 0 ? nil : longest,
            histogram: histogram
        )
    }

    /// 0, 1, 2, 5, 10, 20 and so on.
    private static let bounds: [Int64] = {
        var bounds: [Int64] = [0]
        var power: Int64 = 1
        while power <= .max / 10 {
            bounds += [power, 2 * power, 5 * power]
            power *= 10
        }
        return bounds
    }()
}
