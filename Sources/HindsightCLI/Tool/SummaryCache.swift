import Foundation
import HindsightFormat
import HindsightRecording
import HindsightSupport

/// Keeps the summaries of recordings while their files stay as they are, for a process that answers many questions: a
/// summary costs a pass over the whole file.
final class SummaryCache: @unchecked Sendable {
    // Sound: the lock guards all access, and is held while a summary is made.
    private let lock = NSLock()
    private var known: [String: (stamp: [FileFingerprint?], summary: Recording.Summary)] = [:]

    /// The largest file that is read before anybody asks.
    private static let mostBytes: Int64 = 1 << 30

    /// The summary of a recording.
    ///
    /// - Throws: A `RecordingError`, as `Recording.summary()` does.
    func summary(of recording: Recording) throws -> Recording.Summary {
        let path = recording.url.path
        return try lock.withLock {
            let stamp = Self.stamp(of: path)
            if let entry = known[path], entry.stamp == stamp { return entry.summary }
            let summary = try recording.summary()
            // A recorder may have written more meanwhile.
            if stamp == Self.stamp(of: path) { known[path] = (stamp, summary) }
            return summary
        }
    }

    /// Makes the summary of a recording on a thread of its own, so that it is there when it is asked for.
    func prepare(_ path: String) {
        guard FileSystem.size(of: path) <= Self.mostBytes else { return }
        Thread.detachNewThread {
            // Who asks gets the error.
            guard let recording = try? Recording(at: URL(filePath: path)) else { return }
            _ = try? self.summary(of: recording)
        }
    }

    private static func stamp(of path: String) -> [FileFingerprint?] {
        ([""] + SidecarFiles.suffixes).map { FileFingerprint(of: path + $0) }
    }
}
