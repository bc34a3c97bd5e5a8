import Foundation
import HindsightFormat
import Testing

/// A file with a recording, as the argument of a test.
public struct RecordedFixture: Sendable, Hashable, Codable, CustomTestStringConvertible {
    /// The file. If the folder has no recordings, the folder.
    public let url: URL
    /// The path of the file within its folder.
    public let name: String
    /// Why there is no file; `nil` if there is one.
    let problem: String?

    /// The name of the test case.
    public var testDescription: String { name }
}

/// The recordings in a folder, as the arguments of a test, which has one case a recording:
///
/// ```swift
/// @Test(arguments: Recordings()) func replays(_ recording: RecordedFixture) {
///     expectReplay(of: recording, by: myApp)
/// }
/// ```
///
/// The folder is searched with its subfolders for `.hindsight` files, and for `.jsonl` files that are recordings. A
/// `.jsonl` file with a list of actions is none: a recording's first line begins with `{"hindsight":"recording"`. Files whose names
/// begin with a dot are left out. The cases are sorted by name.
///
/// In `Package.swift`, the test target has `exclude: ["Recordings"]`, or `resources: [.copy("Recordings")]` if you use
/// ``init(_:in:)``. Otherwise SwiftPM warns of unhandled files.
///
/// If there is no recording, the only case is one that fails and names the folder. Otherwise a wrong path would pass
/// unnoticed.
public struct Recordings: RandomAccessCollection, Sendable {
    /// The folder.
    package let folder: URL
    private let fixtures: [RecordedFixture]

    /// Finds the recordings in a folder beside the test's source file.
    ///
    /// - Parameters:
    ///   - path: The folder, relative to the folder of the source file; or an absolute path.
    ///   - filePath: The source file; the caller's by default.
    public init(_ path: String = "Recordings", filePath: String = #filePath) {
        self.init(in: FixturePath.url(of: path, besideSource: filePath))
    }

    /// Finds the recordings in a folder of a bundle, such as `Bundle.module`.
    ///
    /// - Parameter path: The folder, relative to the bundle's resources.
    public init(_ path: String = "Recordings", in bundle: Bundle) {
        self.init(in: (bundle.resourceURL ?? bundle.bundleURL).appending(path: path))
    }

    /// Finds the recordings in a folder.
    public init(in folder: URL) {
        let folder = folder.standardizedFileURL
        self.folder = folder
        let names = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
        let found = names.sorted().filter { FixturePath.isRecording($0, in: folder) }.map {
            RecordedFixture(url: folder.appending(path: $0), name: $0, problem: nil)
        }
        if !found.isEmpty {
            fixtures = found
            return
        }
        let isThere = FileManager.default.fileExists(atPath: folder.path)
        let problem = isThere ? "there are no recordings in \(folder.path)" : "there is no folder \(folder.path)"
        fixtures = [
            RecordedFixture(
                url: folder,
                name: "no recordings in \(folder.lastPathComponent)",
                problem: "\(problem). Put a recording there, or name another folder."
            )
        ]
    }

    public var startIndex: Int { fixtures.startIndex }
    public var endIndex: Int { fixtures.endIndex }
    public subscript(position: Int) -> RecordedFixture { fixtures[position] }
}

/// Finding the files that tests name.
enum FixturePath {
    /// The place of a path that is relative to the folder of a source file.
    static func url(of path: String, besideSource filePath: String) -> URL {
        URL(filePath: path, relativeTo: URL(filePath: filePath).deletingLastPathComponent()).standardizedFileURL
    }

    /// Whether a file is a recording by its name, and, if it is text, by the beginning of its first line.
    static func isRecording(_ name: String, in folder: URL) -> Bool {
        guard !name.split(separator: "/").contains(where: { $0.hasPrefix(".") }) else { return false }
        let url = folder.appending(path: name)
        switch url.pathExtension {
        case "hindsight": return true
        case "jsonl": return TextForm.isRecording(at: url.path)
        default: return false
        }
    }
}

/// The recordings in a folder, sorted by name, for a parameterized test.
///
/// ``Recordings`` finds the folder beside the test's source, and gives each case a short name.
///
/// - Returns: The files with the extension `hindsight`, and the `.jsonl` files that are recordings; an empty list if
///   there are none.
/// - Throws: Foundation's error if the folder cannot be read.
public func recordings(in folder: URL) throws -> [URL] {
    try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        .filter { FixturePath.isRecording($0.lastPathComponent, in: folder) }
        .sorted { $0.lastPathComponent < $1.lastPathComponent }
}
