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

    /// Makes signals only set ``ending``, so that temporary files are removed. The second one ends the process. A signal
    /// that this process inherited as ignored stays ignored.
    ///
    /// Only for input whose read ends at a signal.
    static func observeEnding(_ signals: [Int32] = [SIGTERM, SIGHUP]) {
        number.store(0, ordering: .relaxed)
        for signal in signals where !isIgnored(signal) {
            handle(signal) { number in
                guard Interruption.number.exchange(number, ordering: .relaxed) != 0 else { return }
                // It ends the process when the handler returns.
                TerminationSignal.endProcess(by: number)
            }
        }
    }

    private static func isIgnored(_ signal: Int32) -> Bool {
        var action = sigaction()
        _ = sigaction(signal, nil, &action)
        #if canImport(Darwin)
            let handler = action.__sigaction_u.__sa_handler
        #elseif canImport(Glibc)
            let handler = action.__sigaction_handler.sa_handler
        #else
            let handler = action.__sa_handler.sa_handler
        #endif
        return unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
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
