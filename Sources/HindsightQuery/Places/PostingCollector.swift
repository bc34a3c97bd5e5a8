import HindsightTree

/// Collects which keys write which paths, in the order of the keys. A key stands for a position.
///
/// The lists of keys grow at once, so they are kept as one stream, and sorted by path at the end.
struct PostingCollector {
    /// The bytes of all paths, one after the other.
    private var pathBytes: [UInt8] = []
    private var pathEnds: [Int] = []
    /// The last key of each path, and the bytes that its list of keys takes.
    private var lastKeys: [Int] = []
    private var sizes: [Int] = []
    private var hashes: [Int] = []
    /// An open hash table of paths; -1 where there is none.
    private var slots = [Int32](repeating: -1, count: 1024)
    /// For each key of a path: the path, and the difference from the path's key before, as varints.
    private var stream: [UInt8] = []

    /// Adds a key to a path. Keys must not decrease.
    mutating func add(_ key: Int, to path: UnsafeBufferPointer<UInt8>) {
        let id = id(of: path)
        let difference = key - lastKeys[id]
        if difference == 0 { return }
        lastKeys[id] = key
        stream.append(varint: id)
        let start = stream.count
        stream.append(varint: difference)
        sizes[id] += stream.count - start
    }

    private mutating func id(of path: UnsafeBufferPointer<UInt8>) -> Int {
        var hasher = Hasher()
        hasher.combine(bytes: UnsafeRawBufferPointer(path))
        let hash = hasher.finalize()
        var slot = hash & (slots.count - 1)
        while slots[slot] >= 0 {
            let id = Int(slots[slot])
            if hashes[id] == hash, hasPath(path, id) { return id }
            slot = (slot + 1) & (slots.count - 1)
        }
        let id = pathEnds.count
        slots[slot] = Int32(id)
        pathBytes.append(contentsOf: path)
        pathEnds.append(pathBytes.count)
        // No key is below 0, so the first difference is not 0.
        lastKeys.append(-1)
        sizes.append(0)
        hashes.append(hash)
        if pathEnds.count * 2 > slots.count { grow() }
        return id
    }

    private func hasPath(_ path: UnsafeBufferPointer<UInt8>, _ id: Int) -> Bool {
        pathBytes.withUnsafeBufferPointer { path.elementsEqual($0[range(id)]) }
    }

    private mutating func grow() {
        slots = [Int32](repeating: -1, count: slots.count * 2)
        for (id, hash) in hashes.enumerated() {
            var slot = hash & (slots.count - 1)
            while slots[slot] >= 0 { slot = (slot + 1) & (slots.count - 1) }
            slots[slot] = Int32(id)
        }
    }

    /// The lists of keys, sorted by path.
    func finish() -> PostingTable {
        let order = pathBytes.withUnsafeBufferPointer { bytes in
            pathEnds.indices.sorted { bytes.part(range($0)).lexicographicallyPrecedes(bytes.part(range($1))) }
        }
        var table = PostingTable()
        var starts = [Int](repeating: 0, count: order.count)
        for id in order {
            table.paths += pathBytes[range(id)]
            table.pathEnds.append(table.paths.count)
            starts[id] = table.listEnds.last ?? 0
            table.listEnds.append(starts[id] + sizes[id])
        }
        table.lists = [UInt8](repeating: 0, count: table.listEnds.last ?? 0)
        var at = 0
        while at < stream.count {
            let id = stream.varint(&at)
            repeat {
                table.lists[starts[id]] = stream[at]
                starts[id] += 1
                at += 1
            } while stream[at - 1] >= 0x80
        }
        return table
    }

    private func range(_ id: Int) -> Range<Int> { (id == 0 ? 0 : pathEnds[id - 1])..<pathEnds[id] }
}

extension [UInt8] {
    /// Appends a number from 0 up in groups of seven bits, the lowest first.
    mutating func append(varint number: Int) {
        var rest = UInt(bitPattern: number)
        while rest >= 0x80 {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(UInt8(rest))
    }

    /// Reads a number that ``append(varint:)`` wrote. The bytes must be checked.
    func varint(_ at: inout Int) -> Int {
        var (number, shift) = (0, 0)
        while at < count {
            let byte = self[at]
            at += 1
            number |= Int(byte & 0x7F) &<< shift
            if byte < 0x80 { break }
            shift += 7
        }
        return number
    }
}
