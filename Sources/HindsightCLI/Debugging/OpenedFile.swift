import Foundation
import HindsightRecording
import HindsightSupport
import HindsightTree

/// A recording's file as it was when it was opened, to notice that another program has changed it.
struct OpenedFile {
    private let path: String
    /// Whether it was being recorded, so that it may be written to, also after the last action.
    private let grows: Bool
    private var known: Look?

    private struct Look: Equatable {
        let device, file, size, time: Int
    }

    init(of recording: Recording) {
        path = recording.url.path
        grows = recording.ending == .open(live: true)
        known = Self.look(at: path)
    }

    /// What has happened to the file since the last call, as a sentence; `nil` if nothing has.
    mutating func change() -> String? {
        let now = Self.look(at: path)
        defer { known = now }
        guard now != known else { return nil }
        guard let now else { return "\(escape(path)) is gone. This is still the recording that was in it." }
        guard let known, known.device == now.device, known.file == now.file else {
            return "\(escape(path)) is another file now. This is still the one that was opened: open it again."
        }
        return grows ? nil : "\(escape(path)) was written to by another program. Open it again."
    }

    private static func look(at path: String) -> Look? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        let time = FileTimes.written(status)
        return Look(
            device: Int(truncatingIfNeeded: status.st_dev),
            file: Int(truncatingIfNeeded: status.st_ino),
            size: Int(status.st_size),
            time: Int(time.tv_sec) &* 1_000_000_000 &+ Int(time.tv_nsec)
        )
    }
}
