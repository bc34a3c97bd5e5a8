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
        handle([SIGINT], unlessIgnored: false) { _ in Interruption.flag.store(true, ordering: .relaxed) }
    }

    /// Makes signals only set ``ending``, so that temporary files are removed. The second one ends the process. A signal
    /// that this process inherited as ignored stays ignored.
    ///
    /// Only for input whose read ends at a signal.
    static func observeEnding(_ signals: [Int32] = [SIGTERM, SIGHUP]) {
        number.store(0, ordering: .relaxed)
        handle([SIGALRM], unlessIgnored: false) { _ in }
        handle(signals, unlessIgnored: true) { number in
            guard Interruption.number.exchange(number, ordering: .relaxed) != 0 else {
                // Ends a read that begins after this signal, and after the last look at ``ending``.
                alarm(1)
                return
            }
            // It ends the process when the handler returns.
            TerminationSignal.endProcess(by: number)
        }
    }

    private static func handle(
        _ signals: [Int32],
        unlessIgnored: Bool,
        by handler: @convention(c) (Int32) -> Void
    ) {
        TerminationSignal.handle(signals, unlessIgnored, by: handler)
        for signal in signals {
            var action = sigaction()
            _ = sigaction(signal, nil, &action)
            action.sa_flags &= ~SA_RESTART
            _ = sigaction(signal, &action, nil)
        }
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
