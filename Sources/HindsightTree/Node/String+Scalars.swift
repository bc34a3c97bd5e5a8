extension String {
    /// Whether two strings have the same scalars. `String ==` is less exact: "é" equals "e" + U+0301.
    @usableFromInline
    package func hasSameScalars(as other: String) -> Bool {
        // The same storage, or the same short text, whatever the length.
        if isBitwiseEqual(self, other) { return true }
        return utf8.count == other.utf8.count && withBytes { left in other.withBytes { left.hasSameBytes(as: $0) } }
    }

    /// Whether this string comes before `other` in the canonical order: by scalars, which is by UTF-8 bytes.
    func precedesByScalars(_ other: String) -> Bool {
        order(byScalarsOf: other) < 0
    }

    /// Less than, equal to or more than 0 as this string comes before, equals or comes after `other`, by scalars.
    func order(byScalarsOf other: String) -> Int {
        withBytes { left in other.withBytes { left.order(byBytesOf: $0) } }
    }

    /// Feeds the scalars and an end mark into a hasher.
    func hashScalars(into hasher: inout Hasher) {
        withBytes { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        hasher.combine(0xFF as UInt8)
    }

    /// Calls `body` with the UTF-8 bytes. Copies them only if the string is not stored as UTF-8.
    func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) throws -> Result) rethrows -> Result {
        if let result = try utf8.withContiguousStorageIfAvailable(body) { return result }
        return try Array(utf8).withUnsafeBufferPointer(body)
    }
}

/// A key that is compared by scalars.
package struct ScalarKey: Hashable, Sendable {
    package let key: String

    package init(_ key: String) {
        self.key = key
    }

    package static func == (left: ScalarKey, right: ScalarKey) -> Bool {
        left.key.hasSameScalars(as: right.key)
    }

    package func hash(into hasher: inout Hasher) {
        key.hashScalars(into: &hasher)
    }
}
