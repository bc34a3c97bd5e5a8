import Foundation
import HindsightSupport

/// A file with the recordings that have matched, for `verify --changed-only`.
///
/// It has a line for each: the hash of the tool's executable, of the options that say what is compared, and of the
/// recording with the files beside it. Lines are only appended, each in one write, so that several processes may use
/// one file. A file that grows above 200,000 lines begins again with the newest half.
struct MatchedRecordings {
    private let path: String
    private let known: Set<String>
    private let base: ContentHash

    private static let mostLines = 200_000

    /// - Parameters:
    ///   - path: The file; it need not exist.
    ///   - executable: The tool. Its content stands for the reducers.
    ///   - options: The options that change what is compared.
    init(at path: String, executable: String, options: [String]) throws {
        self.path = path
        var base = ContentHash()
        _ = base.addFile(executable)
        for option in options.sorted() { base.add(option) }
        self.base = base
        guard FileManager.default.fileExists(atPath: path) else {
            known = []
            return
        }
        let text = String(decoding: try Data(contentsOf: URL(filePath: path)), as: UTF8.self)
        var lines = text.split(separator: "\n").map(String.init)
        if lines.count > Self.mostLines {
            lines = Array(lines.suffix(Self.mostLines / 2))
            try Data(lines.map { $0 + "\n" }.joined().utf8).write(to: URL(filePath: path), options: .atomic)
        }
        known = Set(lines)
    }

    /// The line for a recording; `nil` if it cannot be read.
    func key(of file: String) -> String? {
        var hash = base
        guard hash.addFile(file) else { return nil }
        for suffix in ["-wal", "-journal", "-ahead"] {
            hash.add(suffix)
            _ = hash.addFile(file + suffix)
        }
        return hash.text
    }

    func contains(_ key: String) -> Bool { known.contains(key) }

    /// Appends a line.
    func add(_ key: String) throws {
        let url = URL(filePath: path)
        if !FileManager.default.fileExists(atPath: path) {
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(),
                withIntermediateDirectories: true
            )
        }
        let descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        defer { close(descriptor) }
        let line = Array((key + "\n").utf8)
        let count = line.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        guard count == line.count else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    }

    /// The file if none is given: in the user's directory for caches.
    static var usualPath: String {
        let environment = ProcessInfo.processInfo.environment
        if let given = environment["XDG_CACHE_HOME"], given.hasPrefix("/") { return given + "/hindsight/matched" }
        let home = environment["HOME"] ?? "."
        #if canImport(Darwin)
            return home + "/Library/Caches/hindsight/matched"
        #else
            return home + "/.cache/hindsight/matched"
        #endif
    }
}
