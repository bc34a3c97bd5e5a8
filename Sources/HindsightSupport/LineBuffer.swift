/// The lines of bytes that are read piece by piece.
///
/// A line ends with LF or CR LF, the last one also with the bytes. A byte order mark at the beginning is left out. The
/// cost is linear in the bytes, for any length of lines and any size of reads.
package struct LineBuffer {
    /// The number of the line that was returned last, from 1.
    package var number = 0
    /// Whether a line feed ended the line that was returned last.
    package private(set) var isEnded = true
    /// Whether there are no more bytes to read.
    package private(set) var isAtEnd = false

    /// The bytes that were read, up to ``filled``, and room for more.
    private var buffer: [UInt8] = []
    private var filled = 0
    /// The offset of the next line in the buffer.
    private var start = 0
    /// The offset up to which the rest of the buffer has no line feed.
    private var searched = 0

    private static let leastRoom = 1 << 16

    package init() {}

    /// The number of bytes that no returned line has.
    package var rest: Int { filled - start }

    /// The next line without its ending; `nil` if it is not complete, or after the last.
    package mutating func next() -> ArraySlice<UInt8>? {
        let feed = lineFeed()
        searched = feed.map { $0 + 1 } ?? filled
        guard let end = feed ?? (isAtEnd && start < filled ? filled : nil) else { return nil }
        var line = buffer[start..<end]
        (start, isEnded) = (searched, feed != nil)
        number += 1
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        if number == 1, line.starts(with: [0xEF, 0xBB, 0xBF]) { line.removeFirst(3) }
        return line
    }

    private func lineFeed() -> Int? {
        guard searched < filled else { return nil }
        return buffer.withUnsafeBytes { bytes in
            // Sound: the range lies within the buffer, which is not changed meanwhile.
            guard let first = bytes.baseAddress,
                let found = memchr(first + searched, Int32(UInt8(ascii: "\n")), filled - searched)
            else { return nil }
            return UnsafeRawPointer(found) - first
        }
    }

    /// Takes more bytes, which were read elsewhere.
    package mutating func append(_ bytes: some Collection<UInt8>) {
        buffer.replaceSubrange(filled..., with: bytes)
        buffer.removeSubrange(..<start)
        (searched, filled, start) = (searched - start, buffer.count, 0)
    }

    /// Reads more bytes.
    ///
    /// - Parameter read: Fills a part of a buffer and returns its size; 0 at the end.
    package mutating func fill<Failure: Error>(
        _ read: (UnsafeMutableRawBufferPointer) -> Result<Int, Failure>
    ) throws(Failure) {
        if start > 0 {
            buffer.removeSubrange(filled...)
            buffer.removeSubrange(..<start)
            (searched, filled, start) = (searched - start, filled - start, 0)
        }
        // A pipe returns up to 64 KB at a time. Growing the buffer by as much for each read would be quadratic.
        if buffer.count - filled < Self.leastRoom {
            buffer += [UInt8](repeating: 0, count: max(Self.leastRoom, buffer.count))
        }
        let used = filled
        let result = buffer.withUnsafeMutableBytes { read(UnsafeMutableRawBufferPointer(rebasing: $0[used...])) }
        switch result {
        case .success(let count):
            filled += count
            isAtEnd = count == 0
        case .failure(let error):
            throw error
        }
    }
}
