import Foundation

/// Reads lines as bytes, as soon as they are complete, because a session may be piped in live.
///
/// A line ends with LF or CR LF, the last one also with the input. A byte order mark at the beginning is left out.
final class LineReader {
    /// The source of the bytes: fills a part of a buffer and returns its size; 0 at the end.
    typealias Source = (UnsafeMutableRawBufferPointer) -> Result<Int, POSIXError>

    /// Why there is no next line.
    enum Problem: Error {
        case unreadable(POSIXError)
        case tooLong(line: Int)
    }

    /// The limit that keeps memory bounded.
    static let maxLineLength = 1 << 28

    private static let leastRoom = 1 << 16

    /// The number of the line that was read last, from 1.
    private(set) var line = 0

    private let source: Source
    private let longest: Int
    /// The bytes that were read, up to ``filled``, and room for more.
    private var buffer: [UInt8] = []
    private var filled = 0
    /// The offset of the next line in the buffer.
    private var start = 0
    /// The offset up to which the rest of the buffer has no line feed.
    private var searched = 0
    private var isAtEnd = false

    init(longest: Int = LineReader.maxLineLength, source: @escaping Source) {
        self.longest = longest
        self.source = source
    }

    /// The next line without its ending; `nil` after the last.
    ///
    /// The cost is linear in the input, for any length of lines and any size of reads.
    func next() throws(Problem) -> [UInt8]? {
        while true {
            if let end = lineFeed() {
                let bytes = buffer[start..<end]
                start = end + 1
                searched = start
                return finished(bytes)
            }
            searched = filled
            if isAtEnd {
                guard start < filled else { return nil }
                let bytes = buffer[start..<filled]
                start = filled
                return finished(bytes)
            }
            guard filled - start <= longest else { throw .tooLong(line: line + 1) }
            try fill()
        }
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

    private func finished(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        line += 1
        var bytes = bytes
        if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
        if line == 1, bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes.removeFirst(3) }
        return Array(bytes)
    }

    private func fill() throws(Problem) {
        if start > 0 {
            buffer.removeSubrange(filled...)
            buffer.removeSubrange(..<start)
            searched -= start
            filled -= start
            start = 0
        }
        // A pipe returns up to 64 KB at a time. Growing the buffer by as much for each read would be quadratic.
        if buffer.count - filled < Self.leastRoom {
            buffer += [UInt8](repeating: 0, count: max(Self.leastRoom, buffer.count))
        }
        let result = buffer.withUnsafeMutableBytes { source(UnsafeMutableRawBufferPointer(rebasing: $0[filled...])) }
        switch result {
        case .success(let count):
            filled += count
            isAtEnd = count == 0
        case .failure(let error):
            throw .unreadable(error)
        }
    }
}
