import HindsightFormat
import HindsightSupport
import Synchronization

/// A part of a file that is mapped into memory and shared, so that writes survive the process.
///
/// Sound: every access is checked against `count`, and the mapping lives as long as its owner. `JournalFile`
/// allocates all blocks before they are mapped, so writing raises no signal for a full disk. If the file loses its
/// memory later, ``BusGuard`` handles the signal.
struct MappedFile: ~Copyable, @unchecked Sendable {
    // Sound to send: it is plain memory, whose owner controls access.
    private let start: UnsafeMutableRawPointer
    let count: Int
    private let slot: BusGuard.Slot?

    /// Maps the first `count` bytes of a file, which may be closed afterwards.
    init(_ descriptor: Int32, count: Int) throws(SystemError) {
        let start = mmap(nil, count, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
        guard let start, start != MAP_FAILED else { throw .last }
        self.start = start
        self.count = count
        slot = BusGuard.guarding(start, count)
    }

    deinit {
        if let slot { BusGuard.release(slot) }
        munmap(start, count)
    }

    /// The address of the first byte.
    var address: UInt { UInt(bitPattern: start) }

    /// Whether writes no longer reach a file.
    var isLost: Bool { slot?.isLost == true }

    /// Writes a zero into each page of new bytes, so that the first real write is fast.
    func touch() {
        for offset in stride(from: 0, to: count - 7, by: 4096) { store(0, at: offset) }
    }

    /// Copies bytes to an offset.
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
        precondition(offset >= 0 && bytes.count <= count - offset, "a write beyond a mapped file")
        UnsafeMutableRawBufferPointer(start: start + offset, count: bytes.count).copyMemory(from: bytes)
    }

    /// Waits until bytes are on the disk.
    func sync(_ bytes: Range<Int>) throws(SystemError) {
        precondition(bytes.lowerBound >= 0 && bytes.upperBound <= count, "bytes beyond a mapped file")
        let first = bytes.lowerBound / Self.page * Self.page
        guard msync(start + first, bytes.upperBound - first, MS_SYNC) == 0 else { throw .last }
    }

    private static let page = Int(getpagesize())

    /// Writes a word atomically, and after all earlier writes.
    func store(_ word: UInt64, at offset: Int) {
        atom(at: offset).pointee.store(word.littleEndian, ordering: .releasing)
    }

    private func atom(at offset: Int) -> UnsafeMutablePointer<Atomic<UInt64>> {
        precondition(offset >= 0 && offset <= count - 8 && offset.isMultiple(of: 8), "a word beyond a mapped file")
        return (start + offset).assumingMemoryBound(to: Atomic<UInt64>.self)
    }
}

extension JournalFile {
    /// Maps the first `count` bytes.
    func map(_ count: Int) throws(SystemError) -> MappedFile {
        guard FileMapping.keepsOpenFile else { return try MappedFile(descriptor, count: count) }
        // The mapping would keep the lock. Because a forked process inherits the mapping, it uses another open file.
        var other = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW)
        if other >= 0, !isInPlace {
            _ = close(other)
            other = -1
        }
        // The file was moved or deleted.
        if other < 0 { other = FileMapping.reopen(descriptor) }
        defer { if other >= 0 { _ = close(other) } }
        return try MappedFile(other >= 0 ? other : descriptor, count: count)
    }
}
