extension String {
    /// Whether two strings are the same scalar by scalar. `String ==` is not: it takes "é" and "e" + U+0301 for equal.
    @inlinable
    func hasSameScalars(as other: String) -> Bool {
        utf8.elementsEqual(other.utf8)
    }

    /// Feeds the scalars, and where the string ends, into a hasher.
    func hashScalars(into hasher: inout Hasher) {
        var copy = self
        copy.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        hasher.combine(0xFF as UInt8)
    }
}
