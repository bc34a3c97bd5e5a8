import HindsightTree

/// Says which of many paths an operation of a recording may change, from the bytes of its path alone.
///
/// It knows paths by hashes. Two paths with the same hash make it name one path too many, and never one too few.
struct TouchFilter {
    /// The paths with a hash, by their indices.
    private var exact: [UInt64: [Int]] = [:]
    /// The paths that are inside the path with a hash.
    private var inside: [UInt64: [Int]] = [:]
    private let all: [Int]

    init(_ paths: [NodePath]) {
        all = Array(paths.indices)
        for (index, path) in paths.enumerated() {
            var hash = Self.basis
            for component in path.components {
                inside[hash, default: []].append(index)
                Self.add(UInt8(ascii: "/"), to: &hash)
                for byte in NodePath([component]).description.utf8.dropFirst() { Self.add(byte, to: &hash) }
            }
            exact[hash, default: []].append(index)
        }
    }

    /// Calls `body` with the index of each path that an operation may change, maybe more than once.
    func forEachTouched(by operation: TimedPatches.ScannedOperation, _ body: (Int) -> Void) {
        if operation.isEscaped { return all.forEach(body) }
        var hash = Self.basis
        for byte in operation.place(at: operation.path) {
            // A path around the operation ends before each slash.
            if byte == UInt8(ascii: "/") { exact[hash]?.forEach(body) }
            Self.add(byte, to: &hash)
        }
        exact[hash]?.forEach(body)
        inside[hash]?.forEach(body)
    }

    // FNV-1a.
    private static let basis: UInt64 = 0xCBF2_9CE4_8422_2325

    private static func add(_ byte: UInt8, to hash: inout UInt64) {
        hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3
    }
}
