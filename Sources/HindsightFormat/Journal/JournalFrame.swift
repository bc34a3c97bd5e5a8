/// The frame of each record in a journal: two words, then the record's bytes, padded with zeros to whole words.
///
/// The first word has the record's size and kind. The second is a checksum of everything, including the record's
/// *offset*. Offsets count from the journal's beginning, and continue to grow when the ring wraps around. A record from
/// an earlier round therefore never passes for a current one.
package struct JournalFrame: Equatable {
    package enum Kind: UInt64 {
        case action = 1
        case done = 2
        /// No record: the rest of the ring was too short for the next one.
        case skip = 3
        /// A note of the app. It stands within a skip, so that versions that do not know notes pass over it.
        case note = 4
    }

    /// The size of the two words in bytes.
    package static let size = 16

    /// The size of the longest record for an action's end: two numbers of ten bytes.
    package static let maxDoneSize = size + filled(20)

    package var kind: Kind
    /// The size of the record without frame and padding.
    package var count: Int

    /// The size of the record with frame and padding.
    package var total: Int { Self.size + Self.filled(count) }

    package static func filled(_ count: Int) -> Int { (count + 7) & ~7 }

    package var word: UInt64 { UInt64(count) | kind.rawValue << 48 }

    package init(_ kind: Kind, count: Int) {
        self.kind = kind
        self.count = count
    }

    package init?(word: UInt64) {
        guard let kind = Kind(rawValue: word >> 48) else { return nil }
        self.kind = kind
        count = Int(word & (1 << 48 - 1))
    }

    /// The checksum of a record. It detects torn writes and old records, not forgeries.
    package func checksum(at offset: UInt64, _ bytes: UnsafeRawBufferPointer) -> UInt64 {
        var sum = Checksum()
        sum.add(offset)
        // The word has the number of bytes.
        sum.add(word)
        sum.add(bytes)
        return sum.value
    }

    /// Returns the offset at which a record with these bytes has this checksum. Damage gives a random number.
    package func offset(withChecksum sum: UInt64, _ bytes: UnsafeRawBufferPointer) -> UInt64 {
        let start = Checksum.before(Checksum.before(sum, adding: bytes), adding: word)
        return Checksum.before(start, adding: 0) ^ Checksum().value
    }
}

/// Computes where records go in a ring of bytes.
package struct JournalRing {
    /// The size of the ring, a multiple of eight.
    package var capacity: Int
    /// The offset of the next record.
    package var head: UInt64 = 0

    package init(capacity: Int, head: UInt64 = 0) {
        self.capacity = capacity
        self.head = head
    }

    /// The place of a record.
    package struct Place {
        /// The offset and length of a skip before the record, if the end of the ring is too short for it.
        package var skip: (offset: UInt64, count: Int)?
        package var offset: UInt64
    }

    /// Finds the place for a record, and advances past it; `nil` if there is no room before `tail`, the offset of the
    /// oldest record that is still needed. Leaves `spare` bytes for the record after it.
    package mutating func place(_ frame: JournalFrame, tail: UInt64, spare: Int = 0) -> Place? {
        let rest = capacity - Int(head % UInt64(capacity))
        let skip = rest < frame.total ? rest : 0
        let end = head + UInt64(skip + frame.total)
        guard frame.total <= capacity, end - tail + UInt64(spare) <= UInt64(capacity) else { return nil }
        let place = Place(
            skip: skip >= JournalFrame.size ? (head, skip - JournalFrame.size) : nil,
            offset: head + UInt64(skip)
        )
        head = end
        return place
    }
}
