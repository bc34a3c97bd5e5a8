/// A part of some recordings, for one of several machines.
///
/// Each machine computes the same parts from the same files. They do not depend on the paths, the order or the times of
/// the files. Each recording prefers the shards in an order that its content gives, and belongs to the first that still
/// has room: a tenth more than the average. So the shards have about the same size, and a recording that comes, goes or
/// changes moves few others.
struct Shard: Equatable {
    /// From 1.
    let number: Int
    let count: Int

    /// Parses `2/3`.
    init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let number = Int(parts[0]), let count = Int(parts[1]), 1...10_000 ~= count,
            1...count ~= number
        else { return nil }
        (self.number, self.count) = (number, count)
    }

    /// A file to assign.
    struct Item {
        /// The name without directories. It only orders files of the same content.
        let name: String
        let size: Int
        let hash: ContentHash
    }

    /// Assigns each item to one of some shards, from 0, in the order of the items.
    static func assignments(of items: [Item], to count: Int) -> [Int] {
        // Reading a small file costs more than its size.
        let costs = items.map { $0.size + (1 << 14) }
        let order = items.indices.sorted { left, right in
            let (one, other) = (items[left], items[right])
            if costs[left] != costs[right] { return costs[left] > costs[right] }
            if one.hash != other.hash { return one.hash < other.hash }
            return (one.name, left) < (other.name, right)
        }
        let room = costs.reduce(0, +) / count * 11 / 10
        var loads = [Int](repeating: 0, count: count)
        var assigned = [Int](repeating: 0, count: items.count)
        for index in order {
            let preferences = (0..<count).map { (items[index].hash.mixed(with: $0), $0) }.sorted { $0 < $1 }.map(\.1)
            let free = preferences.first { loads[$0] + costs[index] <= room }
            let chosen = free ?? preferences.min { loads[$0] < loads[$1] } ?? 0
            loads[chosen] += costs[index]
            assigned[index] = chosen
        }
        return assigned
    }

    /// The files of this shard, in their order, and the bytes of these and of all.
    func files(of paths: [String]) -> (files: [String], bytes: Int, all: Int) {
        let items = paths.map { path in
            let (size, hash) = ContentHash.ofEnds(path)
            return Item(name: path.split(separator: "/").last.map(String.init) ?? path, size: size, hash: hash)
        }
        let assigned = Self.assignments(of: items, to: count)
        let own = paths.indices.filter { assigned[$0] == number - 1 }
        return (own.map { paths[$0] }, own.reduce(0) { $0 + items[$1].size }, items.reduce(0) { $0 + $1.size })
    }
}
