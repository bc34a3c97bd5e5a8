#if Archive
    import HindsightSupport

    /// A part of a recording's text: whole lines of some actions.
    struct ArchivedChunk: Sendable {
        /// The first and the last action.
        var actions: ClosedRange<Int>
        var text: [UInt8]
    }

    /// What is stored of a recording besides its chunks: the lines that may change after the actions around them.
    ///
    /// Its text has the first line of the recording's text, and then the lines of notes and of the last dropped action,
    /// each after the number of its action and a space.
    enum ArchivedHead {
        /// The hash of a recording: that of the hashes of its head and its chunks, in order.
        static func hash(ofRecordingWith head: [UInt8], _ chunks: [[UInt8]]) -> [UInt8] {
            SHA256.digest(of: Array("hindsight archive 1\n".utf8) + SHA256.digest(of: head) + chunks.flatMap { $0 })
        }

        /// The hashes of chunks that stand one after the other.
        static func hashes(_ bytes: [UInt8]) -> [[UInt8]] {
            stride(from: 0, to: bytes.count - bytes.count % 32, by: 32).map { Array(bytes[$0..<$0 + 32]) }
        }

        /// The largest text of a head or a chunk: a few of the longest lines that a text may have.
        static let mostBytes = 1 << 28
    }
#endif
