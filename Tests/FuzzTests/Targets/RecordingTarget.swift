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
            if let text = try unless(RecordingError.self, { try recording.text() }), recording.isText {
                try requireStable(text)
            }
        }
    }

    /// A text that was read and written is read, and gives the same text.
    private static func requireStable(_ text: String) throws {
        try Data(text.utf8).write(to: file)
        do {
            try require(try Recording(at: file).text() == text, "another text after reading it")
        } catch let error as RecordingError {
            throw Finding(description: "a text that was written cannot be read: \(error)")
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
