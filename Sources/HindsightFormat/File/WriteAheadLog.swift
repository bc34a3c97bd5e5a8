import HindsightSupport

/// SQLite's `-wal` as bytes: <https://www.sqlite.org/walformat.html>.
package enum WriteAheadLog {
    /// The size of the header in bytes. A file that is no longer has no pages.
    static let head = 32
    private static let frameHead = 24

    /// Whether the header has its checksum.
    static func isSound(head bytes: [UInt8]) -> Bool { checksum(ofHead: bytes) != nil }

    /// The checksum with which the header continues; `nil` if it is damaged.
    private static func checksum(ofHead bytes: [UInt8]) -> (UInt32, UInt32)? {
        guard bytes.count == head, word(bytes, 0) & ~1 == 0x377F_0682 else { return nil }
        let sums = sum(bytes[..<24], after: (0, 0), isBig: isBig(bytes))
        return sums == (word(bytes, 24), word(bytes, 28)) ? sums : nil
    }

    /// Whether SQLite reads all that a writer has appended: no frame of the present round follows the last commit.
    ///
    /// A process that ends in a transaction leaves such frames, too. Costs reading the file.
    package static func isWhole(at path: String) -> Bool {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return !FileSystem.exists(path) }
        defer { _ = close(descriptor) }
        let size = Int(FileSystem.size(of: path))
        guard size > head else { return true }
        guard let start = bytes(head, at: 0, of: descriptor), var sums = checksum(ofHead: start) else { return false }
        let frame = frameHead + Int(word(start, 8))
        // SQLite's pages have at most 64 KB.
        guard 512 + frameHead...65_536 + frameHead ~= frame else { return false }
        var (at, committed) = (head, head)
        while let next = bytes(frame, at: at, of: descriptor), next[8..<16].elementsEqual(start[16..<24]) {
            let isBig = isBig(start)
            sums = sum(next[frameHead...], after: sum(next[..<8], after: sums, isBig: isBig), isBig: isBig)
            guard sums == (word(next, 16), word(next, 20)) else { break }
            at += frame
            if word(next, 4) != 0 { committed = at }
        }
        // Frames of an earlier round may follow, with the salts of that round.
        return stride(from: committed, to: size, by: frame).allSatisfy { at in
            bytes(8, at: at + 8, of: descriptor).map { !$0.elementsEqual(start[16..<24]) } ?? false
        }
    }

    /// Whether a `-wal` stands beside a recording, and SQLite reads it to its end. Costs reading it.
    package static func isThereAndWhole(beside place: String) -> Bool {
        FileSystem.size(of: place + "-wal") > 0 && isWhole(at: place + "-wal")
    }

    /// The last bit of the first word says in which byte order the checksums are computed.
    private static func isBig(_ head: [UInt8]) -> Bool { word(head, 0) & 1 == 1 }

    private static func sum(_ bytes: ArraySlice<UInt8>, after sums: (UInt32, UInt32), isBig: Bool) -> (UInt32, UInt32) {
        var sums = sums
        for at in stride(from: bytes.startIndex, to: bytes.endIndex - 7, by: 8) {
            sums.0 &+= word(bytes, at, isBig: isBig) &+ sums.1
            sums.1 &+= word(bytes, at + 4, isBig: isBig) &+ sums.0
        }
        return sums
    }

    private static func word(_ bytes: [UInt8], _ at: Int) -> UInt32 { word(bytes[...], at, isBig: true) }

    private static func word(_ bytes: ArraySlice<UInt8>, _ at: Int, isBig: Bool) -> UInt32 {
        let word = (0..<4).reduce(0 as UInt32) { $0 << 8 | UInt32(bytes[at + $1]) }
        return isBig ? word : word.byteSwapped
    }

    static func bytes(_ count: Int, at offset: Int, of descriptor: Int32) -> [UInt8]? {
        var bytes = Array(repeating: 0 as UInt8, count: count)
        return pread(descriptor, &bytes, count, off_t(offset)) == count ? bytes : nil
    }
}
