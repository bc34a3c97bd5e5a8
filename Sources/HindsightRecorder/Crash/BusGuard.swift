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
    nonisolated(unsafe) fileprivate static let table: UnsafeMutablePointer<Entry> = {
        let table = UnsafeMutablePointer<Entry>.allocate(capacity: count)
        for index in 0..<count { (table + index).initialize(to: Entry()) }
        return table
    }()
    nonisolated(unsafe) private static var previous = sigaction()

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
        _ = table
        guard sigaction(SIGBUS, nil, &previous) == 0 else { return false }
        var action = sigaction()
        action.sa_flags = SA_SIGINFO | SA_ONSTACK
        #if canImport(Darwin)
            action.__sigaction_u.__sa_sigaction = { BusGuard.handle($0, $1, $2) }
        #elseif canImport(Glibc)
            action.__sigaction_handler.sa_sigaction = { BusGuard.handle($0, $1, $2) }
        #else
            action.__sa_handler.sa_sigaction = { BusGuard.handle($0, $1, $2) }
        #endif
        return sigaction(SIGBUS, &action, nil) == 0
    }()

    #if canImport(Darwin)
        typealias Info = UnsafeMutablePointer<__siginfo>
    #else
        typealias Info = UnsafeMutablePointer<siginfo_t>
    #endif

    private static func handle(_ signal: Int32, _ info: Info?, _ context: UnsafeMutableRawPointer?) {
        guard let info, cover(address(info)) else { return passOn(signal, info, context) }
    }

    static func address(_ info: Info) -> UInt {
        #if canImport(Darwin)
            UInt(bitPattern: info.pointee.si_addr)
        #elseif canImport(Glibc)
            UInt(bitPattern: info.pointee._sifields._sigfault.si_addr)
        #else
            UInt(bitPattern: info.pointee.__si_fields.__sigfault.si_addr)
        #endif
    }

    /// Whether a signal belongs to one of our mappings. Safe in a signal handler.
    static func guards(_ info: Info?) -> Bool {
        guard isInstalled, let info else { return false }
        let address = address(info)
        for index in 0..<count {
            let start = table[index].start.load(ordering: .acquiring)
            if start != 0, start..<table[index].end.load(ordering: .relaxed) ~= address { return true }
        }
        return false
    }

    /// Replaces a mapping that has lost its file by anonymous memory; `false` if the address is in none of our
    /// mappings.
    private static func cover(_ address: UInt) -> Bool {
        for index in 0..<count {
            let start = table[index].start.load(ordering: .acquiring)
            let end = table[index].end.load(ordering: .relaxed)
            guard start != 0, start..<end ~= address else { continue }
            let place = UnsafeMutableRawPointer(bitPattern: start)
            let flags = MAP_PRIVATE | MAP_FIXED | MAP_ANON
            let result = mmap(place, Int(end - start), PROT_READ | PROT_WRITE, flags, -1, 0)
            table[index].isLost.store(true, ordering: .relaxed)
            return result != MAP_FAILED
        }
        return false
    }

    private static func passOn(_ signal: Int32, _ info: Info?, _ context: UnsafeMutableRawPointer?) {
        #if canImport(Darwin)
            let (withInfo, plain) = (previous.__sigaction_u.__sa_sigaction, previous.__sigaction_u.__sa_handler)
        #elseif canImport(Glibc)
            let (withInfo, plain) = (previous.__sigaction_handler.sa_sigaction, previous.__sigaction_handler.sa_handler)
        #else
            let (withInfo, plain) = (previous.__sa_handler.sa_sigaction, previous.__sa_handler.sa_handler)
        #endif
        // The default action, or ignoring: the access faults again, and the process ends as it would have.
        let number = plain.map { unsafeBitCast($0, to: Int.self) } ?? 0
        if number == 0 || number == 1 {
            var action = sigaction()
            #if canImport(Darwin)
                action.__sigaction_u.__sa_handler = SIG_DFL
            #elseif canImport(Glibc)
                action.__sigaction_handler.sa_handler = SIG_DFL
            #else
                action.__sa_handler.sa_handler = SIG_DFL
            #endif
            _ = sigaction(signal, &action, nil)
        } else if previous.sa_flags & SA_SIGINFO != 0 {
            withInfo?(signal, info, context)
        } else {
            plain?(signal)
        }
    }
}
