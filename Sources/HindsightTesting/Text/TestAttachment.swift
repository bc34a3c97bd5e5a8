import Foundation
import HindsightSupport
import Testing

/// Attaches files to the running test.
package enum TestAttachment {
    /// Receives each attachment instead of the testing library, for tests of attachments.
    @TaskLocal package static var receiver: (@Sendable (_ name: String, _ bytes: [UInt8]) -> Void)?

    /// Larger files are not attached. Tests set another limit.
    @TaskLocal package static var maxBytes = 256 << 20

    /// Serializes changes of the process's mask of permissions, each of which must undo its own.
    private static let mask = Locked(())

    /// Attaches a file that only its owner may read, as a recording is. The testing library writes it before it
    /// returns, and takes no permissions. Files that other threads create meanwhile get no more permissions than usual.
    static func record(_ bytes: [UInt8], named name: String, _ sourceLocation: SourceLocation) {
        mask.withLock { _ in
            let usual = umask(0o077)
            defer { umask(usual) }
            if let receiver { return receiver(name, bytes) }
            Attachment.record(bytes, named: name, sourceLocation: sourceLocation)
        }
    }

    /// Attaches a file, unless it is too large.
    ///
    /// - Returns: Why it is not attached; `nil` if it is.
    /// - Throws: Foundation's error if the file cannot be read.
    static func record(contentsOf file: URL, _ sourceLocation: SourceLocation) throws -> String? {
        let (name, bytes) = (file.lastPathComponent, FileSystem.size(of: file.path))
        guard bytes <= maxBytes else {
            return "\(name) is not attached: it has \(bytes) bytes, and an attachment has at most \(maxBytes)."
        }
        record(Array(try Data(contentsOf: file)), named: name, sourceLocation)
        return nil
    }

    /// Removes a temporary file or folder.
    static func remove(_ place: URL) {
        do {
            try FileManager.default.removeItem(at: place)
        } catch {
            print("could not remove \(place.path): \(error)")
        }
    }
}
