/// The contents of a journal, read from the bytes of its file.
package struct JournalContents {
    /// The actions in order. An action has a duration if all its reducers ran.
    package var actions: [(action: DispatchedAction, duration: Int64?)] = []
    /// The notes of the app, in order.
    package var notes: [JournalNote] = []
    /// The offset at which reading ended.
    package private(set) var end: UInt64

    /// Reads the longest valid sequence of records from `tail` on. Costs one pass over them.
    package init(ring: [UInt8], tail: UInt64) {
        end = tail
        guard ring.count >= JournalFrame.size, ring.count.isMultiple(of: 8), tail.isMultiple(of: 8) else { return }
        let limit = tail &+ UInt64(ring.count)
        ring.withUnsafeBytes { ring in
            while end < limit {
                guard let (present, body) = Self.record(at: end, in: ring) else {
                    // If the process ended between writing a note and the skip around it, the note stands alone.
                    let (head, rest) = (UInt64(JournalFrame.size), limit - end)
                    guard rest > head, let size = addNote(at: end + head, within: Int(rest - head), ring) else {
                        return
                    }
                    end += head + UInt64(size)
                    continue
                }
                guard let frame = present else {
                    // The rest of the ring is too short for a frame.
                    end += min(UInt64(body.count), limit - end)
                    continue
                }
                // A record that overlaps the record at `tail` is not valid.
                guard UInt64(frame.total) <= limit - end else { return }
                guard add(frame.kind, Array(body)) else { return }
                if frame.kind == .skip {
                    _ = addNote(at: end + UInt64(JournalFrame.size), within: JournalFrame.filled(frame.count), ring)
                }
                end += UInt64(frame.total)
            }
        }
    }

    /// Finds every whole record in order, also after damage and if it is not known where the first one begins: a
    /// record's checksum tells its offset. Records that were released but not overwritten are among them.
    ///
    /// Costs one pass over the ring; of a malicious one, a few.
    ///
    /// - Parameter start: Leaves out the notes before this offset, which the file has, or had until they were deleted.
    package init(everyRecordOf ring: [UInt8], notesFrom start: UInt64) {
        end = 0
        var found: [(offset: UInt64, kind: JournalFrame.Kind, body: [UInt8])] = []
        ring.withUnsafeBytes { ring in
            var (place, budget) = (0, 16 * ring.count)
            while place + JournalFrame.size <= ring.count, budget > 0 {
                let word = UInt64(littleEndian: ring.loadUnaligned(fromByteOffset: place, as: UInt64.self))
                let rest = ring.count - place - JournalFrame.size
                // A note stands within a skip, so skips are not passed over.
                guard let frame = JournalFrame(word: word), frame.kind != .skip, frame.count <= rest else {
                    place += 8
                    continue
                }
                let body = ring[place + JournalFrame.size..<place + JournalFrame.size + frame.count]
                let sum = UInt64(littleEndian: ring.loadUnaligned(fromByteOffset: place + 8, as: UInt64.self))
                let offset = frame.offset(withChecksum: sum, UnsafeRawBufferPointer(rebasing: body))
                budget -= frame.total
                // Bytes that are no record give a random offset, which is hardly ever one of this place.
                guard offset < 1 << 48, offset % UInt64(ring.count) == UInt64(place) else {
                    place += 8
                    continue
                }
                found.append((offset, frame.kind, Array(body)))
                place += frame.total
            }
        }
        for (offset, kind, body) in found.sorted(by: { $0.offset < $1.offset }) {
            var decoder = JournalDecoder(body[...])
            if kind != .note {
                _ = add(kind, body)
            } else if offset >= start, let note = decoder.note() {
                notes.append(note)
            }
        }
    }

    private mutating func add(_ kind: JournalFrame.Kind, _ body: [UInt8]) -> Bool {
        var decoder = JournalDecoder(body[...])
        switch kind {
        case .skip:
            break
        case .action:
            guard let action = decoder.action() else { return false }
            actions.append((action, nil))
        case .done:
            guard let done = decoder.done() else { return false }
            if let last = actions.indices.last, actions[last].action.seq == done.seq {
                actions[last].duration = done.duration
            }
        case .note:
            // It stands within a skip only.
            return false
        }
        return true
    }

    /// Takes the note behind the frame of a skip, if there is one. Skipped bytes may have been written in an earlier
    /// round; the checksum of a note is then that of another offset.
    ///
    /// - Parameter room: The most bytes that it may take.
    /// - Returns: The bytes that it takes; `nil` if there is none.
    private mutating func addNote(at offset: UInt64, within room: Int, _ ring: UnsafeRawBufferPointer) -> Int? {
        guard room >= JournalFrame.size, case let (frame?, body)? = Self.record(at: offset, in: ring),
            frame.kind == .note, frame.total <= room
        else { return nil }
        var decoder = JournalDecoder(Array(body)[...])
        if let note = decoder.note() { notes.append(note) }
        return frame.total
    }

    /// Returns the record at an offset. Its frame is `nil` if the ring ends before a frame would.
    private static func record(
        at offset: UInt64,
        in ring: UnsafeRawBufferPointer
    ) -> (frame: JournalFrame?, body: UnsafeRawBufferPointer.SubSequence)? {
        let place = Int(offset % UInt64(ring.count))
        let rest = ring.count - place
        guard rest >= JournalFrame.size else { return (nil, ring[place...]) }
        let words = (0...1).map {
            UInt64(littleEndian: ring.loadUnaligned(fromByteOffset: place + $0 * 8, as: UInt64.self))
        }
        guard let frame = JournalFrame(word: words[0]), frame.count <= rest - JournalFrame.size else { return nil }
        let start = place + JournalFrame.size
        let body = ring[start..<start + frame.count]
        // The checksum of a skip does not cover the skipped bytes, because they were never written.
        let summed = frame.kind == .skip ? ring[start..<start] : body
        guard frame.checksum(at: offset, UnsafeRawBufferPointer(rebasing: summed)) == words[1] else { return nil }
        return (frame, body)
    }
}
