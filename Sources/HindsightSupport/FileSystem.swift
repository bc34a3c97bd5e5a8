/// Questions to the file system. Each costs one or two calls of the system.
package enum FileSystem {
    /// Where a path leads to; the path itself if it leads nowhere.
    package static func place(of path: String) -> String {
        guard let place = realpath(path, nil) else { return path }
        defer { free(place) }
        return String(cString: place)
    }

    /// The bytes of a file; 0 if there is none.
    package static func size(of path: String) -> Int64 {
        var present = stat()
        return stat(path, &present) == 0 ? Int64(present.st_size) : 0
    }

    /// Whether something stands at a path, if only a link that leads nowhere.
    package static func exists(_ path: String) -> Bool {
        var present = stat()
        return lstat(path, &present) == 0
    }

    /// Whether a path leads to a directory.
    package static func isDirectory(_ path: String) -> Bool {
        var present = stat()
        return stat(path, &present) == 0 && present.st_mode & S_IFMT == S_IFDIR
    }

    /// The last part of a path.
    package static func name(of path: String) -> String {
        path.split(separator: "/").last.map(String.init) ?? path
    }
}
