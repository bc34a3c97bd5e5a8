@testable import HindsightFormat
@testable import HindsightRecorder
@testable import HindsightRecording

extension FuzzTarget {
    /// The journal of a dead process: the records of any ring can be written again and are the same.
    ///
    /// The first eight bytes are the offset of the oldest record, the others the ring. If the ninth byte is odd, the
    /// target first corrects the checksums, so that the fuzzer gets past them.
    static let journal = FuzzTarget(name: "journal") { bytes in
        guard bytes.count > 8 else { return }
        let tail = UInt64(littleEndian: UnsafeRawBufferPointer(bytes).loadUnaligned(as: UInt64.self))
        var ring = Array(bytes.dropFirst(8))
        ring.removeLast(ring.count % 8)
        if bytes[8] & 1 == 1, !ring.isEmpty {
            // A separate buffer, so that the offset can have any value.
            ring[0] &= ~1
            seal(&ring, from: tail)
        }
        let contents = JournalContents(ring: ring, tail: tail)
        try require(contents.end &- tail <= UInt64(ring.count), "it went on to \(contents.end) from \(tail)")
        for (action, _) in contents.actions {
            var encoder = JournalEncoder()
            encoder.write(action)
            var decoder = JournalDecoder(encoder.bytes[...])
            try require(decoder.action() == action, "\(action) is read as another action")
        }
        // The same records, without the bytes after them.
        let again = JournalContents(ring: ring, tail: tail)
        let isSame = again.end == contents.end && again.actions.elementsEqual(contents.actions) { $0 == $1 }
        try require(isSame, "read twice, it is another journal")
    }

    /// Gives each possible record its checksum, as long as one follows the other.
    private static func seal(_ ring: inout [UInt8], from tail: UInt64) {
        guard ring.count >= JournalFrame.size else { return }
        var offset = tail
        while offset &- tail < UInt64(ring.count) {
            let place = Int(offset % UInt64(ring.count))
            let rest = ring.count - place
            guard rest >= JournalFrame.size else {
                offset &+= UInt64(rest)
                continue
            }
            let sum: UInt64? = ring.withUnsafeBytes { ring in
                let word = UInt64(littleEndian: ring.loadUnaligned(fromByteOffset: place, as: UInt64.self))
                guard let frame = JournalFrame(word: word), frame.total <= rest else { return nil }
                let start = place + JournalFrame.size
                let body = ring[start..<start + (frame.kind == .skip ? 0 : frame.count)]
                return frame.checksum(at: offset, UnsafeRawBufferPointer(rebasing: body))
            }
            guard let sum else { return }
            for byte in 0..<8 { ring[place + 8 + byte] = UInt8(truncatingIfNeeded: sum >> (8 * UInt64(byte))) }
            let length = ring[place..<place + 6].reversed().reduce(0) { $0 << 8 | Int($1) }
            offset &+= UInt64(JournalFrame.size + JournalFrame.filled(length))
        }
    }
}

extension FuzzTarget {
    /// Appends and drops records in a ring as a recorder does. Reading finds each record that was not dropped and,
    /// after damage to one byte, each record before it.
    ///
    /// The first byte is the ring's size, and the next two place the damage. A record is its kind, its length and
    /// bytes.
    static let records = FuzzTarget(name: "records") { bytes in
        guard bytes.count > 3 else { return }
        var ring = JournalRing(capacity: 64 + Int(bytes[0]) * 8)
        var memory = [UInt8](repeating: 0, count: ring.capacity)
        var written: [(offset: UInt64, end: UInt64, kind: JournalFrame.Kind, body: [UInt8])] = []
        var tail: UInt64 = 0
        var rest = bytes.dropFirst(3)
        while let kind = rest.popFirst(), let count = rest.popFirst() {
            let body = Array(rest.prefix(Int(count)))
            rest = rest.dropFirst(Int(count))
            let frame = JournalFrame(kind & 1 == 0 ? .action : .done, count: body.count)
            while true {
                let before = ring.head
                if let place = ring.place(frame, tail: tail) {
                    if let skip = place.skip { write(JournalFrame(.skip, count: skip.count), [], skip.offset, &memory) }
                    write(frame, body, place.offset, &memory)
                    written.append((before, ring.head, frame.kind, body))
                    break
                }
                guard !written.isEmpty else { break }
                tail = written.removeFirst().end
            }
            if kind & 2 != 0, !written.isEmpty { tail = written.removeFirst().end }
        }
        var damaged = UInt64.max
        if bytes[1] != 0 {
            let place = Int(bytes[2]) * 8 % memory.count
            memory[place] ^= bytes[1]
            damaged =
                written.first {
                    $0.offset..<$0.end ~= tail
                        + UInt64((place - Int(tail % UInt64(memory.count)) + memory.count) % memory.count)
                }?.offset ?? .max
        }
        try compare(
            JournalContents(ring: memory, tail: tail),
            written.prefix { $0.offset < damaged },
            tail,
            isWhole: damaged == .max
        )
    }

    private static func write(_ frame: JournalFrame, _ body: [UInt8], _ offset: UInt64, _ memory: inout [UInt8]) {
        let place = Int(offset % UInt64(memory.count))
        let sum = body.withUnsafeBytes { frame.checksum(at: offset, $0) }
        for byte in 0..<8 {
            memory[place + byte] = UInt8(truncatingIfNeeded: frame.word >> (8 * UInt64(byte)))
            memory[place + 8 + byte] = UInt8(truncatingIfNeeded: sum >> (8 * UInt64(byte)))
        }
        for (index, byte) in body.enumerated() { memory[place + JournalFrame.size + index] = byte }
    }

    private static func compare(
        _ contents: JournalContents,
        _ written: ArraySlice<(offset: UInt64, end: UInt64, kind: JournalFrame.Kind, body: [UInt8])>,
        _ tail: UInt64,
        isWhole: Bool
    ) throws {
        var expected: [DispatchedAction] = []
        var end = tail
        for record in written {
            var decoder = JournalDecoder(record.body[...])
            if record.kind == .action {
                guard let action = decoder.action() else { break }
                expected.append(action)
            } else if decoder.done() == nil {
                break
            }
            end = record.end
        }
        let found = contents.actions.map(\.action)
        // Damage to padding or skipped bytes does no harm.
        try require(found.starts(with: expected), "\(found.count) of \(expected.count) actions were found")
        if isWhole {
            try require(found.count == expected.count && contents.end >= end, "\(found.count), not \(expected.count)")
        }
    }
}
