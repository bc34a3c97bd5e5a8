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

    /// Whether an open file is the one at a path now, and no link.
    package static func isFile(_ descriptor: Int32, at path: String) -> Bool {
        var (opened, present) = (stat(), stat())
        return fstat(descriptor, &opened) == 0 && lstat(path, &present) == 0
            && opened.st_ino == present.st_ino && opened.st_dev == present.st_dev
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

    /// Copies the bytes and the permissions of a file into another one that exists, and replaces what that has.
    package static func copy(_ source: String, into path: String) throws(SystemError) {
        let input = open(source, O_RDONLY | O_CLOEXEC)
        guard input >= 0 else { throw .last }
        defer { _ = close(input) }
        let output = open(path, O_WRONLY | O_TRUNC | O_NOFOLLOW | O_CLOEXEC)
        guard output >= 0 else { throw .last }
        defer { _ = close(output) }
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        while true {
            let filled = read(input, &bytes, bytes.count)
            if filled < 0, errno == EINTR { continue }
            guard filled >= 0 else { throw .last }
            if filled == 0 { break }
            try writeAll(bytes[..<filled], to: output)
        }
        var present = stat()
        guard fstat(input, &present) == 0, fchmod(output, present.st_mode & 0o7777) == 0 else { throw .last }
    }

    /// Reads the bytes of a file from an offset on; fewer than `count` if it ends before.
    package static func bytes(of descriptor: Int32, at offset: Int, count: Int) throws(SystemError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var done = 0
        while done < count {
            let part = bytes.withUnsafeMutableBytes {
                pread(descriptor, $0.baseAddress.map { $0 + done }, count - done, off_t(offset + done))
            }
            if part < 0, errno == EINTR { continue }
            guard part >= 0 else { throw .last }
            if part == 0 { break }
            done += part
        }
        bytes.removeLast(count - done)
        return bytes
    }

    /// Writes all of the bytes.
    package static func writeAll(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) throws(SystemError) {
        var rest = bytes
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .last }
            rest = rest.dropFirst(count)
        }
    }

    /// The last part of a path.
    package static func name(of path: String) -> String {
        path.split(separator: "/").last.map(String.init) ?? path
    }
}
