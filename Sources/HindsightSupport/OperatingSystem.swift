/// The system that this process runs on.
package enum OperatingSystem {
    /// The system, its release and the machine, from `uname`: `Linux 6.1.0 x86_64`.
    package static var description: String {
        var system = utsname()
        guard uname(&system) == 0 else { return "unknown" }
        return [text(of: system.sysname), text(of: system.release), text(of: system.machine)].joined(separator: " ")
    }

    /// The characters of a C array, which Swift imports as a tuple, up to its NUL.
    private static func text<Characters: BitwiseCopyable>(of characters: Characters) -> String {
        withUnsafeBytes(of: characters) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
}
