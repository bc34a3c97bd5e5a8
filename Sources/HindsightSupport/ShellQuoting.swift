/// Quotes words for a POSIX shell, for the commands that messages suggest.
package enum ShellQuoting {
    /// The word unchanged if it needs no quotes, otherwise in single quotes, or, if it has control characters, as
    /// `$'…'`, which bash, zsh and ksh read.
    ///
    /// - Parameter isPath: Whether the word is a file's path. One that begins with `-` would be parsed as an option, so
    ///   `./` comes before it.
    package static func quote(_ word: String, isPath: Bool = true) -> String {
        let word = isPath && word.utf8.first == UInt8(ascii: "-") ? "./" + word : word
        if !word.isEmpty, word.unicodeScalars.allSatisfy(isPlain) { return word }
        guard escape(word) == word else { return ansiC(word.utf8) }
        return "'\(word.replacingScalars("'", with: "'\\''"))'"
    }

    /// A command to paste, within a sentence: in single quotes, or in typographic ones if it has single quotes itself.
    package static func command(_ words: String...) -> String {
        let line = words.joined(separator: " ")
        return line.containsScalars("'") ? "“\(line)”" : "'\(line)'"
    }

    /// Bytes in ANSI-C quoting: `$'a\x1b'`.
    package static func ansiC(_ bytes: some Sequence<UInt8>) -> String {
        let inner = bytes.reduce(into: "") { text, byte in
            switch byte {
            case UInt8(ascii: "'"), UInt8(ascii: "\\"): text += "\\" + String(UnicodeScalar(byte))
            case 0x20..<0x7F: text += String(UnicodeScalar(byte))
            default: text += "\\x" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
            }
        }
        return "$'\(inner)'"
    }

    private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9", "_", "-", ".", "/", ",", ":", "+", "@", "%": true
        default: scalar.value >= 0x80 && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
        }
    }
}
