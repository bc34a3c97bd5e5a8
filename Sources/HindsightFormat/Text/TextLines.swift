import HindsightSupport

/// The lines of a file, read one at a time.
final class TextLines {
    /// The number of the line that was read last, from 1.
    private(set) var number = 0
    /// Whether a line feed ended the line that was read last.
    private(set) var isEnded = true

    private let descriptor: Int32
    /// The bytes that were read, up to ``filled``, and room for more.
    private var buffer: [UInt8] = []
    private var filled = 0
    /// The offset of the next line.
    private var start = 0
    /// The offset up to which there is no line feed.
    private var searched = 0

    private static let room = 1 << 16

    /// - Throws: `SystemError` if the file cannot be opened.
    init(path: String) throws {
        descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw SystemError.last }
    }

    deinit { if descriptor >= 0 { _ = close(descriptor) } }

    /// Returns the next line without its ending (LF or CR LF), and without a byte order mark; `nil` after the last.
    ///
    /// - Throws: `TextFault` if the line is too long; `SystemError` if the file cannot be read.
    func next() throws -> ArraySlice<UInt8>? {
        while true {
            if let end = lineFeed() {
                defer { (start, searched) = (end + 1, end + 1) }
                return finish(end, isEnded: true)
            }
            searched = filled
            guard filled - start <= TextForm.maxLineLength else {
                number += 1
                throw TextFault("it is longer than \(TextForm.maxLineLength >> 20) MB")
            }
            if try !fill() {
                guard start < filled else { return nil }
                defer { start = filled }
                return finish(filled, isEnded: false)
            }
        }
    }

    private func finish(_ end: Int, isEnded: Bool) -> ArraySlice<UInt8> {
        number += 1
        self.isEnded = isEnded
        var line = buffer[start..<end]
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        if number == 1, line.starts(with: TextForm.byteOrderMark) { line.removeFirst(TextForm.byteOrderMark.count) }
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

    /// - Returns: `false` at the end of the file.
    private func fill() throws -> Bool {
        if start > 0 {
            buffer.removeSubrange(..<start)
            (searched, filled, start) = (searched - start, filled - start, 0)
        }
        if buffer.count - filled < Self.room {
            // Doubled, so that a long line costs linear time.
            buffer += [UInt8](repeating: 0, count: max(Self.room, buffer.count))
        }
        while true {
            let count = buffer.withUnsafeMutableBytes { bytes in
                read(descriptor, bytes.baseAddress.map { $0 + filled }, min(Self.room, bytes.count - filled))
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw SystemError.last }
            filled += count
            return count > 0
        }
    }
}
