import HindsightSupport
import HindsightTree

/// For each path, the keys that write it, in order. The paths are sorted by bytes.
struct PostingTable {
    /// The bytes of the paths, one after the other.
    var paths: [UInt8] = []
    var pathEnds: [Int] = []
    /// The lists of keys: varints of the differences, the first from -1.
    var lists: [UInt8] = []
    var listEnds: [Int] = []

    var count: Int { pathEnds.count }

    /// The index of a path; `nil` if nothing writes it.
    func index(of path: [UInt8]) -> Int? {
        let index = firstIndex(notBefore: path)
        return index < count && paths[pathRange(index)].elementsEqual(path) ? index : nil
    }

    /// The indices of the paths inside a path, without the path itself.
    func indices(inside path: [UInt8]) -> Range<Int> {
        let start = firstIndex(notBefore: path + [UInt8(ascii: "/")])
        // The byte after a slash.
        return start..<max(start, firstIndex(notBefore: path + [UInt8(ascii: "/") + 1]))
    }

    private func firstIndex(notBefore path: [UInt8]) -> Int {
        paths.withUnsafeBufferPointer { bytes in
            path.withUnsafeBufferPointer { path in
                pathEnds.indices.partitioningIndex { !bytes.part(pathRange($0)).lexicographicallyPrecedes(path) }
            }
        }
    }

    func pathRange(_ index: Int) -> Range<Int> { (index == 0 ? 0 : pathEnds[index - 1])..<pathEnds[index] }

    func listRange(_ index: Int) -> Range<Int> { (index == 0 ? 0 : listEnds[index - 1])..<listEnds[index] }

    /// The path at an index.
    func path(_ index: Int) -> String { String(decoding: paths[pathRange(index)], as: UTF8.self) }

    /// The keys that write the path at an index, in order.
    func keys(_ index: Int) -> [Int] {
        var keys: [Int] = []
        let range = listRange(index)
        var (at, key) = (range.lowerBound, -1)
        while at < range.upperBound {
            key &+= lists.varint(&at)
            keys.append(key)
        }
        return keys
    }
}
