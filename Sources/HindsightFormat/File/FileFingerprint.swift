import Foundation
import HindsightSupport

/// What changes when a file is written or replaced.
package struct FileFingerprint: Equatable, CustomStringConvertible {
    private let device: UInt64
    private let number: UInt64
    private let size: Int64
    private let times: [Int]

    /// - Returns: `nil` if there is no such file.
    package init?(of path: String) {
        var present = stat()
        guard stat(path, &present) == 0 else { return nil }
        self.init(present)
    }

    /// Describes the entry of a directory: a symbolic link itself, and not its target.
    ///
    /// - Returns: `nil` if there is none.
    init?(ofEntry path: String) {
        var present = stat()
        guard lstat(path, &present) == 0 else { return nil }
        self.init(present)
    }

    init(_ present: stat) {
        let (written, changed) = (FileTimes.written(present), FileTimes.changed(present))
        device = UInt64(truncatingIfNeeded: present.st_dev)
        number = UInt64(truncatingIfNeeded: present.st_ino)
        size = Int64(present.st_size)
        times = [written.tv_sec, written.tv_nsec, changed.tv_sec, changed.tv_nsec]
    }

    /// Whether both are of the same file, whatever it had.
    package func isSameFile(as other: FileFingerprint) -> Bool { device == other.device && number == other.number }

    /// Whether nothing was written to the file in between. Its name and its permissions may have changed.
    package func hasSameContents(as other: FileFingerprint) -> Bool {
        isSameFile(as: other) && size == other.size && times[..<2] == other.times[..<2]
    }

    /// The same text for the same file with the same contents.
    package var description: String {
        ([device, number] + times.map { UInt64(truncatingIfNeeded: $0) }).map { String($0, radix: 36) }
            .joined(separator: "-") + "-\(size)"
    }
}
