import Foundation
import HindsightSupport

/// The file system's facts about a run.
package struct RunFile {
    package var identity: FileFingerprint
    /// The size including the sidecar files.
    package var bytes: Int64
    /// The last modification of the file or its sidecar files, in nanoseconds since 1970.
    package var ended: Int64

    /// Returns `nil` unless `path` is a regular file. Links are not followed, because their targets may belong to
    /// others.
    package init?(_ path: String) {
        guard let file = Self.status(path) else { return nil }
        let all = [file] + SidecarFiles.suffixes.compactMap { Self.status(path + $0) }
        identity = FileFingerprint(file)
        bytes = all.reduce(0) { $0 + Int64($1.st_size) }
        ended = all.reduce(0) { max($0, Self.written($1)) }
    }

    /// The last modification, in nanoseconds since 1970. Clamped: a file may have a time after 2262.
    package static func written(_ file: stat) -> Int64 {
        let time = FileTimes.written(file)
        let (seconds, isTooFar) = Int64(time.tv_sec).multipliedReportingOverflow(by: 1_000_000_000)
        if isTooFar { return time.tv_sec < 0 ? .min : .max }
        return seconds.addingClamped(Int64(time.tv_nsec))
    }

    private static func status(_ path: String) -> stat? {
        var present = stat()
        return lstat(path, &present) == 0 && present.st_mode & S_IFMT == S_IFREG ? present : nil
    }
}

extension RunFile {
    /// The regular files whose names are those of recordings.
    package static func names(in directory: URL, endingIn suffix: String = RunName.suffix) throws(RecordingError)
        -> [String]
    {
        try listing(directory).filter {
            $0.hasSuffix(suffix) && RunFile(directory.appendingPathComponent($0).path) != nil
        }
    }

    /// The names of all files in a directory.
    package static func listing(_ directory: URL) throws(RecordingError) -> [String] {
        do {
            return try FileManager.default.contentsOfDirectory(atPath: directory.path)
        } catch {
            throw RecordingError(.unreadable, file: directory.path, cause: error)
        }
    }
}
