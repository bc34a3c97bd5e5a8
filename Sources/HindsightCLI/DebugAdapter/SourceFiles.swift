import Foundation
import HindsightTree

/// Finds the source files that a recording names, such as `Module/File.swift`, below some folders.
///
/// It never leaves the folders, whatever a recording names.
final class SourceFiles {
    private let roots: [URL]
    private var known: [String: String] = [:]
    private var unknown: Set<String> = []
    /// The paths of all files below the folders, by their names.
    private lazy var byName = listing()

    /// Larger trees are not searched further.
    private static let mostFiles = 100_000

    init(roots: [String]) { self.roots = roots.map { URL(filePath: $0).standardizedFileURL } }

    /// The path of a file; `nil` if there is none.
    func path(of file: String) -> String? {
        if let path = known[file] { return path }
        if unknown.contains(file) { return nil }
        guard let path = find(file) else {
            unknown.insert(file)
            return nil
        }
        known[file] = path
        return path
    }

    /// The file as a `Source` of the protocol.
    func source(of file: String) -> Node {
        let name = brief(file.split(separator: "/").last.map(String.init) ?? file)
        guard let path = path(of: file) else {
            return [
                "name": .string(name), "origin": "not found below --source-root", "presentationHint": "deemphasize",
            ]
        }
        return ["name": .string(name), "path": .string(path)]
    }

    /// Whether a recorded file is the one at a client's path.
    func isFile(_ file: String, at path: String) -> Bool {
        if let found = self.path(of: file) { return found == URL(filePath: path).standardizedFileURL.path }
        return file.split(separator: "/").last == path.split(separator: "/").last
    }

    private func find(_ file: String) -> String? {
        let parts = file.split(separator: "/").map(String.init)
        guard let name = parts.last, !parts.contains(".."), !parts.contains(".") else { return nil }
        for root in roots {
            // A file ID is Module/File.swift; an absolute path may have been recorded on another machine.
            for first in parts.indices {
                let rest = parts[first...].joined(separator: "/")
                for candidate in [rest, "Sources/" + rest] {
                    let url = root.appending(path: candidate)
                    if isRegularFile(url) { return url.path }
                }
            }
        }
        let found = byName[name] ?? []
        return found.first { path in
            parts.dropLast().last.map { path.split(separator: "/").contains(Substring($0)) } ?? true
        }
            ?? (found.count == 1 ? found.first : nil)
    }

    private func isRegularFile(_ url: URL) -> Bool {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder) && !isFolder.boolValue
    }

    private func listing() -> [String: [String]] {
        var paths: [String: [String]] = [:]
        var count = 0
        for root in roots {
            guard
                let files = FileManager.default.enumerator(
                    at: root,
                    includingPropertiesForKeys: nil,
                    options: [.skipsHiddenFiles, .skipsPackageDescendants]
                )
            else { continue }
            for case let url as URL in files {
                count += 1
                if count > Self.mostFiles { return paths.mapValues { $0.sorted() } }
                if url.pathExtension == "swift" { paths[url.lastPathComponent, default: []].append(url.path) }
            }
        }
        return paths.mapValues { $0.sorted() }
    }
}
