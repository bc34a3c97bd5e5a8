#if Archive
    import HindsightRecording
    import HindsightSupport

    /// The whole text of a small recording, cut, deflated and examined before the archive is asked what it has of it.
    ///
    /// Another thread may make it while an earlier recording is sent; one thread at a time uses it.
    package final class ReadText: @unchecked Sendable {
        package let recording: Recording
        let cutter: TextCutter
        let chunks: [DeflatedChunk]
        /// The time that it took.
        let duration: Duration

        /// The size of a file that is small, in bytes: what is read ahead stays in memory.
        package static let maxBytes = 16 << 20

        /// Costs reading the recording twice.
        ///
        /// - Throws: `RecordingError` if it cannot be read; ``DamagedRecording``.
        package init(_ recording: Recording) throws {
            let begun = ContinuousClock.now
            let examination = try Recording.examine(at: recording.url)
            if examination.isDamaged { throw DamagedRecording(examination: examination) }
            var cutter = TextCutter(start: recording.start.seq)
            let deflater = ChunkDeflater(known: [])
            try recording.writeText { try cutter.add($0, deflater.add) }
            cutter.end(deflater.add)
            (self.recording, self.cutter, chunks) = (recording, cutter, try deflater.finish())
            duration = ContinuousClock.now - begun
        }
    }
#endif
