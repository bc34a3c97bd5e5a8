extension RandomAccessCollection {
    /// The index of the first element that satisfies `belongsInSecondPartition`, or `endIndex` if there is none.
    ///
    /// Every element after one that satisfies the predicate must satisfy it too. Costs the logarithm of the number of
    /// elements. The name and the contract are those of swift-algorithms.
    @inlinable
    package func partitioningIndex(where belongsInSecondPartition: (Element) throws -> Bool) rethrows -> Index {
        var (low, remaining) = (startIndex, count)
        while remaining > 0 {
            let half = remaining / 2
            let middle = index(low, offsetBy: half)
            if try belongsInSecondPartition(self[middle]) {
                remaining = half
            } else {
                low = index(after: middle)
                remaining -= half + 1
            }
        }
        return low
    }
}
