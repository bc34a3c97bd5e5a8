/// The layout of a journal's file.
package enum JournalLayout {
    /// The first eight bytes: "HSTAHEAD".
    package static let magic: UInt64 = 0x4441_4548_4154_5348
    package static let version: UInt64 = 1

    /// The largest size of a ring up to a number of bytes: it consists of words.
    package static func wholeWords(_ bytes: Int) -> Int { bytes & ~7 }

    package static let versionOffset = 8
    /// The ``words(ofID:)`` of the recording; zeros in the journal of a recorder that did not write them.
    package static let idOffset = 16
    package static let idWords = 3
    package static let markOffset = 64
    /// Beside the mark, so that both are on the disk or neither is.
    package static let phaseOffset = 72
    /// 1 if the process has called `exit`.
    package static let exitOffset = 80
    /// The dispatching thread.
    package static let threadOffset = 88
    package static let tailOffset = 128
    package static let begunOffset = 192
    /// Two places for a ``PhaseMark/Entry``: the parent, the line, the number of bytes, and the bytes of the file's
    /// name.
    package static let entryOffset = 512
    package static let entrySize = 256
    /// The ``CrashRecord``.
    package static let crashOffset = 1024
    /// The number of bytes before the ring.
    package static let head = 4096

    /// A recording's UUID as two words, and their checksum; `nil` if it is not a UUID.
    package static func words(ofID id: String) -> [UInt64]? {
        let digits = id.filter { $0 != "-" }
        guard digits.utf8.count == 32, let high = UInt64(digits.prefix(16), radix: 16),
            let low = UInt64(digits.suffix(16), radix: 16)
        else { return nil }
        return [high, low, checksum(high, low)]
    }

    /// The UUID of ``words(ofID:)``, in lower case; `nil` if their checksum is not right.
    package static func id(of words: [UInt64]) -> String? {
        guard words.count == idWords, words[2] == checksum(words[0], words[1]) else { return nil }
        let digits = words.prefix(2).map { word in
            let digits = String(word, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
        var id = ""
        for (index, digit) in digits.enumerated() {
            if [8, 12, 16, 20].contains(index) { id += "-" }
            id.append(digit)
        }
        return id
    }

    private static func checksum(_ high: UInt64, _ low: UInt64) -> UInt64 {
        var sum = Checksum()
        sum.add(high)
        sum.add(low)
        return sum.value
    }
}
