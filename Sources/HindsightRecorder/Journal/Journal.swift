import HindsightFormat
import HindsightStore
import HindsightSupport
import Synchronization

/// The journal of a live recording: actions that are not in the recording's file yet.
///
/// Records are appended to a ring of bytes in a mapped file, so they survive the process from the moment they are
/// written. One thread at a time appends and marks. The writer calls ``forget(upTo:)`` for actions that it has written
/// to the recording.
final class Journal: @unchecked Sendable {
    // Sound: `ring`, `map`, `kept`, `lastEntry` and `encoder` are accessed only by the thread that appends, one at a
    // time. `head` is never mapped again, and its words are atomic. No access happens within another one, so
    // exclusivity checks are not needed.
    private let file: JournalFile
    private let head: MappedFile
    private var map: MappedFile
    private var ring: JournalRing
    private var encoder = JournalEncoder()
    /// The size of the ring in bytes, unless an action needs more.
    private let usualCapacity: Int
    private let durability: Durability
    /// The registration for crash marks; `nil` without them.
    private let crashSlot: CrashMarker.Slot?
    /// The place of the last entry.
    private var lastEntry = 0
    /// The offset up to which records are on the disk.
    private var kept: UInt64 = 0
    /// The offset up to which records may be overwritten.
    private let freed = Atomic<UInt64>(0)

    /// Creates the journal of a recording, and takes its lock.
    ///
    /// - Parameter id: The recording's UUID, which tells its journal from that of another recording.
    /// - Throws: A `RecordingError` with the code `inUse` if another recorder holds the lock, `unwritable`, or `exists`
    ///   if there is such a recording that must not be overwritten.
    init(
        for recording: String,
        id: String? = nil,
        capacity: Int,
        _ durability: Durability = .process,
        overwrite: Bool = true,
        marksCrashes: Bool = false
    ) throws(RecordingError) {
        let capacity = JournalLayout.wholeWords(capacity)
        usualCapacity = capacity
        self.durability = durability
        file = try JournalFile(for: recording)
        if !overwrite, FileSystem.exists(recording) {
            // Another recorder created the journal before this one got the lock, so its contents must stay.
            file.removeIfEmpty()
            throw RecordingError(.exists, file: recording)
        }
        do {
            try file.cut(0)
            try file.reserve(JournalLayout.head + capacity)
            head = try file.map(JournalLayout.head)
            map = try file.map(JournalLayout.head + capacity)
            ring = JournalRing(capacity: capacity)
        } catch {
            file.remove()
            throw RecordingError(.unwritable, file: recording, cause: error)
        }
        crashSlot = marksCrashes ? CrashMarker.marking(head.address) : nil
        map.touch()
        head.store(JournalLayout.version, at: JournalLayout.versionOffset)
        for (index, word) in (id.flatMap(JournalLayout.words) ?? []).enumerated() {
            head.store(word, at: JournalLayout.idOffset + index * 8)
        }
        mark(ReducerMark(phase: .idle, seq: 0, reducer: 0))
        mark(.idle(after: 0))
        head.store(JournalLayout.magic, at: 0)
        do {
            try keep(head, 0..<JournalLayout.head)
        } catch {
            file.remove()
            throw RecordingError(.unwritable, file: recording, cause: error)
        }
    }

    deinit {
        if let crashSlot { CrashMarker.release(crashSlot) }
    }

    // MARK: Marking

    /// Marks what happens next. Costs one store.
    func mark(_ mark: ReducerMark) { head.store(mark.word, at: JournalLayout.markOffset) }

    /// Marks the phase of a dispatch. Costs one store, and a few when an action enters the middleware.
    func mark(_ phase: DispatchPhase) {
        let mark: PhaseMark
        switch phase {
        case .idle(let seq):
            mark = PhaseMark(kind: .idle, seq: seq, detail: 0)
        case .middleware(let seq, let parent, let origin):
            // Uses the other place than the last mark, because the process may end in here.
            noteThread()
            lastEntry = 1 - lastEntry
            write(parent, origin, at: JournalLayout.entryOffset + lastEntry * JournalLayout.entrySize)
            mark = PhaseMark(kind: .middleware, seq: seq, detail: lastEntry)
        case .reducer(let reducer, let seq):
            mark = PhaseMark(kind: .reducer, seq: seq, detail: reducer)
        case .betweenReducers(let count, let seq):
            noteThread()
            mark = PhaseMark(kind: .betweenReducers, seq: seq, detail: count)
        case .subscribers(let seq):
            mark = PhaseMark(kind: .subscribers, seq: seq, detail: 0)
        case .unwinding(let seq, let last):
            mark = PhaseMark(kind: .unwinding, seq: seq, detail: last)
        }
        head.store(mark.word, at: JournalLayout.phaseOffset)
    }

    /// Notes the dispatching thread, and gives it a stack for signal handlers, if crashes are marked.
    private func noteThread() {
        guard crashSlot != nil else { return }
        AlternateStack.ensure()
        head.store(UInt64(CurrentThread.identity), at: JournalLayout.threadOffset)
    }

