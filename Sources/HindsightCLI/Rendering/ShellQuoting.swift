/// Words of a suggested command as a POSIX shell reads them, so that the command can be pasted.
enum ShellQuoting {
    /// The word as it is where a shell takes it so, otherwise in single quotes.
    static func quote(_ word: String) -> String {
        let isPlain = !word.isEmpty && word.utf8.allSatisfy { plain.contains($0) }
        return isPlain
            ? word : "'" + word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }

    private static let plain = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:,+@%=".utf8)
}
