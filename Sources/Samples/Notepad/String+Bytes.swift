extension String {
    /// The range of `count` UTF-8 bytes from offset `at` on; `nil` if it is not within the string, or begins or ends
    /// inside a scalar.
    ///
    /// Takes constant time for a native string.
    func scalarRange(at: Int, count: Int) -> Range<Index>? {
        let length = utf8.count
        guard at >= 0, count >= 0, at <= length, count <= length - at else { return nil }
        let lower = utf8.index(utf8.startIndex, offsetBy: at)
        let upper = utf8.index(lower, offsetBy: count)
        guard beginsScalar(at: lower), beginsScalar(at: upper) else { return nil }
        return lower..<upper
    }

    private func beginsScalar(at index: Index) -> Bool {
        index == utf8.endIndex || utf8[index] & 0b1100_0000 != 0b1000_0000
    }
}

extension Collection<UInt8> {
    /// The number of newlines.
    var newlines: Int {
        reduce(into: 0) { count, byte in
            if byte == UInt8(ascii: "\n") { count += 1 }
        }
    }
}
