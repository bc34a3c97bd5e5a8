import HindsightSupport

/// Installs a handler for a signal, and passes signals on to the one that it replaced.
///
/// Sound: all that runs in a handler calls only `sigaction`, `raise` or the previous handler, and touches no Swift object.
enum SignalHandler {
    /// Installs a handler.
    ///
    /// - Parameter previous: Receives the handler that it replaces.
    /// - Returns: Whether it is installed.
    static func install(
        _ handler: @escaping SignalAction.Handler,
        for signal: Int32,
        replacing previous: UnsafeMutablePointer<sigaction>
    ) -> Bool {
        guard sigaction(signal, nil, previous) == 0 else { return false }
        var action = sigaction()
        action.sa_flags = SA_SIGINFO | SA_ONSTACK
        SignalAction.set(handler, in: &action)
        return sigaction(signal, &action, nil) == 0
    }

    /// Whether the signal occurs again when the handler returns.
    static func isFault(_ signal: Int32, _ info: SignalAction.Info?) -> Bool {
        guard let info, SignalAction.code(info) > 0 else { return false }
        return signal == SIGSEGV || signal == SIGBUS || signal == SIGILL || signal == SIGFPE
    }

    /// 0 for a signal's default action, 1 if it is ignored, otherwise the address of a handler.
    static func number(of action: UnsafeMutablePointer<sigaction>) -> Int {
        unsafeBitCast(SignalAction.plainHandler(of: action), to: Int.self)
    }

    /// Does what would have happened without the handler.
    static func passOn(
        _ signal: Int32,
        _ info: SignalAction.Info?,
        _ context: UnsafeMutableRawPointer?,
        to before: UnsafeMutablePointer<sigaction>
    ) {
        switch number(of: before) {
        case 0, 1:
            if isFault(signal, info) {
                // The access faults again, and the process ends as it would have.
                _ = sigaction(signal, before, nil)
            } else if number(of: before) == 0 {
                // The signal is blocked while the handler runs, and is delivered when the handler returns.
                _ = sigaction(signal, before, nil)
                _ = raise(signal)
            }
        case _ where before.pointee.sa_flags & SA_SIGINFO != 0:
            SignalAction.handler(of: before)?(signal, info, context)
        default:
            SignalAction.plainHandler(of: before)?(signal)
        }
    }
}
