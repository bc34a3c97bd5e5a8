extension String {
    /// Whether two strings are the same scalar by scalar. `String ==` is not: it takes "é" and "e" + U+0301 for equal.
    @usableFromInline
    package func hasSameScalars(as other: String) -> Bool {
        // The same storage, or the same few bytes in place: seen at once, however long the string is.
        if SameBits.areThe(self, other) { return true }
        return utf8.count == other.utf8.count && withBytes { left in other.withBytes { left.hasSameBytes(as: $0) } }
    }

    /// Whether this string comes first, scalar by scalar; in UTF-8 that is byte by byte.
    func precedesByScalars(_ other: String) -> Bool {
        order(byScalarsOf: other) < 0
    }

    /// Less than, equal to or more than 0 as this string comes before, at or after `other`, scalar by scalar.
    func order(byScalarsOf other: String) -> Int {
        withBytes { left in other.withBytes { left.order(byBytesOf: $0) } }
    }

    /// Feeds the scalars, and where the string ends, into a hasher.
    func hashScalars(into hasher: inout Hasher) {
        withBytes { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        hasher.combine(0xFF as UInt8)
    }

    /// Lends the UTF-8 bytes for the length of the call; copies them only where the string is not stored as UTF-8.
    func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) throws -> Result) rethrows -> Result {
        if let result = try utf8.withContiguousStorageIfAvailable(body) { return result }
        return try Array(utf8).withUnsafeBufferPointer(body)
    }
}
