import Foundation

/// Reads lines as bytes, as soon as they are complete: a session may be piped in live.
///
/// A line ends with LF or CR LF, the last one also with the input. A byte order mark at the beginning is left out.
final class LineReader {
    /// Where the bytes come from: fills some of a buffer and returns how much, 0 at the end.
    typealias Source = (UnsafeMutableRawBufferPointer) -> Result<Int, POSIXError>

    /// Why there is no next line.
    enum Problem: Error {
        case unreadable(POSIXError)
        case tooLong(line: Int)
    }

    /// No line may be longer, so that memory stays bounded whatever is piped in.
    static let longestLine = 1 << 28

    /// The number of the line that was read last, from 1.
    private(set) var line = 0

    private let source: Source
    private let longest: Int
    private var buffer: [UInt8] = []
    /// Where in the buffer the next line begins.
    private var start = 0
    /// Up to where the buffer is known to have no line feed.
    private var searched = 0
    private var isAtEnd = false

    init(longest: Int = LineReader.longestLine, source: @escaping Source) {
        self.longest = longest
        self.source = source
    }

    /// The next line without its ending, `nil` after the last.
    func next() throws(Problem) -> [UInt8]? {
        while true {
            if let end = buffer[searched...].firstIndex(of: UInt8(ascii: "\n")) {
                let bytes = buffer[start..<end]
                start = end + 1
                searched = start
                return finished(bytes)
            }
            searched = buffer.count
            if isAtEnd {
                guard start < buffer.count else { return nil }
                let bytes = buffer[start...]
                start = buffer.count
                return finished(bytes)
            }
            guard buffer.count - start <= longest else { throw .tooLong(line: line + 1) }
            try fill()
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
            buffer.removeSubrange(..<start)
            searched -= start
            start = 0
        }
        let old = buffer.count
        buffer.append(contentsOf: repeatElement(0, count: max(1 << 16, old)))
        let result = buffer.withUnsafeMutableBytes { source(UnsafeMutableRawBufferPointer(rebasing: $0[old...])) }
        switch result {
        case .success(let count):
            buffer.removeSubrange((old + count)...)
            isAtEnd = count == 0
        case .failure(let error):
            buffer.removeSubrange(old...)
            throw .unreadable(error)
        }
    }
}
