import Foundation
import HindsightSupport
import HindsightTree

/// Finds the source files that a recording names, such as `Module/File.swift`, below some folders.
///
/// It never leaves the folders, whatever a recording names.
final class SourceFiles {
    private let roots: [URL]
    /// The paths that were looked for; `nil` for a file that was not found.
    private var known: [String: String?] = [:]
    /// The paths of all files below the folders, by their names.
    private lazy var byName = listing()

    /// Larger trees are not searched further.
    private static let maxFiles = 100_000

    init(roots: [String]) { self.roots = roots.map { URL(filePath: $0).standardizedFileURL } }

    /// The path of a file; `nil` if there is none.
    func path(of file: String) -> String? {
        if let path = known[file] { return path }
        let path = find(file)
        known.updateValue(path, forKey: file)
        return path
    }

    /// The file as a `Source` of the protocol.
    func source(of file: String) -> Node {
        let name = brief(FileSystem.name(of: file))
        guard let path = path(of: file) else {
            return [
                "name": .string(name), "origin": "not found below --source-root", "presentationHint": "deemphasize",
            ]
        }
        return ["name": .string(name), "path": .string(path)]
    }

    /// Those of some recorded files that are the one at a client's path: those with the longest match.
    func files(_ recorded: [String], at path: String) -> [String] {
        let matches = recorded.compactMap { file in match(of: file, at: path).map { (file: file, match: $0) } }
        guard let best = matches.map(\.match).max() else { return [] }
        return matches.filter { $0.match == best }.map(\.file)
    }

    /// How well a recorded file matches a client's path; `nil` if it is another file.
    private func match(of file: String, at path: String) -> Match? {
        let match = Match(of: file, at: path)
        guard match.common > 0 else { return nil }
        guard let found = self.path(of: file) else { return match.isSure ? match : nil }
        if Self.resolved(found) == Self.resolved(path) { return match }
        // A file that was found by its name alone may be another one.
        return match.isSure && Match(of: file, at: found) < match ? match : nil
    }

    private static func resolved(_ path: String) -> String { URL(filePath: path).resolvingSymlinksInPath().path }

    /// The names that a recording may have for the file at a client's path: `View.swift`, and with each folder around
    /// it as the module, because the file may be in a folder of the module.
    func possibleFiles(at path: String) -> [String] {
        let parts = path.split(separator: "/").map(String.init)
        guard let name = parts.last else { return [] }
        let folders = parts.dropLast().suffix(Self.maxFolders)
        let ends = (2...max(2, folders.count + 1)).map { parts.suffix($0).joined(separator: "/") }
        var seen: Set<String> = []
        return ([name, path] + folders.map { "\($0)/\(name)" } + ends).filter { seen.insert($0).inserted }
    }

    private static let maxFolders = 10

    /// What a recorded file and a path have in common.
    private struct Match: Comparable {
        /// The components of the recorded file that the path has, too, in their order, from the end.
        private(set) var common = 0
        /// How many of them are at the end of the path.
        private(set) var tail = 0
        /// Whether the name and, if there is one, a folder are the same. A file ID is Module/File.swift, with the
        /// folders between the two left out.
        let isSure: Bool

        init(of file: String, at path: String) {
            let parts = file.split(separator: "/")
            var rest = path.split(separator: "/")
            for part in parts.reversed() {
                // Nothing may be after the name.
                guard let place = rest.lastIndex(of: part), common > 0 || place == rest.count - 1 else { break }
                if tail == common, place == rest.count - 1 { tail += 1 }
                common += 1
                rest = Array(rest[..<place])
            }
            isSure = common >= min(2, parts.count) && common > 0
        }

        static func < (one: Match, other: Match) -> Bool { (one.common, one.tail) < (other.common, other.tail) }
    }

    private func find(_ file: String) -> String? {
        let parts = file.split(separator: "/").map(String.init)
        guard let name = parts.last, !parts.contains(".."), !parts.contains(".") else { return nil }
        // A file ID is Module/File.swift; an absolute path may have been recorded on another machine. The name alone is
        // looked for last, because files of other modules may have it.
        let ends = parts.indices.map { parts[$0...].joined(separator: "/") }
        if let path = path(of: parts.count > 1 ? ends.dropLast() : ends[...]) { return path }
        let found = byName[name] ?? []
        let sure = found.filter { Match(of: file, at: $0).isSure }
        return sure.max { Match(of: file, at: $0) < Match(of: file, at: $1) }
            ?? path(of: [name]) ?? (found.count == 1 ? found.first : nil)
    }

    /// The first file that is at one of some paths below a folder, or below its folder Sources.
    private func path(of ends: ArraySlice<String>) -> String? {
        for root in roots {
            for end in ends {
                for candidate in [end, "Sources/" + end] {
                    let path = root.appending(path: candidate).path
                    if FileManager.default.fileExists(atPath: path), !FileSystem.isDirectory(path) { return path }
                }
            }
        }
        return nil
    }

    private func listing() -> [String: [String]] {
        var paths: [String: [String]] = [:]
        var count = 0
        for root in roots {
            let options: FileManager.DirectoryEnumerationOptions = [.skipsHiddenFiles, .skipsPackageDescendants]
            let files = FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil, options: options)
            guard let files else { continue }
            for case let url as URL in files {
                count += 1
                if count > Self.maxFiles { return paths.mapValues { $0.sorted() } }
                if url.pathExtension == "swift" { paths[url.lastPathComponent, default: []].append(url.path) }
            }
        }
        return paths.mapValues { $0.sorted() }
    }
}
