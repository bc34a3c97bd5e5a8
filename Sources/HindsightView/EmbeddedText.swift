import Foundation
import HindsightSupport
import HindsightTree

/// The text of a recording on its way into a page: deflated, if the system has zlib, in a temporary file without a name.
///
/// Its size stands before it in the page, so all of it must be there before the page is written.
final class EmbeddedText {
    /// The bytes of the text itself.
    private(set) var count = 0
    private let descriptor: Int32
    private let deflater: Deflater?
    private var buffer: [UInt8] = []

    private static let bufferSize = 1 << 16
    /// A multiple of three bytes, which become four characters.
    private static let sliceSize = 3 << 14

    /// - Throws: `SystemError` if the file cannot be created.
    init(deflates: Bool = true) throws(SystemError) {
        deflater = deflates ? Deflater() : nil
        var template = Array((FileManager.default.temporaryDirectory.path + "/hindsight-XXXXXX").utf8CString)
        descriptor = mkstemp(&template)
        guard descriptor >= 0 else { throw .last }
        unlink(template)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// The value of `data-encoding`.
    var encoding: String { deflater == nil ? "none" : "deflate" }

    func add(_ line: String) throws {
        buffer += line.utf8
        count += line.utf8.count
        if buffer.count >= Self.bufferSize { try flush(isLast: false) }
    }

    func finish() throws { try flush(isLast: true) }

    private func flush(isLast: Bool) throws {
        if let deflater {
            try buffer.withUnsafeBufferPointer { try deflater.add($0, isLast: isLast, store) }
        } else {
            try store(buffer[...])
        }
        buffer.removeAll(keepingCapacity: true)
    }

    private func store(_ bytes: ArraySlice<UInt8>) throws { try FileSystem.writeAll(bytes, to: descriptor) }

    /// Passes what was stored to `write` as base64, in slices.
    func writeBase64(_ write: (String) throws -> Void) throws {
        var (offset, isAtEnd) = (0, false)
        while !isAtEnd {
            let slice = try FileSystem.bytes(of: descriptor, at: offset, count: Self.sliceSize)
            isAtEnd = slice.count < Self.sliceSize
            offset += slice.count
            var text: [UInt8] = []
            Base64.encode(slice, into: &text)
            try write(String(decoding: text, as: UTF8.self))
        }
    }
}
