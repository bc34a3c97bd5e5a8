import HindsightSupport

/// Reads lines as bytes, as soon as they are complete, because a session may be piped in live.
final class LineReader {
    /// The source of the bytes: fills a part of a buffer and returns its size; 0 at the end.
    typealias Source = (UnsafeMutableRawBufferPointer) -> Result<Int, SystemError>

    /// Why there is no next line.
    enum Problem: Error {
        case unreadable(SystemError)
        case tooLong(line: Int)
    }

    /// The limit that keeps memory bounded.
    static let maxLineLength = 1 << 28

    private let source: Source
    private let longest: Int
    private var lines = LineBuffer()

    init(longest: Int = LineReader.maxLineLength, source: @escaping Source) {
        self.longest = longest
        self.source = source
    }

    /// The number of the line that was read last, from 1.
    var line: Int { lines.number }

    /// The next line without its ending; `nil` after the last.
    func next() throws(Problem) -> [UInt8]? {
        while true {
            if let bytes = lines.next() { return Array(bytes) }
            if lines.isAtEnd { return nil }
            guard lines.rest <= longest else { throw .tooLong(line: line + 1) }
            do {
                try lines.fill(source)
            } catch {
                throw .unreadable(error)
            }
        }
    }
}
