import HindsightSupport

/// Finds the messages of a client in what was read from it, one on each line, and goes on after a line that is too
/// long.
struct ModelContextLines {
    enum Line: Equatable {
        case line([UInt8])
        case tooLong
    }

    /// More than any request needs.
    static let longest = 1 << 22

    private var buffer = LineBuffer()
    /// Whether the beginning of the present line was too long, and has been dropped.
    private var isDropping = false

    /// Takes bytes in which lines may begin and end anywhere.
    mutating func append(_ bytes: some Collection<UInt8>) { buffer.append(bytes) }

    /// The next complete line; `nil` if more bytes are needed.
    mutating func next() -> Line? {
        if let line = buffer.next() {
            defer { isDropping = false }
            return isDropping || line.count > Self.longest ? .tooLong : .line(Array(line))
        }
        if isDropping || buffer.rest > Self.longest {
            isDropping = true
            buffer = LineBuffer()
        }
        return nil
    }

    /// The last line, which lacks its line feed; `nil` if there is none.
    mutating func end() -> Line? {
        guard isDropping || buffer.rest > 0 else { return nil }
        buffer.append([UInt8(ascii: "\n")])
        return next()
    }
}
