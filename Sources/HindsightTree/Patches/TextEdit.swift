/// A change of a run of bytes.
struct TextEdit: Equatable {
    /// The range that is removed, in the old bytes.
    var remove: Range<Int>
    /// The range that is inserted, in the new bytes. The edit applies at its lower bound, after the edits before it.
    var insert: Range<Int>

    var at: Int { insert.lowerBound }

    /// The boundaries at which an edit may start and end.
    enum Unit {
        /// Between any two bytes.
        case bytes
        /// Between Unicode scalars of UTF-8.
        case scalars
    }

    /// The edits that lead from old to new, in ascending order.
    ///
    /// Skips the common ends at memory speed. If both sides still have much left, aligns the rest in chunks: lines, or
    /// content-defined chunks of long lines and data. So changes in two places become two edits.
    ///
    /// Costs one pass over both, a second one over the rest, and what ``Alignment`` costs over the chunks.
    static func edits(
        from old: UnsafeBufferPointer<UInt8>,
        to new: UnsafeBufferPointer<UInt8>,
        unit: Unit
    ) -> [TextEdit] {
        guard let whole = trimmed(TextEdit(remove: 0..<old.count, insert: 0..<new.count), old, new, unit) else {
            return []
        }
        guard min(whole.remove.count, whole.insert.count) >= longMiddle else { return [whole] }
        let oldChunks = TextChunks(of: old, in: whole.remove, unit)
        let newChunks = TextChunks(of: new, in: whole.insert, unit)
        let hunks = Alignment.hunks(oldChunks.count, newChunks.count) { left, right in
            oldChunks.hashes[left] == newChunks.hashes[right]
                && old.part(oldChunks.bytes(left..<left + 1)).hasSameBytes(
                    as: new.part(newChunks.bytes(right..<right + 1))
                )
        }
        var edits: [TextEdit] = []
        for hunk in hunks {
            let edit = TextEdit(remove: oldChunks.bytes(hunk.old), insert: newChunks.bytes(hunk.new))
            guard let edit = trimmed(edit, old, new, unit) else { continue }
            if let last = edits.last, edit.remove.lowerBound - last.remove.upperBound < worthwhileGap {
                edits[edits.count - 1].remove = last.remove.lowerBound..<edit.remove.upperBound
                edits[edits.count - 1].insert = last.insert.lowerBound..<edit.insert.upperBound
            } else {
                edits.append(edit)
            }
        }
        return edits
    }

    /// The least number of bytes on both sides that is cut into chunks.
    private static let longMiddle = 256
    /// Two edits with fewer bytes between them are joined: a second operation would be longer.
    private static let worthwhileGap = 32

    /// An edit without the common ends of both sides; `nil` if nothing is left.
    private static func trimmed(
        _ edit: TextEdit,
        _ old: UnsafeBufferPointer<UInt8>,
        _ new: UnsafeBufferPointer<UInt8>,
        _ unit: Unit
    ) -> TextEdit? {
        let left = old.part(edit.remove)
        let right = new.part(edit.insert)
        var prefix = left.commonPrefix(with: right)
        if prefix == left.count, prefix == right.count { return nil }
        if unit == .scalars {
            while prefix > 0, left.isInsideScalar(at: prefix) || right.isInsideScalar(at: prefix) { prefix -= 1 }
        }
        var suffix = left.commonSuffix(with: right, atMost: min(left.count, right.count) - prefix)
        if unit == .scalars {
            while suffix > 0, left.isInsideScalar(at: left.count - suffix) { suffix -= 1 }
        }
        return TextEdit(
            remove: (edit.remove.lowerBound + prefix)..<(edit.remove.upperBound - suffix),
            insert: (edit.insert.lowerBound + prefix)..<(edit.insert.upperBound - suffix)
        )
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// Whether the byte at `offset` continues a scalar of UTF-8.
    @inline(__always)
    fileprivate func isInsideScalar(at offset: Int) -> Bool {
        offset < count && self[offset] & 0xC0 == 0x80
    }
}

/// A run of bytes, cut into chunks at places that depend only on the bytes before them: equal text is cut alike
/// wherever it is.
private struct TextChunks {
    /// The offset of each chunk, and the end of the last one.
    private var bounds: [Int]
    private(set) var hashes: [UInt64] = []

    var count: Int { hashes.count }

    /// A chunk ends after a line feed. From ``minLength`` bytes on, it also ends after one byte in 64, which the
    /// sixteen bytes before it decide.
    init(of text: UnsafeBufferPointer<UInt8>, in range: Range<Int>, _ unit: TextEdit.Unit) {
        bounds = [range.lowerBound]
        var hash: UInt64 = 0
        var window: UInt64 = 0
        var start = range.lowerBound
        for at in range {
            let byte = text[at]
            hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3
            // Sixteen bytes later, a byte no longer affects the bits that are tested.
            window = window &<< 1 &+ (UInt64(byte) &* 0x9E37_79B9_7F4A_7C15) >> 48
            let isEnd =
                byte == UInt8(ascii: "\n") || (at - start >= Self.minLength && window & 0xFC00 == 0)
                || at + 1 == range.upperBound
            let isWhole = unit == .bytes || at + 1 == range.upperBound || text[at + 1] & 0xC0 != 0x80
            if isEnd && isWhole {
                bounds.append(at + 1)
                hashes.append(hash)
                hash = 0
                start = at + 1
            }
        }
    }

    func bytes(_ chunks: Range<Int>) -> Range<Int> {
        bounds[chunks.lowerBound]..<bounds[chunks.upperBound]
    }

    private static let minLength = 64
}
