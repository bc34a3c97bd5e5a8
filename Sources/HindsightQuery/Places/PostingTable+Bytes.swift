extension PostingTable {
    /// Appends the table to bytes: three counts, the lengths of the paths and of the lists, and both.
    func write(to bytes: inout [UInt8]) {
        for number in [count, paths.count, lists.count] { bytes.append(varint: number) }
        for ends in [pathEnds, listEnds] {
            var start = 0
            for end in ends {
                bytes.append(varint: end - start)
                start = end
            }
        }
        bytes += paths
        bytes += lists
    }

    /// Reads a table that ``write(to:)`` wrote; `nil` if the bytes are something else.
    init?(reading bytes: ArraySlice<UInt8>) {
        let all = Array(bytes)
        var at = 0
        let (count, pathBytes, listBytes) = (all.varint(&at), all.varint(&at), all.varint(&at))
        guard at > 0, 0...all.count ~= count, 0...all.count ~= pathBytes, 0...all.count ~= listBytes else { return nil }
        func ends(_ total: Int) -> [Int]? {
            var ends: [Int] = []
            ends.reserveCapacity(count)
            var end = 0
            for _ in 0..<count {
                let length = all.varint(&at)
                guard 0...(total - end) ~= length else { return nil }
                end += length
                ends.append(end)
            }
            return end == total ? ends : nil
        }
        guard let pathEnds = ends(pathBytes), let listEnds = ends(listBytes),
            all.count - at == pathBytes + listBytes
        else { return nil }
        (self.pathEnds, self.listEnds) = (pathEnds, listEnds)
        paths = Array(all[at..<at + pathBytes])
        lists = Array(all[(at + pathBytes)...])
    }

    /// This table, followed by one whose keys are all larger.
    func appending(_ later: PostingTable) -> PostingTable {
        var merged = PostingTable()
        var (left, right) = (0, 0)
        func precedes(_ one: PostingTable, _ index: Int, _ other: PostingTable, _ otherIndex: Int) -> Bool {
            one.pathBytes(index).lexicographicallyPrecedes(other.pathBytes(otherIndex))
        }
        while left < count || right < later.count {
            let isLeft = right == later.count || left < count && !precedes(later, right, self, left)
            let isRight = left == count || right < later.count && !precedes(self, left, later, right)
            merged.paths += isLeft ? pathBytes(left) : later.pathBytes(right)
            if isLeft { merged.lists += lists[listRange(left)] }
            if isRight {
                // The first difference counts from the last key before.
                let range = later.listRange(right)
                var at = range.lowerBound
                let first = later.lists.varint(&at) - 1
                merged.lists.append(varint: first - (isLeft ? keys(left).last ?? -1 : -1))
                merged.lists += later.lists[at..<range.upperBound]
            }
            merged.pathEnds.append(merged.paths.count)
            merged.listEnds.append(merged.lists.count)
            if isLeft { left += 1 }
            if isRight { right += 1 }
        }
        return merged
    }

    private func pathBytes(_ index: Int) -> ArraySlice<UInt8> { paths[pathRange(index)] }
}
