import Foundation
import HindsightSupport

/// A file without a name that a child process writes to, instead of a pipe: writing never waits for a reader, and the
/// parent never waits for the end of processes that the child has started.
final class CapturedFile {
    let descriptor: Int32
    private var offset = 0

    /// - Parameter count: The bytes that the disk must have room for. On a full one, a process that writes to its mapping of
    ///   the file ends by a signal.
    /// - Throws: ``Failure`` if the system makes no file.
    init(allocating count: Int = 0) throws {
        var (opened, code): (Int32, Int32) = (-1, 0)
        // The second one is memory on Linux. It remains if all others are read-only or full.
        for directory in [NSTemporaryDirectory(), "/dev/shm"] where opened < 0 {
            var template = Array((directory + "/hindsight-XXXXXX").utf8CString)
            opened = mkstemp(&template)
            guard opened >= 0 else {
                if code == 0 { code = errno }
                continue
            }
            unlink(template)
            let result = count > 0 ? FileAllocation.allocate(opened, count) : 0
            if [ENOSPC, EDQUOT, EFBIG].contains(result) {
                if code == 0 { code = result }
                close(opened)
                opened = -1
            }
        }
        guard opened >= 0 else {
            throw Failure(
                .badFile,
                "Could not make a file for the results of a process in \(escape(NSTemporaryDirectory())): "
                    + "\(String(cString: strerror(code))).",
                "Set TMPDIR to a directory that you can write to, and that has space left."
            )
        }
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
