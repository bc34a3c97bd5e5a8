#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The process's arguments as bytes: where one is not valid UTF-8, what Swift makes of it names another file.
enum ArgumentBytes {
    /// The first argument that is not valid UTF-8, as a shell's `$'…'` takes it; `nil` where all are.
    ///
    /// Sound: the system keeps the arguments, each up to a zero byte, as long as the process lives.
    static var invalid: String? {
        for index in 0..<Int(CommandLine.argc) {
            guard let bytes = CommandLine.unsafeArgv[index], String(validatingCString: bytes) == nil else { continue }
            return "$'\(shown(UnsafeRawBufferPointer(start: bytes, count: strlen(bytes))))'"
        }
        return nil
    }

    static func shown(_ bytes: some Sequence<UInt8>) -> String {
        bytes.reduce(into: "") { text, byte in
            switch byte {
            case UInt8(ascii: "'"), UInt8(ascii: "\\"): text += "\\" + String(UnicodeScalar(byte))
            case 0x20..<0x7F: text += String(UnicodeScalar(byte))
            default: text += "\\x" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
            }
        }
    }
}
