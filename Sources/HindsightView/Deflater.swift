import CPage
import HindsightSupport

/// Compresses bytes in zlib's format, with the system's zlib, which is loaded at run time.
final class Deflater {
    private let library: Library
    private var stream = hindsight_z_stream()
    private var output = [UInt8](repeating: 0, count: 1 << 16)

    /// Fails if the system has no zlib.
    init?() {
        guard let library = Library.shared else { return nil }
        self.library = library
        let size = Int32(MemoryLayout<hindsight_z_stream>.size)
        guard library.begin(&stream, Self.level, "1", size) == 0 else { return nil }
    }

    deinit { _ = library.end(&stream) }

    /// Smaller than the levels below by a tenth, and quicker than those above.
    private static let level: Int32 = 6
    private static let finish: Int32 = 4
    private static let streamEnd: Int32 = 1
    /// There was nothing to do, as after a call that just filled the room.
    private static let noProgress: Int32 = -5

    /// Compresses more bytes.
    ///
    /// - Parameters:
    ///   - isLast: Whether these are the last bytes.
    ///   - write: Takes the compressed bytes, as far as there are some.
    /// - Throws: `SystemError` if zlib fails; or what `write` throws.
    func add(_ bytes: UnsafeBufferPointer<UInt8>, isLast: Bool, _ write: (ArraySlice<UInt8>) throws -> Void) throws {
        stream.next_in = bytes.baseAddress
        stream.avail_in = UInt32(bytes.count)
        while true {
            let (result, count) = output.withUnsafeMutableBufferPointer { room in
                stream.next_out = room.baseAddress
                stream.avail_out = UInt32(room.count)
                let result = library.deflate(&stream, isLast ? Self.finish : 0)
                return (result, room.count - Int(stream.avail_out))
            }
            if count > 0 { try write(output[..<count]) }
            guard result >= 0 || result == Self.noProgress && !isLast else {
                throw SystemError(number: EIO, "zlib failed with \(result)")
            }
            if isLast ? result == Self.streamEnd : stream.avail_in == 0 && count < output.count { return }
        }
    }
}

/// The functions of zlib.
private struct Library: Sendable {
    typealias Stream = UnsafeMutablePointer<hindsight_z_stream>

    let begin: @convention(c) (Stream, Int32, UnsafePointer<CChar>, Int32) -> Int32
    let deflate: @convention(c) (Stream, Int32) -> Int32
    let end: @convention(c) (Stream) -> Int32

    /// `nil` if the system has no zlib.
    static let shared: Library? = {
        #if canImport(Darwin)
            let name = "/usr/lib/libz.1.dylib"
        #else
            let name = "libz.so.1"
        #endif
        guard let library = dlopen(name, RTLD_NOW | RTLD_LOCAL), let begin = dlsym(library, "deflateInit_"),
            let deflate = dlsym(library, "deflate"), let end = dlsym(library, "deflateEnd")
        else { return nil }
        // These are zlib's signatures, which have stayed the same since version 1.0.
        return Library(
            begin: unsafeBitCast(
                begin,
                to: (@convention(c) (Stream, Int32, UnsafePointer<CChar>, Int32) -> Int32).self
            ),
            deflate: unsafeBitCast(deflate, to: (@convention(c) (Stream, Int32) -> Int32).self),
            end: unsafeBitCast(end, to: (@convention(c) (Stream) -> Int32).self)
        )
    }()
}