    private func write(_ parent: Int?, _ origin: Origin, at offset: Int) {
        head.store(UInt64(truncatingIfNeeded: parent ?? 0), at: offset)
        head.store(UInt64(truncatingIfNeeded: origin.line), at: offset + 8)
        var file = origin.file
        file.withUTF8 { bytes in
            let count = min(bytes.count, JournalLayout.entrySize - 24)
            head.store(UInt64(count), at: offset + 16)
            head.write(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(bytes)[..<count]), at: offset + 24)
        }
    }

    /// Marks that the recorder had to stop. No mark may follow.
    func markStopped() { mark(ReducerMark(phase: .stopped, seq: 0, reducer: 0)) }

    /// Marks that the recording's own file is complete, with the store's initial state.
    func begin() { head.store(1, at: JournalLayout.begunOffset) }

    // MARK: Appending

    /// The offset behind the last record.
    var end: UInt64 { ring.head }

    /// Appends an action.
    ///
    /// - Returns: The offset behind it; `nil` if there is no room for the action and its end until older records are
    ///   forgotten.
    /// - Throws: `SystemError` if the action is larger than the ring, and the ring cannot grow.
    func append(_ action: DispatchedAction) throws(SystemError) -> UInt64? {
        encoder.write(action)
        return try append(.action)
    }

    /// Appends that all reducers of an action have run.
    func append(done seq: Int, duration: Int64) throws(SystemError) -> UInt64? {
        encoder.write(done: seq, duration: duration)
        return try append(.done)
    }

    /// Appends a note of the app.
    ///
    /// - Returns: The offset behind it; `nil` if there is no room for it and the end of an action.
    /// - Throws: `SystemError` if the note is larger than the ring, and the ring cannot grow.
    func append(_ note: JournalNote) throws(SystemError) -> UInt64? {
        encoder.write(note)
        return try append(.note)
    }

    private func append(_ kind: JournalFrame.Kind) throws(SystemError) -> UInt64? {
        let record = JournalFrame(kind, count: encoder.count)
        let frame = kind == .note ? JournalFrame(.skip, count: record.total) : record
        let tail = freed.load(ordering: .acquiring)
        // Reserves room for the action's end, without which the action would look unfinished.
        let spare = kind == .done ? 0 : 2 * JournalFrame.maxDoneSize
        if ring.capacity > usualCapacity, tail == ring.head, 2 * frame.total + spare <= usualCapacity { try shrink() }
        var place = ring.place(frame, tail: tail, spare: spare)
        if place == nil, tail == ring.head {
            // Even an empty ring has no room. Twice the size is enough wherever the ring ends.
            try grow(toHold: 2 * frame.total + spare)
            place = ring.place(frame, tail: tail, spare: spare)
        }
        guard let place else { return nil }
        let nothing = UnsafeRawBufferPointer(start: nil, count: 0)
        if let skip = place.skip { write(JournalFrame(.skip, count: skip.count), at: skip.offset, nothing) }
        if kind == .note {
            encoder.withBytes { write(record, at: place.offset + UInt64(JournalFrame.size), $0) }
            write(frame, at: place.offset, nothing)
        } else {
            encoder.withBytes { write(frame, at: place.offset, $0) }
        }
        if kind != .done { try keepAll() }
        if map.isLost || head.isLost {
            throw SystemError(number: EIO, "its journal was truncated, or its disk has failed")
        }
        return ring.head
    }

    private func write(_ frame: JournalFrame, at offset: UInt64, _ bytes: UnsafeRawBufferPointer) {
        let place = JournalLayout.head + Int(offset % UInt64(ring.capacity))
        map.write(bytes, at: place + JournalFrame.size)
        map.store(frame.checksum(at: offset, bytes), at: place + 8)
        map.store(frame.word, at: place)
    }

    /// With `Durability.power`, waits until all records are on the disk. Reading a record requires those before it.
    private func keepAll() throws(SystemError) {
        guard durability == .power else { return }
        let start = Int(kept % UInt64(ring.capacity))
        let count = min(Int(ring.head - kept), ring.capacity)
        let first = min(count, ring.capacity - start)
        try keep(map, JournalLayout.head + start..<JournalLayout.head + start + first)
        if first < count { try keep(map, JournalLayout.head..<JournalLayout.head + count - first) }
        kept = ring.head
    }

    /// With `Durability.power`, waits until bytes are on the disk.
    private func keep(_ map: borrowing MappedFile, _ bytes: Range<Int>) throws(SystemError) {
        guard durability == .power else { return }
        try map.sync(bytes)
        guard DiskCache.flush(file.descriptor) else { throw .last }
    }

    /// Enlarges the ring, which must be empty, because records get other places.
    private func grow(toHold count: Int) throws(SystemError) {
        var capacity = ring.capacity
        while capacity < count { capacity *= 2 }
        try file.reserve(JournalLayout.head + capacity)
        map = try file.map(JournalLayout.head + capacity)
        ring.capacity = capacity
    }

    /// Shrinks the ring after a large action. The ring must be empty.
    private func shrink() throws(SystemError) {
        map = try file.map(JournalLayout.head + usualCapacity)
        try file.cut(JournalLayout.head + usualCapacity)
        ring.capacity = usualCapacity
    }

    // MARK: Forgetting

    /// Releases the records before an offset, which are stored elsewhere. One thread at a time.
    func forget(upTo offset: UInt64) throws(SystemError) {
        head.store(offset, at: JournalLayout.tailOffset)
        // The new start must be on the disk before earlier bytes are overwritten.
        try keep(head, 0..<JournalLayout.head)
        freed.store(offset, ordering: .releasing)
    }

    /// Deletes the file.
    func remove() { file.remove() }
}
