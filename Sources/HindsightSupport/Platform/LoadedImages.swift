#if canImport(Darwin)
    import MachO
#endif

/// The executable and the libraries that are loaded in this process.
package enum LoadedImages {
    /// The path of a file, and the addresses of its code.
    package struct Image {
        package let path: String
        package let range: Range<UInt64>
    }

    #if canImport(Darwin)
        /// Those that are loaded now, in the order in which they were loaded.
        package static var all: [Image] {
            (0..<_dyld_image_count()).compactMap { number in
                guard let header = _dyld_get_image_header(number), let name = _dyld_get_image_name(number) else {
                    return nil
                }
                let start = UInt64(UInt(bitPattern: header))
                return Image(path: String(cString: name), range: start..<start + textSize(header))
            }
        }

        /// The size of the segment `__TEXT`, which begins with the header; 0 if there is none.
        ///
        /// Its offset in the file does not tell it: the libraries of the system are parts of one large file.
        private static func textSize(_ header: UnsafePointer<mach_header>) -> UInt64 {
            var command = UnsafeRawPointer(header) + MemoryLayout<mach_header_64>.size
            for _ in 0..<header.pointee.ncmds {
                let load = command.load(as: load_command.self)
                if load.cmd == UInt32(LC_SEGMENT_64) {
                    let segment = command.loadUnaligned(as: segment_command_64.self)
                    let isText = withUnsafeBytes(of: segment.segname) { $0.starts(with: "__TEXT\0".utf8) }
                    if isText { return segment.vmsize }
                }
                command += Int(load.cmdsize)
            }
            return 0
        }

        /// Whether Swift's standard library is a library of its own, and no part of the executable.
        package static var hasSharedStandardLibrary: Bool { true }
    #else
        /// Those that are loaded now, by their addresses.
        ///
        /// Reads `/proc`, because Swift does not import the C library's function. The images are the files that are
        /// mapped from their beginning and have an executable part.
        package static var all: [Image] {
            var all: [(path: String, range: Range<UInt64>, isExecutable: Bool)] = []
            for line in (mappings ?? "").split(separator: "\n") {
                // start-end, permissions, offset, device, inode, path
                let parts = line.split(separator: " ", maxSplits: 5, omittingEmptySubsequences: true)
                let ends = parts[0].split(separator: "-").compactMap { UInt64($0, radix: 16) }
                guard parts.count == 6, ends.count == 2, ends[0] < ends[1] else { continue }
                let path = String(parts[5].drop { $0 == " " })
                let isExecutable = parts[1].utf8.contains(UInt8(ascii: "x"))
                if let last = all.last, last.path == path {
                    all[all.count - 1].range = last.range.lowerBound..<ends[1]
                    if isExecutable { all[all.count - 1].isExecutable = true }
                } else if path.hasPrefix("/"), UInt64(parts[2], radix: 16) == 0 {
                    all.append((path, ends[0]..<ends[1], isExecutable))
                }
            }
            return all.filter(\.isExecutable).map { Image(path: $0.path, range: $0.range) }
        }

        /// Whether Swift's standard library is a library of its own, and no part of the executable. `true` if the
        /// system does not tell.
        package static var hasSharedStandardLibrary: Bool {
            guard let mappings else { return true }
            return mappings.split(separator: "/").dropFirst().contains { $0.hasPrefix("libswiftCore.so") }
        }

        private static var mappings: String? {
            ProcessFolder.contents(of: "/proc/self/maps").map { String(decoding: $0, as: UTF8.self) }
        }
    #endif
}
