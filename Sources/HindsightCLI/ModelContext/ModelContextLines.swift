/// Finds the messages of a client in what was read from it, one on each line, and goes on after a line that is too
/// long.
struct ModelContextLines {
    enum Line: Equatable {
        case line([UInt8])
        case tooLong
    }

    /// More than any request needs.
    static let longest = 1 << 22

    private var buffer: [UInt8] = []
    private var start = 0
    private var searched = 0
    /// Whether the beginning of the present line was too long, and has been dropped.
    private var isDropping = false

    /// Takes bytes in which lines may begin and end anywhere.
    mutating func append(_ bytes: some Sequence<UInt8>) {
        buffer.removeSubrange(..<start)
        (start, searched) = (0, searched - start)
        buffer += bytes
    }

    /// The next complete line; `nil` if more bytes are needed.
    mutating func next() -> Line? {
        if let feed = buffer[searched...].firstIndex(of: UInt8(ascii: "\n")) {
            let line = Array(buffer[start..<feed])
            (start, searched) = (feed + 1, feed + 1)
            return finish(line)
        }
        searched = buffer.count
        if isDropping || buffer.count - start > Self.longest {
            isDropping = true
            (buffer, start, searched) = ([], 0, 0)
        }
        return nil
    }

    /// The last line, which lacks its line feed; `nil` if there is none.
    mutating func end() -> Line? {
        let line = Array(buffer[start...])
        (buffer, start, searched) = ([], 0, 0)
        return line.isEmpty && !isDropping ? nil : finish(line)
    }

    private mutating func finish(_ line: [UInt8]) -> Line {
        defer { isDropping = false }
        return isDropping || line.count > Self.longest ? .tooLong : .line(line)
    }
}
