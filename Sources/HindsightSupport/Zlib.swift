/// The functions of the system's zlib, which is loaded at run time, so that building needs no header of it.
struct Zlib: Sendable {
    typealias Begin = @convention(c) (UnsafeMutableRawPointer, Int32, UnsafePointer<CChar>, Int32) -> Int32
    typealias BeginInflating = @convention(c) (UnsafeMutableRawPointer, UnsafePointer<CChar>, Int32) -> Int32
    typealias Run = @convention(c) (UnsafeMutableRawPointer, Int32) -> Int32
    typealias End = @convention(c) (UnsafeMutableRawPointer) -> Int32

    let beginDeflating: Begin
    let deflate: Run
    let endDeflating: End
    let beginInflating: BeginInflating
    let inflate: Run
    let endInflating: End

    static let finish: Int32 = 4
    static let streamEnd: Int32 = 1
    /// There was nothing to do, as after a call that just filled the room.
    static let noProgress: Int32 = -5

    /// `nil` if the system has no zlib.
    static let shared: Zlib? = {
        guard let library = dlopen(SystemFiles.zlib, RTLD_NOW | RTLD_LOCAL),
            let beginDeflating = dlsym(library, "deflateInit_"),
            let deflate = dlsym(library, "deflate"), let endDeflating = dlsym(library, "deflateEnd"),
            let beginInflating = dlsym(library, "inflateInit_"), let inflate = dlsym(library, "inflate"),
            let endInflating = dlsym(library, "inflateEnd")
        else { return nil }
        // These are zlib's signatures, which have stayed the same since version 1.0.
        return Zlib(
            beginDeflating: unsafeBitCast(beginDeflating, to: Begin.self),
            deflate: unsafeBitCast(deflate, to: Run.self),
            endDeflating: unsafeBitCast(endDeflating, to: End.self),
            beginInflating: unsafeBitCast(beginInflating, to: BeginInflating.self),
            inflate: unsafeBitCast(inflate, to: Run.self),
            endInflating: unsafeBitCast(endInflating, to: End.self)
        )
    }()
}

/// The `z_stream` of zlib's `zlib.h`, as memory. Its layout is fixed, and zlib checks the size that it is given.
///
/// Each of its members takes a word: pointers, `unsigned long` and padded `unsigned int` do on all platforms.
final class ZlibStream {
    let memory: UnsafeMutableRawPointer

    private static let word = MemoryLayout<UInt>.size
    static let size = 14 * word

    init() {
        memory = .allocate(byteCount: Self.size, alignment: Self.word)
        memory.initializeMemory(as: UInt8.self, repeating: 0, count: Self.size)
    }

    deinit { memory.deallocate() }

    func setInput(_ bytes: UnsafeBufferPointer<UInt8>) {
        memory.storeBytes(of: bytes.baseAddress, as: UnsafePointer<UInt8>?.self)
        memory.storeBytes(of: UInt32(bytes.count), toByteOffset: Self.word, as: UInt32.self)
    }

    func setOutput(_ room: UnsafeMutableBufferPointer<UInt8>) {
        memory.storeBytes(of: room.baseAddress, toByteOffset: 3 * Self.word, as: UnsafeMutablePointer<UInt8>?.self)
        memory.storeBytes(of: UInt32(room.count), toByteOffset: 4 * Self.word, as: UInt32.self)
    }

    /// The number of bytes of the input that remain.
    var remaining: Int { Int(memory.load(fromByteOffset: Self.word, as: UInt32.self)) }
    /// The number of bytes of the room that remain.
    var room: Int { Int(memory.load(fromByteOffset: 4 * Self.word, as: UInt32.self)) }
}
