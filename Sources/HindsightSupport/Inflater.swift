/// Decompresses messages in zlib's format, with the system's zlib.
package enum Inflater {
    /// Decompresses a message.
    ///
    /// - Parameter limit: The largest number of bytes that it may have. A hostile message of a few bytes can have
    ///   gigabytes.
    /// - Returns: `nil` if the message is not whole and sound, has bytes after its end, or is larger than the limit.
    /// - Throws: `SystemError` if the system has no zlib.
    package static func inflate(_ message: [UInt8], limit: Int) throws(SystemError) -> [UInt8]? {
        guard let library = Zlib.shared else { throw SystemError(number: ENOENT, "the system has no zlib (libz)") }
        let stream = ZlibStream()
        guard library.beginInflating(stream.memory, "1", Int32(ZlibStream.size)) == 0 else { return nil }
        defer { _ = library.endInflating(stream.memory) }
        return message.withUnsafeBufferPointer { bytes in
            stream.setInput(bytes)
            var (result, room) = ([UInt8](), [UInt8](repeating: 0, count: 1 << 18))
            while true {
                let (code, count) = room.withUnsafeMutableBufferPointer { room in
                    stream.setOutput(room)
                    let code = library.inflate(stream.memory, 0)
                    return (code, room.count - stream.room)
                }
                guard result.count + count <= limit else { return nil }
                result += room[..<count]
                if code == Zlib.streamEnd { return stream.remaining == 0 ? result : nil }
                guard code == 0, count > 0 || stream.remaining > 0 else { return nil }
            }
        }
    }
}
