import HindsightSupport
import Synchronization

/// Ctrl-C while the debugger runs: it stops what runs, and not the tool.
enum Interruption {
    private static let flag = Atomic(false)

    /// Makes SIGINT only set the flag. It also ends a read from the terminal, which `signal` would start again.
    static func observe() {
        // Must be initialised before a signal arrives, because the handler may only store.
        flag.store(false, ordering: .relaxed)
        var action = sigaction()
        sigemptyset(&action.sa_mask)
        let handler: @convention(c) (Int32) -> Void = { _ in Interruption.flag.store(true, ordering: .relaxed) }
        #if canImport(Darwin)
            action.__sigaction_u.__sa_handler = handler
        #elseif canImport(Glibc)
            action.__sigaction_handler.sa_handler = handler
        #else
            action.__sa_handler.sa_handler = handler
        #endif
        _ = sigaction(SIGINT, &action, nil)
    }

    /// Whether Ctrl-C was typed since the last ``take()``.
    static var isRequested: Bool { flag.load(ordering: .relaxed) }

    /// Whether Ctrl-C was typed since the last call, which forgets it.
    @discardableResult
    static func take() -> Bool { flag.exchange(false, ordering: .relaxed) }
}
