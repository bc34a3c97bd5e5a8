import Foundation

/// A temporary directory that is removed with the object.
final class Scratch {
    let directory: URL

    init() throws {
        directory = FileManager.default.temporaryDirectory.appendingPathComponent("hindsight-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    }

    deinit {
        do {
            try FileManager.default.removeItem(at: directory)
        } catch {
            print("left behind: \(directory.path): \(error)")
        }
    }

    /// The URL of a recording.
    func file(_ name: String = "session.hindsight") -> URL { directory.appendingPathComponent(name) }

    /// The names and contents of all files.
    func contents() throws -> [String: Data] {
        let names = try FileManager.default.contentsOfDirectory(atPath: directory.path)
        return try Dictionary(uniqueKeysWithValues: names.map { ($0, try Data(contentsOf: file($0))) })
    }

    var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted() }
    }
}
