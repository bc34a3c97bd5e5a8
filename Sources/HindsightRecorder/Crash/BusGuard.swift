import HindsightFormat
import HindsightSupport
import Synchronization

/// Keeps the app alive if a mapped file loses its memory: the file is truncated, its disk fails, or its file system
/// becomes read-only or cannot provide the allocated blocks. The system then sends SIGBUS to the thread that accesses
/// the memory.
///
/// The first mapping installs a handler for the process. If the signal belongs to one of our mappings, the handler
/// replaces it by anonymous memory, and the mapping counts as lost. It passes other signals on to the previous handler.
/// This protection is lost if the app installs a handler later that does not pass signals on.
///
/// Sound: the data that the handler reads is created before it is installed, is never freed, and is atomic. The handler
/// calls only `mmap` and `sigaction`, or the previous handler.
enum BusGuard {
    /// An index in the table of mappings.
    struct Slot: @unchecked Sendable {
        fileprivate let index: Int

        /// Whether the mapping has lost its file.
        var isLost: Bool { BusGuard.table[index].isLost.load(ordering: .relaxed) }
    }

    fileprivate struct Entry: ~Copyable {
        /// 0 if the entry is free.
        let start = Atomic<UInt>(0)
        let end = Atomic<UInt>(0)
        let isTaken = Atomic(false)
        let isLost = Atomic(false)
    }

    private static let count = 256
    nonisolated(unsafe) fileprivate static let table = CrashMarker.zeros(of: Entry.self, count) { Entry() }
    nonisolated(unsafe) private static let previous = CrashMarker.zeros(of: sigaction.self, 1) { sigaction() }

    /// Guards a mapping until ``release(_:)``.
    ///
    /// - Returns: `nil` if there are too many mappings.
    static func guarding(_ start: UnsafeMutableRawPointer, _ bytes: Int) -> Slot? {
        guard isInstalled else { return nil }
        for index in 0..<count
        where table[index].isTaken.compareExchange(expected: false, desired: true, ordering: .acquiring).exchanged {
            table[index].isLost.store(false, ordering: .relaxed)
            table[index].end.store(UInt(bitPattern: start + bytes), ordering: .relaxed)
            table[index].start.store(UInt(bitPattern: start), ordering: .releasing)
            return Slot(index: index)
        }
        return nil
    }

    /// Call this before unmapping.
    static func release(_ slot: Slot) {
        table[slot.index].start.store(0, ordering: .relaxed)
        table[slot.index].isTaken.store(false, ordering: .releasing)
    }

    private static let isInstalled: Bool = {
        _ = (table, previous)
        return SignalHandler.install({ BusGuard.handle($0, $1, $2) }, for: SIGBUS, replacing: previous)
    }()

    private static func handle(_ signal: Int32, _ info: SignalAction.Info?, _ context: UnsafeMutableRawPointer?) {
        if let info, cover(SignalAction.address(info)) { return }
        SignalHandler.passOn(signal, info, context, to: previous)
    }

    /// Whether a signal belongs to one of our mappings. Safe in a signal handler.
    static func guards(_ info: SignalAction.Info?) -> Bool {
        guard isInstalled, let info else { return false }
        return mapping(with: SignalAction.address(info)) != nil
    }

    /// The mapping with an address, by its index; `nil` if there is none.
    private static func mapping(with address: UInt) -> (index: Int, start: UInt, end: UInt)? {
        for index in 0..<count {
            let start = table[index].start.load(ordering: .acquiring)
            let end = table[index].end.load(ordering: .relaxed)
            if start != 0, start..<end ~= address { return (index, start, end) }
        }
        return nil
    }

    /// Replaces a mapping that has lost its file by anonymous memory; `false` if the address is in none of our
    /// mappings.
    private static func cover(_ address: UInt) -> Bool {
        guard let (index, start, end) = mapping(with: address) else { return false }
        let place = UnsafeMutableRawPointer(bitPattern: start)
        let flags = MAP_PRIVATE | MAP_FIXED | MAP_ANON
        let result = mmap(place, Int(end - start), PROT_READ | PROT_WRITE, flags, -1, 0)
        table[index].isLost.store(true, ordering: .relaxed)
        return result != MAP_FAILED
    }
}
