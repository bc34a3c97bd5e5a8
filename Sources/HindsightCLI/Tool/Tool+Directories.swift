import Foundation
import HindsightFormat
import HindsightRecording
import HindsightSupport

/// Paths of directories, given in place of a recording's path.
extension Tool {
    /// The path itself; for a directory, the path of its newest recording, after a note about it.
    func newest(in path: String) throws -> String {
        guard RunDirectory.exists(at: path) else { return path }
        guard let url = try RunDirectory(at: URL(filePath: path)).newest() else {
            throw Self.empty(path)
        }
        let newest = Self.path(of: url.lastPathComponent, in: path)
        console.note("\(escape(path)) is a directory; its newest recording is \(escape(newest)).")
        return newest
    }

    /// Waits for a recording at a path, or in a directory, and returns its path.
    ///
    /// - Returns: `nil` if a signal interrupted the wait, or the output has lost its reader.
    func waitForRecording(at path: String) throws -> String? {
        var isNoted = false
        while try !hasBegun(path) {
            if !isNoted { console.note("There is no recording at \(escape(path)) yet. Waiting for one.") }
            isNoted = true
            guard TerminationSignal.wait(milliseconds: 100, output: outputDescriptor) else { return nil }
        }
        return try newest(in: path)
    }

    private func hasBegun(_ path: String) throws -> Bool {
        if RunDirectory.exists(at: path) { return try RunDirectory(at: URL(filePath: path)).newest() != nil }
        do {
            _ = try open(path)
            return true
        } catch let error as RecordingError where [.notFound, .empty].contains(error.code) {
            return false
        }
    }

    /// The path itself; for a directory, the paths of its recordings, the oldest first.
    static func recordings(at path: String) throws -> [String] {
        guard RunDirectory.exists(at: path) else { return [path] }
        let entries = try RunDirectory(at: URL(filePath: path)).entries()
        if entries.isEmpty { throw empty(path) }
        return entries.reversed().map { Self.path(of: $0.url.lastPathComponent, in: path) }
    }

    /// The path itself; for a directory, the paths of the recordings in it and below it, sorted.
    ///
    /// Files and directories whose names begin with a dot are left out, and texts that are no recordings.
    ///
    /// - Throws: ``Failure`` if a directory has none.
    private static func recordings(below path: String) throws -> [String] {
        guard RunDirectory.exists(at: path) else { return [path] }
        guard let names = FileManager.default.enumerator(atPath: path) else { throw empty(path) }
        var found: [String] = []
        while let name = names.nextObject() as? String {
            if name.split(separator: "/").contains(where: { $0.hasPrefix(".") }) {
                names.skipDescendants()
                continue
            }
            let file = path == "." ? name : Self.path(of: name, in: path)
            let isText = name.hasSuffix(TextForm.suffix)
            guard isText || name.hasSuffix(RunName.suffix), !RunDirectory.exists(at: file) else { continue }
            if !isText || TextForm.mayBeRecording(at: file) { found.append(file) }
        }
        if found.isEmpty { throw empty(path) }
        return found.sorted()
    }

    /// The recordings at and below some paths, each file once, even if it has several paths.
    static func recordings(below paths: [String]) throws -> [String] {
        var seen: Set<String> = []
        return try paths.flatMap { try recordings(below: $0) }.filter {
            seen.insert(URL(filePath: $0).resolvingSymlinksInPath().path).inserted
        }
    }

    static func empty(_ path: String) -> Failure {
        Failure(
            .badFile,
            "\(escape(path)) is a directory without recordings.",
            "Give a file that Hindsight recorded, or a directory with some."
        )
    }

    static func path(of name: String, in directory: String) -> String {
        directory.hasSuffix("/") ? directory + name : directory + "/" + name
    }
}
