import Foundation
import HindsightFormat
import HindsightSupport

/// The files and directories that a server may read. It opens nothing else.
struct ModelContextPlaces {
    /// The resolved paths of the given files.
    private let files: [String]
    /// The resolved paths of the given directories.
    private let directories: [String]

    /// - Throws: ``Failure`` if a place does not exist.
    init(_ given: [String]) throws(Failure) {
        var (files, directories): ([String], [String]) = ([], [])
        for path in given.isEmpty ? ["."] : given {
            guard let real = Self.resolved(path) else {
                throw Failure(.badFile, "\(escape(path)) does not exist.", "Give recordings, or directories with some.")
            }
            if FileSystem.isDirectory(real) { directories.append(real) } else { files.append(real) }
        }
        (self.files, self.directories) = (files, directories)
    }

    /// The path of the recording that a client names.
    ///
    /// A name is relative to one of the places, or absolute. It is checked after all symbolic links are resolved, and so
    /// are the files beside the recording, which are read with it.
    ///
    /// - Throws: ``Failure``, the same whether the file is elsewhere or does not exist, so that a client cannot ask which
    ///   files there are.
    func path(of name: String?) throws -> String {
        guard let name else {
            let all = recordings()
            if all.count == 1 { return all[0] }
            throw Failure(
                .usage,
                all.isEmpty
                    ? "There are no recordings in the given places." : "file is missing: there are \(all.count).",
                "Call info without file to list them."
            )
        }
        let paths = self.paths(of: name)
        if paths.count == 1 { return paths[0] }
        throw Failure(
            .badFile,
            paths.isEmpty
                ? "There is no recording \(quote(name)) in the places that this server may read."
                : "\(quote(name)) names \(paths.count) recordings.",
            "Call info without file to list them."
        )
    }

    /// The resolved paths of the recordings that have a name.
    private func paths(of name: String) -> [String] {
        let candidates =
            name.hasPrefix("/")
            ? [name]
            : directories.map { Tool.path(of: name, in: $0) } + files.filter { FileSystem.name(of: $0) == name }
        let found = candidates.filter { !$0.utf8.contains(0) }.compactMap(Self.resolved).filter { real in
            holds(real) && Self.isPlainFile(real) && sidecarsArePlain(real)
        }
        return Set(found).sorted()
    }

    /// The path of a file to write, in one of the directories.
    ///
    /// - Throws: ``Failure`` if the file exists, or its directory is none that the server may read.
    func newPath(of name: String) throws -> String {
        let (folder, file) =
            name.lastIndex(of: "/").map { (String(name[...$0]), String(name[name.index(after: $0)...])) } ?? ("", name)
        let isPlain = !["", ".", ".."].contains(file) && !name.utf8.contains(0)
        let candidates = name.hasPrefix("/") ? [folder] : directories.map { Tool.path(of: folder, in: $0) }
        for candidate in isPlain ? candidates : [] {
            guard let real = Self.resolved(candidate), FileSystem.isDirectory(real),
                directories.contains(real) || holds(real)
            else { continue }
            let path = Tool.path(of: file, in: real)
            guard !FileSystem.exists(path) else {
                throw Failure(.badFile, "\(quote(name)) exists.", "Give the name of a new file.")
            }
            return path
        }
        throw Failure(
            .badFile,
            "\(quote(name)) is no file that this server may write.",
            directories.isEmpty
                ? "It serves no directory." : "Give a name in one of the directories that it serves: small.hindsight."
        )
    }

    /// The resolved paths of all recordings in the places, sorted.
    func recordings() -> [String] {
        var found: Set<String> = Set(files)
        for directory in directories {
            // A directory without recordings is no failure here.
            guard let paths = try? Tool.recordings(below: [directory]) else { continue }
            for path in paths {
                if let real = Self.resolved(path), holds(real), Self.isPlainFile(real) { found.insert(real) }
            }
        }
        return found.sorted()
    }

    /// The name by which a client asks for a recording: the whole path if another one has the short name, too.
    func name(of path: String) -> String {
        let prefix = prefixes.first(where: path.hasPrefix)
        let short = prefix.map { String(path.dropFirst($0.count)) } ?? FileSystem.name(of: path)
        // One place has each name once.
        if directories.count + files.count == 1 { return short }
        return paths(of: short).count > 1 ? path : short
    }

    private func holds(_ real: String) -> Bool {
        files.contains(real) || prefixes.contains(where: real.hasPrefix)
    }

    /// What the paths of files in the directories begin with.
    private var prefixes: [String] { directories.map { Tool.path(of: "", in: $0) } }

    private func sidecarsArePlain(_ real: String) -> Bool {
        SidecarFiles.suffixes.allSatisfy { suffix in
            var status = stat()
            return lstat(real + suffix, &status) != 0 || status.st_mode & S_IFMT == S_IFREG
        }
    }

    /// A pipe or a device would never end.
    private static func isPlainFile(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }

    /// The absolute path without symbolic links, `.` and `..`; `nil` if nothing is there.
    private static func resolved(_ path: String) -> String? {
        guard !path.isEmpty, let real = realpath(path, nil) else { return nil }
        defer { free(real) }
        return String(validatingCString: real)
    }
}
