import HindsightFormat
import HindsightSupport

#if canImport(Darwin)
    import MachO
#endif

/// The executable and the libraries that were loaded when the first journal asked for crash marks. Frames are described
/// by their place in one of them. Libraries that are loaded later are unknown.
enum CrashImages {
    private static let most = 256
    nonisolated(unsafe) static let table: UnsafeMutablePointer<UInt64> = {
        let words = UnsafeMutablePointer<UInt64>.allocate(capacity: most * CrashRecord.ImageLayout.words)
        words.initialize(repeating: 0, count: most * CrashRecord.ImageLayout.words)
        return words
    }()
    /// Whether each image is in the record that is being written.
    nonisolated(unsafe) static let places: UnsafeMutablePointer<Bool> = {
        let places = UnsafeMutablePointer<Bool>.allocate(capacity: most)
        places.initialize(repeating: false, count: most)
        return places
    }()

    /// The range of the executable's own code; zeros if unknown.
    nonisolated(unsafe) static let code: UnsafeMutablePointer<UInt> = {
        let words = UnsafeMutablePointer<UInt>.allocate(capacity: 2)
        words.initialize(repeating: 0, count: 2)
        return words
    }()

    /// Whether the executable's code has a call right before an address. Safe in a signal handler, because the code is
    /// never unmapped.
    static func isBehindCall(_ address: UInt) -> Bool {
        guard address > code[0] &+ 8, address < code[1] else { return false }
        #if arch(x86_64)
            func byte(_ back: UInt) -> UInt8 { UnsafePointer<UInt8>(bitPattern: address &- back)?.pointee ?? 0 }
            return byte(5) == 0xE8 || byte(2) == 0xFF || byte(3) == 0xFF || byte(6) == 0xFF
        #elseif arch(arm64)
            guard address & 3 == 0, let word = UnsafePointer<UInt32>(bitPattern: address &- 4)?.pointee else {
                return false
            }
            return word & 0xFC00_0000 == 0x9400_0000 || word & 0xFFFF_FC1F == 0xD63F_0000
        #else
            return false
        #endif
    }

    /// Copies the images of a record's frames into the record. Safe in a signal handler.
    static func write(to record: UnsafeMutablePointer<UInt64>) {
        for index in 0..<most { places[index] = false }
        var count = 0
        let frames = Int(truncatingIfNeeded: record[CrashRecord.Layout.frameCount])
        for frame in 0..<frames {
            guard count < CrashRecord.mostImages else { break }
            let address = record[CrashRecord.Layout.frames + frame]
            for index in 0..<most {
                let image = table + index * CrashRecord.ImageLayout.words
                if image[CrashRecord.ImageLayout.end] == 0 { break }
                guard address >= image[CrashRecord.ImageLayout.start], address < image[CrashRecord.ImageLayout.end]
                else { continue }
                if places[index] { break }
                places[index] = true
                let target = record + CrashRecord.Layout.images + count * CrashRecord.ImageLayout.words
                for word in 0..<CrashRecord.ImageLayout.words { target[word] = image[word] }
                count += 1
                break
            }
        }
        record[CrashRecord.Layout.imageCount] = UInt64(count)
    }

    /// Whether an address is in one of the images. Safe in a signal handler.
    static func contains(_ address: UInt64) -> Bool {
        for index in 0..<most {
            let image = table + index * CrashRecord.ImageLayout.words
            if image[CrashRecord.ImageLayout.end] == 0 { return false }
            if address >= image[CrashRecord.ImageLayout.start], address < image[CrashRecord.ImageLayout.end] {
                return true
            }
        }
        return false
    }

    /// Adds an image. Long texts are truncated, and images beyond the table's size are ignored.
    private static func add(at index: Int, _ range: Range<UInt64>, bias: UInt64, id: [UInt8], path: String) {
        guard index < most, !range.isEmpty else { return }
        let image = table + index * CrashRecord.ImageLayout.words
        image[CrashRecord.ImageLayout.start] = range.lowerBound
        image[CrashRecord.ImageLayout.bias] = bias
        image[CrashRecord.ImageLayout.idCount] = UInt64(min(id.count, CrashRecord.ImageLayout.idBytes))
        let name = Array(FileSystem.name(of: path).utf8)
        for (place, bytes, most) in [
            (CrashRecord.ImageLayout.id, id, CrashRecord.ImageLayout.idBytes),
            (CrashRecord.ImageLayout.name, name, CrashRecord.ImageLayout.nameBytes),
        ] {
            UnsafeMutableRawBufferPointer(start: image + place, count: most).copyBytes(from: bytes.prefix(most))
        }
        image[CrashRecord.ImageLayout.end] = range.upperBound
    }

