import HindsightSupport
import Synchronization

/// Ctrl-C while the debugger runs: it stops what runs, and not the tool.
enum Interruption {
    private static let flag = Atomic(false)
    private static let number = Atomic<Int32>(0)

    /// Makes SIGINT only set a flag. It also ends a read from the terminal, which `signal` would start again.
    static func observe() {
        // Must be initialised before a signal arrives, because the handler may only store.
        flag.store(false, ordering: .relaxed)
        handle(SIGINT) { _ in Interruption.flag.store(true, ordering: .relaxed) }
    }

    /// Makes SIGTERM and SIGHUP only set ``ending``, so that temporary files are removed. Only for lines whose read ends
    /// at a signal.
    static func observeEnding() {
        number.store(0, ordering: .relaxed)
        for signal in [SIGTERM, SIGHUP] {
            handle(signal) { Interruption.number.store($0, ordering: .relaxed) }
        }
    }

    private static func handle(_ signal: Int32, _ handler: @escaping @convention(c) (Int32) -> Void) {
        var action = sigaction()
        sigemptyset(&action.sa_mask)
        #if canImport(Darwin)
            action.__sigaction_u.__sa_handler = handler
        #elseif canImport(Glibc)
            action.__sigaction_handler.sa_handler = handler
        #else
            action.__sa_handler.sa_handler = handler
        #endif
        _ = sigaction(signal, &action, nil)
        // The process may have inherited a mask that blocks it.
        var asked = sigset_t()
        sigemptyset(&asked)
        sigaddset(&asked, signal)
        pthread_sigmask(SIG_UNBLOCK, &asked, nil)
    }

    /// The signal that asked this process to end; `nil` if none has.
    static var ending: Int32? {
        let number = number.load(ordering: .relaxed)
        return number == 0 ? nil : number
    }

    /// Whether Ctrl-C was typed since the last ``take()``, or the process is to end.
    static var isRequested: Bool { flag.load(ordering: .relaxed) || ending != nil }

    /// Whether Ctrl-C was typed since the last call, which forgets it.
    @discardableResult
    static func take() -> Bool { flag.exchange(false, ordering: .relaxed) }
}
