import Foundation
import HindsightRecording
import HindsightTree

extension FuzzTarget {
    /// A recording's whole file: everything in it can be read, or reading throws.
    static let recording = FuzzTarget(name: "recording") { bytes in
        try Data(bytes).write(to: file)
        defer { unlink(file.path) }
        _ = try unless(RecordingError.self) {
            let recording = try Recording(at: file)
            _ = try unless(RecordingError.self) { try recording.summary() }
            _ = try unless(RecordingError.self) { try walk(recording) }
            for text in ["start", "50%", "end", "crash"] {
                _ = try unless(RecordingError.self) { try recording.state(at: recording.position(text)) }
            }
        }
    }

    /// Walks through all actions, and through all states by the patches.
    private static func walk(_ recording: Recording) throws {
        guard recording.start.seq < recording.actionCount else { return }
        var state = try recording.state(at: recording.start)
        var last = recording.start.seq
        var entries = try recording.entries(in: (last + 1)...recording.actionCount)
        while let (action, steps) = try entries.next() {
            try require(action.seq > last, "action \(action.seq) comes after \(last)")
            last = action.seq
            _ = try unless(TreeError.self) {
                for step in steps { try step.patch?.apply(to: &state) }
            }
        }
    }

    /// This process's file, in memory if possible.
    private static let file: URL = {
        let memory = URL(filePath: "/dev/shm")
        let parent =
            FileManager.default.isWritableFile(atPath: memory.path) ? memory : FileManager.default.temporaryDirectory
        return parent.appending(path: "fuzzed-\(ProcessInfo.processInfo.processIdentifier).hindsight")
    }()
}