    #if canImport(Darwin)
        static func collect() {
            var index = 0
            for number in 0..<_dyld_image_count() {
                guard let header = _dyld_get_image_header(number), let name = _dyld_get_image_name(number) else {
                    continue
                }
                let start = UInt64(UInt(bitPattern: header))
                var (size, id): (UInt64, [UInt8]) = (0, [])
                var command = UnsafeRawPointer(header) + MemoryLayout<mach_header_64>.size
                for _ in 0..<header.pointee.ncmds {
                    let load = command.load(as: load_command.self)
                    if load.cmd == UInt32(LC_SEGMENT_64) {
                        let segment = command.loadUnaligned(as: segment_command_64.self)
                        // The text segment comes first, and has file offset 0.
                        if segment.fileoff == 0, segment.filesize > 0 { size = segment.vmsize }
                    } else if load.cmd == UInt32(LC_UUID) {
                        id = Array(UnsafeRawBufferPointer(start: command + 8, count: 16))
                    }
                    command += Int(load.cmdsize)
                }
                if header.pointee.filetype == UInt32(MH_EXECUTE) {
                    (code[0], code[1]) = (UInt(start), UInt(start + size))
                }
                add(at: index, start..<start + size, bias: start, id: id, path: String(cString: name))
                index += 1
            }
        }
    #else
        /// Reads `/proc`, because Swift does not import the C library's function.
        static func collect() {
            var index = 0
            let executable = executable
            for (path, range, executed) in executableMappings() {
                if path == executable { (code[0], code[1]) = (UInt(executed.lowerBound), UInt(executed.upperBound)) }
                guard let start = UnsafeRawPointer(bitPattern: UInt(range.lowerBound)) else { continue }
                let bytes = UnsafeRawBufferPointer(start: start, count: Int(range.upperBound - range.lowerBound))
                guard bytes.count > 64, bytes.prefix(5).elementsEqual([0x7F, 0x45, 0x4C, 0x46, 2]) else { continue }
                let (first, id) = headers(in: bytes)
                add(at: index, range, bias: range.lowerBound &- first, id: id, path: path)
                index += 1
            }
        }

        /// The files that are mapped from their beginning and have an executable part.
        private static func executableMappings() -> [(path: String, range: Range<UInt64>, executed: Range<UInt64>)] {
            var all: [(path: String, range: Range<UInt64>, executed: Range<UInt64>)] = []
            for line in text(of: "/proc/self/maps").split(separator: "\n") {
                // start-end, permissions, offset, device, inode, path
                let parts = line.split(separator: " ", maxSplits: 5, omittingEmptySubsequences: true)
                let ends = parts[0].split(separator: "-").compactMap { UInt64($0, radix: 16) }
                guard parts.count == 6, ends.count == 2, ends[0] < ends[1] else { continue }
                let path = String(parts[5].drop { $0 == " " })
                let executed = parts[1].contains("x") ? ends[0]..<ends[1] : 0..<0
                if let last = all.last, last.path == path {
                    all[all.count - 1].range = last.range.lowerBound..<ends[1]
                    if last.executed.isEmpty { all[all.count - 1].executed = executed }
                } else if path.hasPrefix("/"), UInt64(parts[2], radix: 16) == 0 {
                    all.append((path, ends[0]..<ends[1], executed))
                }
            }
            return all.filter { !$0.executed.isEmpty }
        }

        private static var executable: String {
            var path = [CChar](repeating: 0, count: 4096)
            let count = readlink("/proc/self/exe", &path, path.count)
            return String(decoding: path.prefix(max(0, count)).map(UInt8.init(bitPattern:)), as: UTF8.self)
        }

        private static func text(of path: String) -> String {
            let descriptor = open(path, O_RDONLY | O_CLOEXEC)
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

        /// The file's address of the first mapped byte, and the build ID.
        private static func headers(in image: UnsafeRawBufferPointer) -> (first: UInt64, id: [UInt8]) {
            func word(_ at: Int) -> UInt64 {
                at + 8 <= image.count ? image.loadUnaligned(fromByteOffset: at, as: UInt64.self) : 0
            }
            func half(_ at: Int) -> Int { Int(word(at) & 0xFFFF) }
            var (first, id): (UInt64?, [UInt8]) = (nil, [])
            for number in 0..<half(56) {
                let header = Int(clamping: word(32)).addingReportingOverflow(number * half(54)).partialValue
                guard header > 0, header <= image.count - 56 else { break }
                let (type, address, bytes) = (
                    word(header) & 0xFFFF_FFFF, word(header + 16), Int(clamping: word(header + 40))
                )
                if type == 1, first == nil { first = address & ~0xFFF }
                let at = Int(clamping: address &- (first ?? 0))
                guard type == 4, id.isEmpty, at < image.count, bytes <= image.count - at else { continue }
                id = buildID(in: UnsafeRawBufferPointer(rebasing: image[at..<at + bytes]))
            }
            return (first ?? 0, id)
        }

        /// Each note has the sizes of its name and its text, its type, and then both, padded to four bytes.
        private static func buildID(in notes: UnsafeRawBufferPointer) -> [UInt8] {
            var at = 0
            while at + 12 <= notes.count {
                func word(_ offset: Int) -> Int {
                    Int(notes.loadUnaligned(fromByteOffset: at + offset, as: UInt32.self))
                }
                let (name, text, type) = (word(0), word(4), word(8))
                let start = at + 12 + (name + 3) & ~3
                guard start + text <= notes.count else { break }
                if type == 3, notes[at + 12..<at + 12 + name].elementsEqual("GNU\0".utf8) {
                    return Array(notes[start..<start + text])
                }
                at = start + (text + 3) & ~3
            }
            return []
        }
    #endif
}
