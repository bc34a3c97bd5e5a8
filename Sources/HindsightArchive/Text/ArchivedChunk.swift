#if Archive
    import HindsightSupport

    /// A part of a recording's text: whole lines of some actions.
    struct ArchivedChunk: Sendable {
        /// The first and the last action.
        var actions: ClosedRange<Int>
        var text: [UInt8]
    }

    /// What identifies a chunk of a recording: its first and its last action, each as eight bytes, the highest first, and
    /// the SHA-256 of its text.
    struct ChunkKey: Hashable, Sendable {
        let bytes: ArraySlice<UInt8>

        static let count = 48

        init(_ actions: ClosedRange<Int>, hash: [UInt8]) {
            bytes = (bigEndian(Int64(actions.lowerBound)) + bigEndian(Int64(actions.upperBound)) + hash)[...]
        }

        /// The keys that stand one after the other.
        static func keys(_ bytes: [UInt8]) -> [ChunkKey] {
            stride(from: 0, to: bytes.count - bytes.count % count, by: count).map { ChunkKey(bytes[$0..<$0 + count]) }
        }

        private init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }

        var first: Int { number(bytes.prefix(8)) }
        var last: Int { number(bytes.dropFirst(8).prefix(8)) }
        var hash: ArraySlice<UInt8> { bytes.suffix(32) }

        private func number(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }
    }

    /// What is stored of a recording besides its chunks: the lines that may change after the actions around them.
    ///
    /// Its text has the first line of the recording's text, and then the lines of notes and of the last dropped action,
    /// each after the number of its action and a space.
    enum ArchivedHead {
        /// The hash of a recording: that of the hash of its head and the keys of its chunks, in order.
        static func hash(ofRecordingWith head: [UInt8], _ chunks: [ChunkKey]) -> [UInt8] {
            SHA256.digest(of: Array("hindsight archive 1\n".utf8) + SHA256.digest(of: head) + chunks.flatMap(\.bytes))
        }

        /// The largest text of a head or a chunk: a few of the longest lines that a text may have.
        static let maxBytes = 1 << 28
    }
#endif
