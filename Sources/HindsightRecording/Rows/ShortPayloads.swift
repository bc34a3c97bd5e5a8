import HindsightTree

/// The short payloads of a recording, each parsed once. In most logs, few actions make up most of the entries.
final class ShortPayloads {
    /// A payload, and its number if it is kept.
    typealias Payload = (node: Node, number: Int?)

    /// The numbers of those that are kept.
    static let numbers = 0..<256
    /// The most bytes of a text that is kept.
    private static let longest = 64
    /// The number of places in a row that a text may have.
    private static let neighbors = 4
    /// Those that came first, each at one of the places that follow from its text.
    @exclusivity(unchecked) private var kept: [(text: [UInt8], node: Node)?] = Array(
        repeating: nil,
        count: numbers.count
    )

    /// Parses a payload, or finds the one with the same text.
    func payload(_ bytes: UnsafeBufferPointer<UInt8>) throws(TreeError) -> Payload {
        guard bytes.count <= Self.longest else { return (try Node(jsonBytes: bytes), nil) }
        var hasher = Hasher()
        hasher.combine(bytes: UnsafeRawBufferPointer(bytes))
        var place = Int(UInt(bitPattern: hasher.finalize()) % UInt(kept.count))
        for _ in 0..<Self.neighbors {
            guard let known = kept[place] else {
                let node = try Node(jsonBytes: bytes)
                kept[place] = (Array(bytes), node)
                return (node, place)
            }
            if known.text.withUnsafeBufferPointer({ $0.hasSameBytes(as: bytes) }) { return (known.node, place) }
            place = (place + 1) % kept.count
        }
        return (try Node(jsonBytes: bytes), nil)
    }
}
