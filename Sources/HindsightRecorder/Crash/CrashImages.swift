import HindsightFormat
import HindsightSupport

#if canImport(Darwin)
    import MachO
#endif

/// The executable and the libraries that were loaded when the first journal asked for crash marks. Frames are described
/// by their place in one of them. Libraries that are loaded later are unknown.
enum CrashImages {
    private typealias Layout = CrashRecord.ImageLayout
    private static let most = 256
    nonisolated(unsafe) static let table = CrashMarker.zeros(of: UInt64.self, most * Layout.words) { 0 }

    /// The words of the image at an address; `nil` if the address is in none. Safe in a signal handler.
    static func image(of address: UInt64) -> UnsafeMutablePointer<UInt64>? {
        for index in 0..<most {
            let image = table + index * Layout.words
            if image[Layout.end] == 0 { return nil }
            if address >= image[Layout.start], address < image[Layout.end] { return image }
        }
        return nil
    }

    /// Copies the images of a record's frames into the record. Safe in a signal handler.
    static func write(to record: UnsafeMutablePointer<UInt64>) {
        let images = record + CrashRecord.Layout.images
        var count = 0
        for frame in 0..<Int(truncatingIfNeeded: record[CrashRecord.Layout.frameCount]) {
            guard count < CrashRecord.maxImages,
                let image = image(of: record[CrashRecord.Layout.frames + frame])
            else { continue }
            var known = 0
            while known < count, images[known * Layout.words] != image[Layout.start] { known += 1 }
            if known < count { continue }
            for word in 0..<Layout.words { images[count * Layout.words + word] = image[word] }
            count += 1
        }
        record[CrashRecord.Layout.imageCount] = UInt64(count)
    }

    /// Adds an image. Long names are truncated, and images beyond the table's size are ignored.
    private static func add(at index: Int, _ range: Range<UInt64>, path: String) {
        guard index < most, !range.isEmpty else { return }
        let image = table + index * Layout.words
        image[Layout.start] = range.lowerBound
        UnsafeMutableRawBufferPointer(start: image + Layout.name, count: Layout.nameBytes)
            .copyBytes(from: FileSystem.name(of: path).utf8.prefix(Layout.nameBytes))
        image[Layout.end] = range.upperBound
    }

    #if canImport(Darwin)
        static func collect() {
            for number in 0..<_dyld_image_count() {
                guard let header = _dyld_get_image_header(number), let name = _dyld_get_image_name(number) else {
                    continue
                }
                let start = UInt64(UInt(bitPattern: header))
                var size: UInt64 = 0
                var command = UnsafeRawPointer(header) + MemoryLayout<mach_header_64>.size
                for _ in 0..<header.pointee.ncmds {
                    let load = command.load(as: load_command.self)
                    if load.cmd == UInt32(LC_SEGMENT_64) {
                        let segment = command.loadUnaligned(as: segment_command_64.self)
                        // The text segment comes first, and has file offset 0.
                        if segment.fileoff == 0, segment.filesize > 0 { size = segment.vmsize }
                    }
                    command += Int(load.cmdsize)
                }
                add(at: Int(number), start..<start + size, path: String(cString: name))
            }
        }
    #else
        /// Reads `/proc`, because Swift does not import the C library's function. The images are the files that are
        /// mapped from their beginning and have an executable part.
        static func collect() {
            // Creates the table, even if there is no such file.
            table[Layout.end] = 0
            var all: [(path: String, range: Range<UInt64>, isExecutable: Bool)] = []
            for line in mappings.split(separator: "\n") {
                // start-end, permissions, offset, device, inode, path
                let parts = line.split(separator: " ", maxSplits: 5, omittingEmptySubsequences: true)
                let ends = parts[0].split(separator: "-").compactMap { UInt64($0, radix: 16) }
                guard parts.count == 6, ends.count == 2, ends[0] < ends[1] else { continue }
                let path = String(parts[5].drop { $0 == " " })
                let isExecutable = parts[1].contains("x")
                if let last = all.last, last.path == path {
                    all[all.count - 1].range = last.range.lowerBound..<ends[1]
                    if isExecutable { all[all.count - 1].isExecutable = true }
                } else if path.hasPrefix("/"), UInt64(parts[2], radix: 16) == 0 {
                    all.append((path, ends[0]..<ends[1], isExecutable))
                }
            }
            for (index, image) in all.filter(\.isExecutable).enumerated() {
                add(at: index, image.range, path: image.path)
            }
        }

        private static var mappings: String {
            let descriptor = open("/proc/self/maps", O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { return "" }
            defer { _ = close(descriptor) }
            var text: [UInt8] = []
            var part = [UInt8](repeating: 0, count: 1 << 16)
            while text.count < 1 << 24 {
                let count = part.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
                guard count > 0 else { break }
                text += part.prefix(count)
            }
            return String(decoding: text, as: UTF8.self)
        }
    #endif
}
