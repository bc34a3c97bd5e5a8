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
            while end < limit, let (frame, body) = Self.record(at: end, in: ring) {
                guard let frame else {
                    // The rest of the ring is too short for a frame.
                    end += min(UInt64(body.count), limit - end)
                    continue
                }
                // A record that overlaps the record at `tail` is not valid.
                guard UInt64(frame.total) <= limit - end else { return }
                guard add(frame.kind, Array(body)) else { return }
                if frame.kind == .skip { addNote(within: frame, at: end, ring) }
                end += UInt64(frame.total)
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

    /// Takes the note within a skip, if there is one. Skipped bytes may have been written in an earlier round; the
    /// checksum of a note is then that of another offset.
    private mutating func addNote(within skip: JournalFrame, at offset: UInt64, _ ring: UnsafeRawBufferPointer) {
        let inner = offset &+ UInt64(JournalFrame.size)
        guard skip.count >= JournalFrame.size, case let (frame?, body)? = Self.record(at: inner, in: ring),
            frame.kind == .note, frame.total <= JournalFrame.filled(skip.count)
        else { return }
        var decoder = JournalDecoder(Array(body)[...])
        if let note = decoder.note() { notes.append(note) }
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
