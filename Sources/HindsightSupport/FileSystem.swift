/// Queries of the file system. Each costs one or two system calls.
package enum FileSystem {
    /// The path with all symbolic links resolved; the path itself if it does not exist.
    package static func place(of path: String) -> String {
        guard let place = realpath(path, nil) else { return path }
        defer { free(place) }
        return String(cString: place)
    }

    /// The size of a file in bytes; 0 if there is none.
    package static func size(of path: String) -> Int64 {
        var present = stat()
        return stat(path, &present) == 0 ? Int64(present.st_size) : 0
    }

    /// Whether a path exists, even as a broken symbolic link.
    package static func exists(_ path: String) -> Bool {
        var present = stat()
        return lstat(path, &present) == 0
    }

    /// Whether a path is that of a directory.
    package static func isDirectory(_ path: String) -> Bool {
        var present = stat()
        return stat(path, &present) == 0 && present.st_mode & S_IFMT == S_IFDIR
    }

    /// Whether a file may be written: its mode allows it to anybody, and this process is allowed to.
    package static func isWritable(_ path: String) -> Bool {
        var present = stat()
        return stat(path, &present) == 0 && present.st_mode & 0o222 != 0 && access(path, W_OK) == 0
    }

    /// Gives a file the permissions of another.
    package static func copyPermissions(from source: String, to path: String) throws(SystemError) {
        var present = stat()
        guard stat(source, &present) == 0, chmod(path, present.st_mode & 0o7777) == 0 else { throw .last }
    }

    /// The last part of a path.
    package static func name(of path: String) -> String {
        path.split(separator: "/").last.map(String.init) ?? path
    }
}
