import HindsightSupport
import Synchronization

/// Ctrl-C while the debugger runs: it stops what runs, and not the tool.
enum Interruption {
    private static let flag = Atomic(false)

    /// Makes SIGINT only set a flag, and end a read from the terminal.
    static func observe() {
        // Must be initialised before a signal arrives, because the handler may only store.
        flag.store(false, ordering: .relaxed)
        TerminationSignal.handle([SIGINT], false, endsReads: true) { _ in
            Interruption.flag.store(true, ordering: .relaxed)
        }
    }

    /// Whether Ctrl-C was typed since the last ``take()``, or the process is to end.
    static var isRequested: Bool { flag.load(ordering: .relaxed) || TerminationSignal.received != nil }

    /// Whether Ctrl-C was typed since the last call, which forgets it.
    @discardableResult
    static func take() -> Bool { flag.exchange(false, ordering: .relaxed) }
}
