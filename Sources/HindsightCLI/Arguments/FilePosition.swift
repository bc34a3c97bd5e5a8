/// A position in a recording as one word: `FILE:P`.
struct FilePosition {
    let file: String
    let position: String

    /// Splits a word after the longest path that exists, because a file name may contain colons; `nil` if none exists.
    init?(_ word: String, exists: (String) -> Bool) {
        let colon = word.indices.reversed().first { word[$0] == ":" && exists(String(word[..<$0])) }
        guard let colon else { return nil }
        (file, position) = (String(word[..<colon]), String(word[word.index(after: colon)...]))
    }
}
