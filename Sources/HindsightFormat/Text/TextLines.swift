import HindsightSupport

/// The lines of a file, read one at a time.
final class TextLines {
    private let descriptor: Int32
    private var lines = LineBuffer()

    /// - Throws: `SystemError` if the file cannot be opened.
    init(path: String) throws {
        descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw SystemError.last }
    }

    deinit { if descriptor >= 0 { _ = close(descriptor) } }

    /// The number of the line that was read last, from 1.
    var number: Int { lines.number }
    /// Whether a line feed ended the line that was read last.
    var isEnded: Bool { lines.isEnded }

    /// Returns the next line without its ending (LF or CR LF), and without a byte order mark; `nil` after the last.
    ///
    /// - Throws: `TextFault` if the line is too long; `SystemError` if the file cannot be read.
    func next() throws -> ArraySlice<UInt8>? {
        while true {
            if let line = lines.next() { return line }
            if lines.isAtEnd { return nil }
            guard lines.rest <= TextForm.maxLineLength else {
                lines.number += 1
                throw TextFault("it is longer than \(TextForm.maxLineLength >> 20) MB")
            }
            try lines.fill(take)
        }
    }

    private func take(into bytes: UnsafeMutableRawBufferPointer) -> Result<Int, SystemError> {
        while true {
            let count = read(descriptor, bytes.baseAddress, bytes.count)
            if count >= 0 { return .success(count) }
            guard errno == EINTR else { return .failure(.last) }
        }
    }
}
