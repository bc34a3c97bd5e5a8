import Foundation

/// Reads the messages of a client, one on each line, and goes on after a line that is too long.
final class ModelContextLines {
    enum Line: Equatable {
        case line([UInt8])
        case tooLong
    }

    /// More than any request needs.
    static let longest = 1 << 22

    private let source: LineReader.Source
    private var buffer: [UInt8] = []
    private var start = 0
    private var searched = 0
    /// Whether the beginning of the present line was too long, and has been dropped.
    private var isDropping = false
    private var piece = [UInt8](repeating: 0, count: 1 << 16)

    init(_ source: @escaping LineReader.Source) { self.source = source }

    /// The next line; `nil` at the end, or if the client cannot be read any more. The last line may lack its line feed.
    func next() -> Line? {
        while true {
            if let feed = buffer[searched...].firstIndex(of: UInt8(ascii: "\n")) {
                let line = Array(buffer[start..<feed])
                (start, searched) = (feed + 1, feed + 1)
                if !isDropping { return .line(line) }
                isDropping = false
                return .tooLong
            }
            buffer.removeSubrange(..<start)
            (start, searched) = (0, buffer.count)
            if isDropping || buffer.count > Self.longest {
                isDropping = true
                buffer = []
                searched = 0
            }
            guard case .success(let count) = piece.withUnsafeMutableBytes(source), count > 0 else {
                defer { (buffer, start, searched, isDropping) = ([], 0, 0, false) }
                return isDropping ? .tooLong : buffer.isEmpty ? nil : .line(buffer)
            }
            buffer += piece.prefix(count)
        }
    }
}
