import Foundation

/// The `sqlite3` shell: an independent reader of recordings.
enum Shell {
    static let path: String? = ["/usr/bin/sqlite3", "/opt/homebrew/bin/sqlite3", "/usr/local/bin/sqlite3"]
        .first { FileManager.default.isExecutableFile(atPath: $0) }

    static var isAvailable: Bool { path != nil }

    /// The output of a query, without the last line feed.
    static func query(_ file: URL, _ sql: String, writing: Bool = false) throws -> String {
        let arguments = (writing ? [] : ["-readonly"]) + ["-bail", file.path, sql]
        let process = try Spawned(path ?? "", arguments, keepsErrors: true)
        let data = try process.output.readToEnd() ?? Data()
        return String(decoding: data, as: UTF8.self).trimmingCharacters(in: .newlines)
    }
}
