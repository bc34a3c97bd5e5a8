import Foundation
import HindsightSupport
import Testing

/// Attaches files to the running test.
package enum TestAttachment {
    /// Receives each attachment instead of the testing library, for tests of attachments.
    @TaskLocal package static var receiver: (@Sendable (_ name: String, _ bytes: [UInt8]) -> Void)?

    /// Larger files are not attached.
    private static let maxBytes = 256 << 20

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

    /// - Throws: Foundation's error if the file cannot be read.
    static func record(contentsOf file: URL, _ sourceLocation: SourceLocation) throws {
        guard FileSystem.size(of: file.path) <= maxBytes else { return }
        record(Array(try Data(contentsOf: file)), named: file.lastPathComponent, sourceLocation)
    }

    /// Removes a temporary folder.
    static func remove(_ folder: URL) {
        do {
            try FileManager.default.removeItem(at: folder)
        } catch {
            print("could not remove \(folder.path): \(error)")
        }
    }
}
