import Foundation
import HindsightSupport

/// A file without a name that a child process writes to, instead of a pipe: writing never waits for a reader, and the
/// parent never waits for the end of processes that the child has started.
final class CapturedFile {
    let descriptor: Int32
    private var offset = 0

    /// - Throws: ``Failure`` if the system makes no file.
    init() throws {
        var template: [CChar] = []
        var (opened, code): (Int32, Int32) = (-1, 0)
        // The second one is memory on Linux. It remains if all others are read-only.
        for directory in [NSTemporaryDirectory(), "/dev/shm"] where opened < 0 {
            template = Array((directory + "/hindsight-XXXXXX").utf8CString)
            opened = mkstemp(&template)
            if opened < 0, code == 0 { code = errno }
        }
        guard opened >= 0 else {
            throw Failure(
                .badFile,
                "Could not make a file for the results of a process in \(escape(NSTemporaryDirectory())): "
                    + "\(String(cString: strerror(code))).",
                "Set TMPDIR to a directory that you can write to."
            )
        }
        unlink(template)
        _ = fcntl(opened, F_SETFD, FD_CLOEXEC)
        descriptor = opened
    }

    deinit { close(descriptor) }

    /// Returns what was written since the last read.
    ///
    /// - Parameter end: The offset to read up to; `nil` for the end of the file.
    func read(upTo end: Int? = nil) -> [UInt8] {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return [] }
        let end = min(end ?? .max, Int(status.st_size))
        guard offset < end else { return [] }
        let bytes = (try? FileSystem.bytes(of: descriptor, at: offset, count: end - offset)) ?? []
        offset += bytes.count
        return bytes
    }
}
