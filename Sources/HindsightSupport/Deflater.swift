/// Compresses bytes in zlib's format, with the system's zlib.
package final class Deflater {
    private let library: Zlib
    private let stream = ZlibStream()
    private var output = [UInt8](repeating: 0, count: 1 << 16)

    /// Fails if the system has no zlib.
    package init?() {
        guard let library = Zlib.shared else { return nil }
        self.library = library
        guard library.beginDeflating(stream.memory, Self.level, "1", Int32(ZlibStream.size)) == 0 else { return nil }
    }

    deinit { _ = library.endDeflating(stream.memory) }

    /// Smaller than the levels below by a tenth, and quicker than those above.
    private static let level: Int32 = 6

    /// Compresses more bytes.
    ///
    /// - Parameters:
    ///   - isLast: Whether these are the last bytes.
    ///   - write: Takes the compressed bytes, as far as there are some.
    /// - Throws: `SystemError` if zlib fails; or what `write` throws.
    package func add(
        _ bytes: UnsafeBufferPointer<UInt8>,
        isLast: Bool,
        _ write: (ArraySlice<UInt8>) throws -> Void
    ) throws {
        stream.setInput(bytes)
        while true {
            let (result, count) = output.withUnsafeMutableBufferPointer { room in
                stream.setOutput(room)
                let result = library.deflate(stream.memory, isLast ? Zlib.finish : 0)
                return (result, room.count - stream.room)
            }
            if count > 0 { try write(output[..<count]) }
            guard result >= 0 || result == Zlib.noProgress && !isLast else {
                throw SystemError(number: EIO, "zlib failed with \(result)")
            }
            if isLast ? result == Zlib.streamEnd : stream.remaining == 0 && count < output.count { return }
        }
    }

    /// Compresses all of a message.
    ///
    /// - Throws: `SystemError` if the system has no zlib, or zlib fails.
    package static func deflate(_ message: [UInt8]) throws -> [UInt8] {
        guard let deflater = Deflater() else { throw SystemError(number: ENOENT, "the system has no zlib (libz)") }
        var result: [UInt8] = []
        try message.withUnsafeBufferPointer { bytes in
            try deflater.add(bytes, isLast: true) { result += $0 }
        }
        return result
    }
}
