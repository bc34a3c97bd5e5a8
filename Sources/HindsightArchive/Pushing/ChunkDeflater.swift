#if Archive
    import Foundation
    import HindsightSupport

    /// A chunk on its way to the server.
    struct DeflatedChunk: Sendable {
        /// The size of its text.
        var bytes: Int
        var key: ChunkKey
        /// The deflated text; `nil` if the server has it.
        var body: [UInt8]?
    }

    /// Hashes and deflates chunks on a thread of its own, in their order, while the recording is read.
    final class ChunkDeflater {
        private let known: Set<ChunkKey>
        private let queue = DispatchQueue(label: "hindsight.archive.deflater")
        /// Bounds the memory.
        private let room = DispatchSemaphore(value: 8)
        private let done = Locked<Result<[DeflatedChunk], any Error>>(.success([]))

        /// - Parameter known: The chunks that the server has.
        init(known: Set<ChunkKey>) { self.known = known }

        /// Adds a chunk. Waits if many are pending.
        func add(_ chunk: ArchivedChunk) {
            room.wait()
            queue.async { [known, room, done] in
                defer { room.signal() }
                let result = Result { try Self.deflate(chunk, known) }
                done.withLock { all in
                    all = all.flatMap { chunks in result.map { chunks + [$0] } }
                }
            }
        }

        /// Returns the chunks that are done and were not yet returned.
        func take() throws -> [DeflatedChunk] {
            try done.withLock { all in
                defer { if case .success = all { all = .success([]) } }
                return all
            }.get()
        }

        /// Waits for all chunks, and returns those that were not yet returned.
        func finish() throws -> [DeflatedChunk] {
            queue.sync {}
            return try take()
        }

        private static func deflate(_ chunk: ArchivedChunk, _ known: Set<ChunkKey>) throws -> DeflatedChunk {
            let key = ChunkKey(chunk.actions, hash: SHA256.digest(of: chunk.text))
            let body = known.contains(key) ? nil : try Deflater.deflate(chunk.text)
            return DeflatedChunk(bytes: chunk.text.count, key: key, body: body)
        }
    }
#endif
