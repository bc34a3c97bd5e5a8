import Foundation
import HindsightSupport

/// A text file that a command writes beside its answer.
enum OutputFile {
    /// Checks that a file can be written to the folder of a path, before much time is spent.
    static func checkFolder(of path: String) throws(Failure) {
        let folder = URL(filePath: path).deletingLastPathComponent().path
        guard FileManager.default.isWritableFile(atPath: folder) else {
            let problem = FileSystem.isDirectory(folder) ? "its folder is read-only" : "there is no folder to write to"
            throw Failure(.badFile, "\(escape(path)) cannot be written: \(problem).")
        }
    }

    /// Writes a text. If that fails, no part of it stays.
    ///
    /// - Throws: ``Failure`` if the file exists and may not be replaced, or cannot be written.
    static func write(_ text: String, to path: String, overwrite: Bool) throws(Failure) {
        do {
            if overwrite { return try Data(text.utf8).write(to: URL(filePath: path), options: .atomic) }
            let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
            guard descriptor >= 0 else { throw SystemError.last }
            defer { close(descriptor) }
            do {
                try FileSystem.writeAll(Array(text.utf8)[...], to: descriptor)
            } catch {
                unlink(path)
                throw error
            }
        } catch {
            let reason = (error as? SystemError).map { "\($0)." } ?? error.localizedDescription
            throw Failure(.badFile, "\(escape(path)) cannot be written: \(escape(reason))")
        }
    }
}
