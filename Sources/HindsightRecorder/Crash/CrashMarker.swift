import HindsightFormat
import HindsightSupport
import Synchronization

/// Writes into the journals of a process which signal ended it, where, and the thread's raw stack frames; or that the
/// process called `exit`.
///
/// The first journal that asks for it installs a handler for each crash signal. After marking, the handler calls the
/// previous handler, or restores the signal's default action and lets the signal occur again, so that core dumps and
/// backtracers work as before.
///
/// Sound: a signal may occur between any two instructions of any thread. The data that the handlers use is created
/// before they are installed, and never freed: raw words and atomics. The handlers call only `write`, `read`,
/// `sigaction`, `raise`, `getpid` and the like, which POSIX permits, or which are one system call. They take no lock,
/// allocate nothing, and touch no Swift object. Memory that may not be mapped, such as that of frames, is read through
/// a pipe: the system then returns an error and raises no signal. One thread marks at a time; a second crash meanwhile
/// is not marked.
///
/// A forked process has the handlers, and its parent's journals mapped. It forgets those, and marks its own.
package enum CrashMarker {
    /// An index in the table of journals.
    package struct Slot: @unchecked Sendable {
        fileprivate let index: Int
        /// The fork generation of the process that has taken it.
        fileprivate let generation: Int
    }

    private static let count = 64
    /// The first byte of each journal; 0 if the entry is free.
    nonisolated(unsafe) private static let journals = zeros(of: Atomic<UInt>.self, count) { Atomic(0) }
    nonisolated(unsafe) private static let isTaken = zeros(of: Atomic<Bool>.self, count) { Atomic(false) }
    /// Whether a thread is handling a signal, and whether it is writing into journals.
    nonisolated(unsafe) private static let isHandling = zeros(of: Atomic<Bool>.self, 1) { Atomic(false) }
    nonisolated(unsafe) private static let isWriting = zeros(of: Atomic<Bool>.self, 1) { Atomic(false) }
    /// The record that a handler writes, before it is copied to each journal.
    nonisolated(unsafe) private static let scratch = zeros(of: UInt64.self, CrashRecord.words) { 0 }
    nonisolated(unsafe) private static let previous = zeros(of: sigaction.self, signals) { sigaction() }
    nonisolated(unsafe) private static let process = zeros(of: pid_t.self, 1) { 0 }

    static func zeros<Value: ~Copyable>(
        of type: Value.Type,
        _ count: Int,
        _ value: () -> Value
    ) -> UnsafeMutablePointer<Value> {
        let memory = UnsafeMutablePointer<Value>.allocate(capacity: count)
        for index in 0..<count { (memory + index).initialize(to: value()) }
        return memory
    }

    // MARK: Journals

    /// Marks crashes in a journal until ``release(_:)``.
    ///
    /// - Parameter start: The first byte of the journal's mapped header.
    /// - Returns: `nil` if there are too many journals, or if no handler could be installed.
    package static func marking(_ start: UInt) -> Slot? {
        guard isInstalled else { return nil }
        AlternateStack.ensure()
        CrashFrames.prepare()
        let generation = Fork.generation
        for index in 0..<count
        where isTaken[index].compareExchange(expected: false, desired: true, ordering: .acquiring).exchanged {
            journals[index].store(start, ordering: .sequentiallyConsistent)
            return Slot(index: index, generation: generation)
        }
        return nil
    }

    /// Call this before unmapping.
    static func release(_ slot: Slot) {
        // A forked process has forgotten its parent's journals, and may have given the slot to one of its own.
        guard slot.generation == Fork.generation else { return }
        journals[slot.index].store(0, ordering: .sequentiallyConsistent)
        // A handler that uses the journal is about to finish, because it waits for nothing.
        while isWriting[0].load(ordering: .sequentiallyConsistent) { sched_yield() }
        isTaken[slot.index].store(false, ordering: .releasing)
    }

    // MARK: Installing

    private static let isInstalled: Bool = {
        process[0] = getpid()
        _ = (journals, isTaken, isHandling, isWriting, scratch, previous)
        CrashFrames.prepare()
        // If it cannot be installed, forked processes mark nothing.
        _ = pthread_atfork(nil, nil, { CrashMarker.beginFork() })
        CrashImages.collect()
        for index in 0..<signals {
            let handler: SignalAction.Handler = { CrashMarker.handle($0, $1, $2) }
            // If a handler cannot be installed, its signal is not marked.
            _ = SignalHandler.install(handler, for: signal(at: index), replacing: previous + index)
        }
        // If `atexit` has no room, an exit is not marked.
        _ = atexit { CrashMarker.markExit() }
        return true
    }()

    /// Forgets the parent's journals in a forked process, which has one thread. Safe in a signal handler.
    private static func beginFork() {
        for index in 0..<count {
            journals[index].store(0, ordering: .relaxed)
            isTaken[index].store(false, ordering: .relaxed)
        }
        // Another thread of the parent may have been handling a signal.
        isHandling[0].store(false, ordering: .relaxed)
        isWriting[0].store(false, ordering: .relaxed)
        CrashFrames.beginFork()
        process[0] = getpid()
    }

    private static let signals = 6

    private static func signal(at index: Int) -> Int32 {
        switch index {
        case 0: SIGSEGV
        case 1: SIGBUS
        case 2: SIGILL
        case 3: SIGTRAP
        case 4: SIGFPE
        default: SIGABRT
        }
    }

    private static func index(of signal: Int32) -> Int {
        switch signal {
        case SIGSEGV: 0
        case SIGBUS: 1
        case SIGILL: 2
        case SIGTRAP: 3
        case SIGFPE: 4
        default: 5
        }
    }

    // MARK: Handling

    private static func handle(_ signal: Int32, _ info: SignalAction.Info?, _ context: UnsafeMutableRawPointer?) {
        let error = errno
        let before = previous + index(of: signal)
        // A lost mapping of ours is not a crash, because the guard replaces its memory. Neither is an ignored signal.
        let isGuarded = signal == SIGBUS && BusGuard.guards(info)
        let isIgnored = !SignalHandler.isFault(signal, info) && SignalHandler.number(of: before) == 1
        let isFirst =
            !isGuarded && !isIgnored
            && isHandling[0].compareExchange(expected: false, desired: true, ordering: .acquiring).exchanged
        if isFirst { mark(signal, info, context) }
        errno = error
        SignalHandler.passOn(signal, info, context, to: before)
        // If the process continues, the next signal counts.
        if isFirst { isHandling[0].store(false, ordering: .releasing) }
    }

    // MARK: Marking

    private static func mark(_ signal: Int32, _ info: SignalAction.Info?, _ context: UnsafeMutableRawPointer?) {
        // `vfork` and plain system calls copy a process without a call of `beginFork`.
        guard getpid() == process[0] else { return }
        typealias Layout = CrashRecord.Layout
        for index in 0..<CrashRecord.words { scratch[index] = 0 }
        var code: Int32 = 0
        if let info { code = SignalAction.code(info) }
        scratch[Layout.signal] = UInt64(UInt32(bitPattern: signal)) | UInt64(UInt32(bitPattern: code)) << 32
        scratch[Layout.kind] = UInt64(index(of: signal) + 1)
        if code > 0, let info { scratch[Layout.address] = UInt64(SignalAction.address(info)) }
        let thread = CurrentThread.number
        scratch[Layout.thread] = thread.number
        scratch[Layout.isMain] = thread.isMain ? 1 : 0
        if let context {
            let registers = Registers(context)
            scratch[Layout.stackPointer] = UInt64(registers.stackPointer)
            CrashFrames.walk(registers, to: scratch)
        }
        CrashImages.write(to: scratch)
        isWriting[0].store(true, ordering: .sequentiallyConsistent)
        for index in 0..<count {
            let start = journals[index].load(ordering: .sequentiallyConsistent)
            if start != 0 { CrashRecord.write(scratch, to: start, thread: UInt64(CurrentThread.identity)) }
        }
        isWriting[0].store(false, ordering: .sequentiallyConsistent)
    }

    private static func markExit() {
        guard getpid() == process[0] else { return }
        isWriting[0].store(true, ordering: .sequentiallyConsistent)
        for index in 0..<count {
            let start = journals[index].load(ordering: .sequentiallyConsistent)
            if start != 0 { CrashRecord.writeExit(to: start) }
        }
        isWriting[0].store(false, ordering: .sequentiallyConsistent)
    }
}
