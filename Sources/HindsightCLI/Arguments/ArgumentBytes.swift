import HindsightSupport

/// The arguments of the process as bytes. Swift replaces invalid UTF-8, and the result would name another file.
enum ArgumentBytes {
    /// The first argument that is not valid UTF-8, in the shell's `$'…'` notation; `nil` if all are valid.
    ///
    /// Sound: the arguments are NUL-terminated, and live as long as the process.
    static var invalid: String? {
        for index in 0..<Int(CommandLine.argc) {
            guard let bytes = CommandLine.unsafeArgv[index], String(validatingCString: bytes) == nil else { continue }
            return ShellQuoting.ansiC(UnsafeRawBufferPointer(start: bytes, count: strlen(bytes)))
        }
        return nil
    }
}
