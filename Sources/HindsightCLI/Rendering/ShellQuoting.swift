/// Words as a POSIX shell takes them, for the commands that messages suggest.
enum ShellQuoting {
    /// The word as it is where a shell takes it for itself; else in single quotes; with control characters as `$'…'`, which
    /// bash, zsh and ksh read.
    static func quote(_ word: String) -> String {
        // As an argument it would be an option.
        let word = word.hasPrefix("-") ? "./" + word : word
        if !word.isEmpty, word.unicodeScalars.allSatisfy(isPlain) { return word }
        guard escape(word) == word else { return "$'\(ArgumentBytes.shown(word.utf8))'" }
        return "'" + word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }

    /// A command that can be pasted, in a sentence: in single quotes, or where it has some itself, in typographic ones.
    static func command(_ words: String...) -> String {
        let line = words.joined(separator: " ")
        return line.contains("'") ? "“\(line)”" : "'\(line)'"
    }

    private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9", "_", "-", ".", "/", ",", ":", "+", "@", "%": true
        default: scalar.value >= 0x80 && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
        }
    }
}
