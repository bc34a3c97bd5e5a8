import Foundation
import HindsightSupport

/// A hash of a file's content, with 128 bits. It tells files apart, but does not withstand an attack.
struct ContentHash: Hashable, Comparable {
    private var (high, low): (UInt64, UInt64) = (0x9E37_79B9_7F4A_7C15, 0xC2B2_AE3D_27D4_EB4F)

    /// The hash of all bytes.
    mutating func add(_ bytes: some ContiguousBytes) {
        bytes.withUnsafeBytes { buffer in
            add(UInt64(buffer.count))
            for start in stride(from: 0, to: buffer.count, by: 8) {
                var word: UInt64 = 0
                let end = min(start + 8, buffer.count)
                if end - start == 8 {
                    word = buffer.loadUnaligned(fromByteOffset: start, as: UInt64.self).littleEndian
                } else {
                    for index in (start..<end).reversed() { word = word << 8 | UInt64(buffer[index]) }
                }
                add(word)
            }
        }
    }

    private mutating func add(_ word: UInt64) {
        high = (high ^ word) &* 0xFF51_AFD7_ED55_8CCD
        high ^= high >> 32
        low = (low ^ (word << 31 | word >> 33)) &* 0xC4CE_B9FE_1A85_EC53
        low ^= low >> 29
    }

    /// A 64-bit hash of the content and a number, evenly distributed.
    func mixed(with number: Int) -> UInt64 {
        var copy = self
        copy.add(UInt64(number))
        copy.add(0)
        return copy.high ^ copy.low
    }

    /// 32 hexadecimal digits.
    var text: String { String(format: "%016llx%016llx", high, low) }

    static func < (left: Self, right: Self) -> Bool { (left.high, left.low) < (right.high, right.low) }

    private static let chunk = 1 << 20

    /// Adds a file's content. Reads all of it.
    ///
    /// - Returns: Whether it was read.
    mutating func addFile(_ path: String) -> Bool {
        guard let file = Self.regularFile(path) else { return false }
        do {
            while let bytes = try file.read(upToCount: Self.chunk), !bytes.isEmpty { add(bytes) }
            try file.close()
            return true
        } catch {
            return false
        }
    }

    /// Opens a file, but no pipe, which might wait for a writer.
    private static func regularFile(_ path: String) -> FileHandle? {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return FileHandle(forReadingAtPath: path)
    }

    /// The size of a file, and the hash of the size and of up to a megabyte from each end.
    static func ofEnds(_ path: String) -> (size: Int, hash: ContentHash) {
        var hash = ContentHash()
        guard let file = regularFile(path) else { return (0, hash) }
        do {
            let size = Int(try file.seekToEnd())
            hash.add(UInt64(size))
            try file.seek(toOffset: 0)
            hash.add(try file.read(upToCount: Self.chunk) ?? Data())
            if size > Self.chunk {
                try file.seek(toOffset: UInt64(max(Self.chunk, size - Self.chunk)))
                hash.add(try file.read(upToCount: Self.chunk) ?? Data())
            }
            try file.close()
            return (size, hash)
        } catch {
            return (0, ContentHash())
        }
    }
}
