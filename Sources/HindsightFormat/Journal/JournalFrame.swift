/// The frame around each record of a journal: two words, and then the record's bytes, filled up with zeros to words.
///
/// The first word has the number of bytes and the record's kind, the second a checksum of it all and of the record's
/// *offset*. Offsets count from the journal's beginning and go on growing where the ring begins anew; so what is left of
/// an earlier round is never taken for a record.
package struct JournalFrame: Equatable {
    package enum Kind: UInt64 {
        case action = 1
        case done = 2
        /// Nothing: the rest of the ring was too short for the next record.
        case skip = 3
    }

    /// Bytes of the two words.
    package static let size = 16

    /// Bytes that the longest record of an action's end takes: two numbers of ten bytes.
    package static let longestDone = size + filled(20)

    package var kind: Kind
    /// The record's bytes, without frame and filling.
    package var count: Int

    /// Bytes that the record takes with frame and filling.
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

    /// The checksum of a record. Against torn writes and old records, not against forgers.
    package func checksum(at offset: UInt64, _ bytes: UnsafeRawBufferPointer) -> UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        func mix(_ word: UInt64) {
            hash = (hash ^ word) &* 0x9E37_79B9_7F4A_7C15
            hash ^= hash >> 29
        }
        mix(offset)
        mix(word)
        var at = 0
        while at + 8 <= bytes.count {
            mix(UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: at, as: UInt64.self)))
            at += 8
        }
        var last: UInt64 = 0
        while at < bytes.count {
            last = last << 8 | UInt64(bytes[at])
            at += 1
        }
        mix(last)
        return hash
    }
}

/// Where records stand in a ring of bytes.
package struct JournalRing {
    /// A multiple of eight.
    package var capacity: Int
    /// The offset at which the next record begins.
    package var head: UInt64 = 0

    package init(capacity: Int, head: UInt64 = 0) {
        self.capacity = capacity
        self.head = head
    }

    /// Where a record goes.
    package struct Place {
        /// The offset of a skip before it, and that one's length, where the ring's end is too short for the record.
        package var skip: (offset: UInt64, count: Int)?
        package var offset: UInt64
    }

    /// Finds the place for a record and moves on behind it; `nil` where there is none before `tail`, the offset of the
    /// oldest record that is still needed. So much as `spare` says is left for the record after it.
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
