import HindsightFormat
import HindsightSupport
import Synchronization

/// A part of a file in memory, shared with all who look at the file: what is written here outlives the process.
///
/// Sound: every access is checked against `count` before it is made, and the mapping lives as long as its owner. No block
/// of the file is missing when it is mapped (``JournalFile`` sees to that), so writing raises no signal for want of space;
/// and where the file loses its ground later, ``BusGuard`` catches it.
struct MappedFile: ~Copyable, @unchecked Sendable {
    // Sound to send: it is memory; who may write where is up to its owner.
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

    /// Whether what is written here reaches no file any more.
    var isLost: Bool { slot?.isLost == true }

    /// Writes a zero into each page of new, empty bytes, so that the first write there is as fast as the next.
    func touch() {
        for offset in stride(from: 0, to: count - 7, by: 4096) { store(0, at: offset) }
    }

    /// Copies bytes to a place.
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

    /// Writes a word, whole or not at all, and after everything that was written before.
    func store(_ word: UInt64, at offset: Int) {
        atom(at: offset).pointee.store(word.littleEndian, ordering: .releasing)
    }

    func load(at offset: Int) -> UInt64 {
        UInt64(littleEndian: atom(at: offset).pointee.load(ordering: .acquiring))
    }

    private func atom(at offset: Int) -> UnsafeMutablePointer<Atomic<UInt64>> {
        precondition(offset >= 0 && offset <= count - 8 && offset.isMultiple(of: 8), "a word beyond a mapped file")
        return (start + offset).assumingMemoryBound(to: Atomic<UInt64>.self)
    }
}

extension JournalFile {
    /// Maps the first `count` bytes.
    func map(_ count: Int) throws(SystemError) -> MappedFile {
        #if os(Linux)
            // On Linux a mapping keeps the open file that it was made of, and with it the lock: so it is made of another one,
            // for a process that is forked off has the mapping too.
            var other = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW)
            if other >= 0, !isInPlace {
                _ = close(other)
                other = -1
            }
            // It was moved or deleted: it is found in its place no more.
            if other < 0 { other = open("/proc/self/fd/\(descriptor)", O_RDWR | O_CLOEXEC) }
            defer { if other >= 0 { _ = close(other) } }
            return try MappedFile(other >= 0 ? other : descriptor, count: count)
        #else
            return try MappedFile(descriptor, count: count)
        #endif
    }
}
