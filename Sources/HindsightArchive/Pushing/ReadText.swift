#if Archive
    import Foundation
    import HindsightRecording
    import HindsightSupport

    /// An examination of a recording on a thread of its own.
    final class Soundness: Sendable {
        private let result = Locked<Result<Examination, any Error>?>(nil)
        private let isDone = DispatchSemaphore(value: 0)

        init(of recording: Recording) throws(SystemError) {
            let url = recording.url
            try BackgroundThread.start { [self] in
                let examined = Result { try Recording.examine(at: url) }
                result.withLock { $0 = examined }
                isDone.signal()
            }
        }

        /// Waits for the examination.
        ///
        /// - Throws: `RecordingError` if the recording cannot be read; ``DamagedRecording``.
        func wait() throws {
            isDone.wait()
            isDone.signal()
            let examination = try result.withLock(\.self)?.get()
            if let examination, examination.isDamaged { throw DamagedRecording(examination: examination) }
        }
    }

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
            let soundness = try Soundness(of: recording)
            var cutter = TextCutter(start: recording.start.seq)
            let deflater = ChunkDeflater(known: [])
            try recording.writeText { try cutter.add($0, deflater.add) }
            cutter.end(deflater.add)
            try soundness.wait()
            (self.recording, self.cutter, chunks) = (recording, cutter, try deflater.finish())
            duration = ContinuousClock.now - begun
        }
    }
#endif
