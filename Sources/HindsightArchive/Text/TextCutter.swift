#if Archive
    import HindsightSupport
    import HindsightTree

    /// Cuts the text of a recording into a head and chunks of whole actions, line by line.
    ///
    /// Where a chunk ends depends only on the lines before, and mostly on the last one, so a recording that grows keeps
    /// its chunks, and one whose limit dropped actions soon has the same chunks again.
    struct TextCutter {
        private(set) var head: [UInt8] = []
        private(set) var statistics = TextStatistics()
        /// The number of the last action, or of the last one that a limit dropped.
        private(set) var last: Int
        /// The size of the text so far, in bytes.
        private(set) var bytes = 0
        /// The key of the chunk that would have ended with the action ``mark``.
        private(set) var keyAtMark: ChunkKey?
        private let mark: Int?
        private var chunk: [UInt8] = []
        private var first: Int
        private var mayBeDropped: Bool
        private var endsHere = false

        private static let least = 192 << 10
        private static let most = 384 << 10
        /// One action in 64 ends a chunk that has the least size.
        private static let mask: UInt32 = 63 << 8

        /// - Parameters:
        ///   - start: The number of actions that a limit dropped.
        ///   - mark: An action, to compare with a text that ends with it.
        init(start: Int, mark: Int? = nil) {
            (last, first, mayBeDropped, self.mark) = (start, start + 1, start > 0, mark)
            chunk.reserveCapacity(Self.most + Self.most / 4)
        }

        /// Adds a line, which ends with a line feed.
        ///
        /// - Parameter finish: Takes a chunk that is complete.
        mutating func add(_ line: String, _ finish: (ArchivedChunk) throws -> Void) throws {
            var line = line
            bytes += line.utf8.count
            try line.withUTF8 { try add($0, finish) }
        }

        private mutating func add(_ line: UnsafeBufferPointer<UInt8>, _ finish: (ArchivedChunk) throws -> Void) throws {
            if head.isEmpty {
                head += line
            } else if line.starts(with: Self.note) {
                addToHead(line)
                statistics.addNote(line, at: last)
            } else if line.starts(with: Self.action) {
                if mayBeDropped {
                    mayBeDropped = false
                    if try Node(json: String(decoding: line.dropLast(), as: UTF8.self))["dropped"] != nil {
                        return addToHead(line)
                    }
                }
                if endsHere || chunk.count >= Self.most { try end(finish) }
                if last == mark, first <= last {
                    keyAtMark = ChunkKey(first...last, hash: SHA256.digest(of: chunk))
                }
                last += 1
                chunk += line
                statistics.addAction(line)
                endsHere = chunk.count >= Self.least && Self.hash(line.suffix(64)) & Self.mask == 0
            } else if line.starts(with: Self.state) {
                chunk += line
            }
            // The last line has nothing of the recording.
        }

        /// Ends the last chunk.
        mutating func end(_ finish: (ArchivedChunk) throws -> Void) rethrows {
            endsHere = false
            guard !chunk.isEmpty else { return }
            try finish(ArchivedChunk(actions: first...last, text: chunk))
            first = last + 1
            chunk.removeAll(keepingCapacity: true)
        }

        private mutating func addToHead(_ line: UnsafeBufferPointer<UInt8>) {
            head += "\(last) ".utf8
            head += line
        }

        private static let note = Array(#"{"note":"#.utf8)
        static let action = Array(#"{"action":"#.utf8)
        private static let state = Array(#"{"state":"#.utf8)

        /// FNV-1a.
        private static func hash(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> UInt32 {
            bytes.reduce(2_166_136_261) { ($0 ^ UInt32($1)) &* 16_777_619 }
        }
    }
#endif
