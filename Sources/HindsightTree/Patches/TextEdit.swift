/// A change in a run of bytes, and how to find it.
struct TextEdit: Equatable {
    /// What goes, counted in the old bytes.
    var remove: Range<Int>
    /// What comes, counted in the new bytes. Its lower bound is where the edit applies, when those before it have.
    var insert: Range<Int>

    var at: Int { insert.lowerBound }

    /// Where an edit may begin and end.
    enum Unit {
        /// Between any two bytes.
        case bytes
        /// Between Unicode scalars of UTF-8.
        case scalars
    }

    /// The edits that lead from old to new, in ascending order.
    ///
    /// The common beginning and end are left out at the speed of memory. Where much is left on both sides it is cut
    /// into lines (long ones, and data, into pieces that end where the content says so), which are aligned; so a change
    /// in two places costs the two places.
    ///
    /// Costs one pass over both, a second one over what is left, and what ``Alignment`` costs over its pieces.
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

    /// How much must be left on both sides for it to be cut into pieces.
    private static let longMiddle = 256
    /// What lies between two edits and is shorter than this costs less than an operation of its own.
    private static let worthwhileGap = 32

    /// An edit without what is the same at its beginning and end; `nil` where nothing is left.
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

/// A run of bytes cut into pieces at places that depend only on the bytes just before them, so that equal text is cut
/// equally wherever it stands.
private struct TextChunks {
    /// Where each piece begins, and where the last one ends.
    private var bounds: [Int]
    private(set) var hashes: [UInt64] = []

    var count: Int { hashes.count }

    /// Pieces end after a line feed, and in what has none for ``patience`` bytes, one time in 64 after a byte, as the
    /// sixteen bytes before decide.
    init(of text: UnsafeBufferPointer<UInt8>, in range: Range<Int>, _ unit: TextEdit.Unit) {
        bounds = [range.lowerBound]
        var hash: UInt64 = 0
        var window: UInt64 = 0
        var start = range.lowerBound
        for at in range {
            let byte = text[at]
            hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3
            // A byte's trace is shifted out of the bits that are looked at sixteen bytes later.
            window = window &<< 1 &+ (UInt64(byte) &* 0x9E37_79B9_7F4A_7C15) >> 48
            let isEnd =
                byte == UInt8(ascii: "\n") || (at - start >= Self.patience && window & 0xFC00 == 0)
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

    func bytes(_ pieces: Range<Int>) -> Range<Int> {
        bounds[pieces.lowerBound]..<bounds[pieces.upperBound]
    }

    private static let patience = 64
}
