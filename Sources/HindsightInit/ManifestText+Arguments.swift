extension ManifestText {
    /// Where the brackets of an argument of `Package(…)` open and close.
    ///
    /// - Returns: `nil` if the manifest has no call of `Package`, or the argument is no array literal.
    func array(of label: String) -> (open: Int, close: Int)? {
        guard let value = value(of: label), value < bytes.count, bytes[value] == UInt8(ascii: "["),
            let close = closing(of: value)
        else { return nil }
        return (value, close)
    }

    /// Whether the call of `Package` has an argument.
    func hasArgument(_ label: String) -> Bool { value(of: label) != nil }

    /// Where the value of an argument of `Package(…)` begins.
    private func value(of label: String) -> Int? {
        var place = 0
        while place < bytes.count {
            if let end = endOfStringOrComment(at: place) {
                place = end
            } else if let end = wordEnd(at: place) {
                let next = code(from: end)
                if bytes[place..<end].elementsEqual("Package".utf8), hasText("(", at: next) {
                    return argument(label, in: next)
                }
                place = end
            } else {
                place += 1
            }
        }
        return nil
    }

    private func argument(_ label: String, in open: Int) -> Int? {
        guard let close = closing(of: open) else { return nil }
        var place = open + 1
        while place < close {
            if let end = endOfStringOrComment(at: place) {
                place = end
            } else if let end = wordEnd(at: place) {
                let next = code(from: end)
                if bytes[place..<end].elementsEqual(label.utf8), hasText(":", at: next) { return code(from: next + 1) }
                place = end
            } else if hasText("(", at: place) || hasText("[", at: place) || hasText("{", at: place),
                let end = closing(of: place)
            {
                place = end + 1
            } else {
                place += 1
            }
        }
        return nil
    }

    /// The place after the word that begins at `place`; `nil` if none begins there.
    private func wordEnd(at place: Int) -> Int? {
        let count = bytes[place...].prefix { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), 0x80...:
                true
            default: false
            }
        }.count
        return count == 0 ? nil : place + count
    }

    /// The first place from `place` on that is neither white space nor a comment.
    private func code(from place: Int) -> Int {
        var place = place
        while place < bytes.count {
            if let end = commentEnd(at: place) {
                place = end
            } else if Self.isSpace(bytes[place]) {
                place += 1
            } else {
                break
            }
        }
        return place
    }
}
