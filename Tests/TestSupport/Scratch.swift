import Foundation

/// A temporary directory that is removed with the object.
public final class Scratch: Sendable {
    public let directory = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
        .appending(path: "hindsight-\(UUID().uuidString)")

    public init() {
        do {
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        } catch {
            fatalError("no directory for a test: \(error)")
        }
    }

    deinit {
        do {
            try FileManager.default.removeItem(at: directory)
        } catch {
            print("left behind: \(directory.path): \(error)")
        }
    }

    /// The URL of a file, by default of a recording.
    public func file(_ name: String = "session.hindsight") -> URL { directory.appending(path: name) }

    /// The names and contents of all files.
    public func contents() throws -> [String: Data] {
        let names = try FileManager.default.contentsOfDirectory(atPath: directory.path)
        return try Dictionary(uniqueKeysWithValues: names.map { ($0, try Data(contentsOf: file($0))) })
    }

    public var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted() }
    }
}

/// The package's recordings.
public enum Fixtures {
    public static let directory = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Fixtures")

    /// A recording.
    public static func recording(_ name: String) -> URL { directory.appending(path: "\(name).hindsight") }
}
