import HindsightSupport

/// The process's arguments as bytes. Swift repairs one that is not valid UTF-8, and the result names another file.
enum ArgumentBytes {
    /// The first argument that is not valid UTF-8, as a shell's `$'…'` takes it; `nil` if all are valid.
    ///
    /// Sound: the system keeps the arguments, each up to a zero byte, as long as the process lives.
    static var invalid: String? {
        for index in 0..<Int(CommandLine.argc) {
            guard let bytes = CommandLine.unsafeArgv[index], String(validatingCString: bytes) == nil else { continue }
            return ShellQuoting.ansiC(UnsafeRawBufferPointer(start: bytes, count: strlen(bytes)))
        }
        return nil
    }
}
