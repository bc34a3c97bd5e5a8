import Foundation
import HindsightFormat
import HindsightSupport

extension Recording {
    /// Writes the recording as text into a file that only its owner can read: see ``writeText(of:_:)``.
    ///
    /// The file has its name once it is complete. A killed export leaves a file `.NAME.XXXXXXXX.part`, which the next
    /// export to that place removes. If another process creates or changes the file meanwhile, this is an error, and that file stays.
    ///
    /// ```swift
    /// try Recording(at: session).writeText(to: fixtures.appendingPathComponent("checkout.jsonl"))
    /// ```
    ///
    /// - Parameters:
    ///   - url: The file to create. Its name should end in `.jsonl`.
    ///   - overwrite: Whether to replace an existing file. Otherwise an existing file is an error.
    /// - Throws: A `RecordingError` with the code `exists`, `inUse`, `unwritable`, `damaged` or `unreadable`.
    package func writeText(to url: URL, overwrite: Bool = false) throws(RecordingError) {
        try writeFile(to: url, overwrite: overwrite) { try writeText($0) }
    }

    /// Writes a text about the recording into a file, as ``writeText(to:overwrite:)`` writes the recording itself.
    ///
    /// - Parameter body: Passes the text to `write`, part by part.
    package func writeFile(
        to url: URL,
        overwrite: Bool,
        _ body: (_ write: (String) throws -> Void) throws -> Void
    ) throws(RecordingError) {
        let path = url.path
        try NewFile.check(path, overwrite: overwrite, from: isText ? nil : file.place)
        let draft = try DraftFile(for: path, overwrite: overwrite)
        defer { draft.discard() }
        do {
            let output = try TextFile(draft.path)
            try body { try output.write($0) }
            try output.finish()
            try draft.commit()
        } catch {
            throw error as? RecordingError ?? RecordingError(.unwritable, file: path, cause: error)
        }
    }

    /// Writes the recording as text into a file, and waits until the disk has it. Replaces what the file has.
    func writeText(into path: String) throws {
        let output = try TextFile(path)
        try writeText { try output.write($0) }
        try output.finish()
    }
}

/// A file that is being written.
private final class TextFile {
    private let descriptor: Int32
    private var buffer: [UInt8] = []

    private static let most = 1 << 16

    init(_ path: String) throws {
        descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw SystemError.last }
    }

    deinit { if descriptor >= 0 { _ = close(descriptor) } }

    func write(_ text: String) throws {
        buffer += text.utf8
        if buffer.count >= Self.most { try flush() }
    }

    /// Writes the rest, and waits until the disk has it.
    func finish() throws {
        try flush()
        guard fsync(descriptor) == 0 else { throw SystemError.last }
    }

    private func flush() throws {
        try FileSystem.writeAll(buffer[...], to: descriptor)
        buffer.removeAll(keepingCapacity: true)
    }
}
