import HindsightSupport

/// Installs a handler for a signal, and passes signals on to the one that it replaced.
///
/// Sound: all that runs in a handler calls only `sigaction`, `raise` or the previous handler, and touches no Swift object.
enum SignalHandler {
    #if canImport(Darwin)
        typealias Info = UnsafeMutablePointer<__siginfo>
    #else
        typealias Info = UnsafeMutablePointer<siginfo_t>
    #endif
    typealias Handler = @convention(c) (Int32, Info?, UnsafeMutableRawPointer?) -> Void

    /// Installs a handler.
    ///
    /// - Parameter previous: Receives the handler that it replaces.
    /// - Returns: Whether it is installed.
    static func install(
        _ handler: @escaping Handler,
        for signal: Int32,
        replacing previous: UnsafeMutablePointer<sigaction>
    ) -> Bool {
        guard sigaction(signal, nil, previous) == 0 else { return false }
        var action = sigaction()
        action.sa_flags = SA_SIGINFO | SA_ONSTACK
        #if canImport(Darwin)
            action.__sigaction_u.__sa_sigaction = handler
        #elseif canImport(Glibc)
            action.__sigaction_handler.sa_sigaction = handler
        #else
            action.__sa_handler.sa_sigaction = handler
        #endif
        return sigaction(signal, &action, nil) == 0
    }

    /// The address that the thread accessed.
    static func address(_ info: Info) -> UInt {
        #if canImport(Darwin)
            UInt(bitPattern: info.pointee.si_addr)
        #elseif canImport(Glibc)
            UInt(bitPattern: info.pointee._sifields._sigfault.si_addr)
        #else
            UInt(bitPattern: info.pointee.__si_fields.__sigfault.si_addr)
        #endif
    }

    /// Whether the signal occurs again when the handler returns.
    static func isFault(_ signal: Int32, _ info: Info?) -> Bool {
        guard let info, info.pointee.si_code > 0 else { return false }
        return signal == SIGSEGV || signal == SIGBUS || signal == SIGILL || signal == SIGFPE
    }

    /// 0 for a signal's default action, 1 if it is ignored, otherwise the address of a handler.
    static func number(of action: UnsafeMutablePointer<sigaction>) -> Int {
        #if canImport(Darwin)
            let handler = action.pointee.__sigaction_u.__sa_handler
        #elseif canImport(Glibc)
            let handler = action.pointee.__sigaction_handler.sa_handler
        #else
            let handler = action.pointee.__sa_handler.sa_handler
        #endif
        return unsafeBitCast(handler, to: Int.self)
    }

    /// Does what would have happened without the handler.
    static func passOn(
        _ signal: Int32,
        _ info: Info?,
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
            #if canImport(Darwin)
                before.pointee.__sigaction_u.__sa_sigaction?(signal, info, context)
            #elseif canImport(Glibc)
                before.pointee.__sigaction_handler.sa_sigaction?(signal, info, context)
            #else
                before.pointee.__sa_handler.sa_sigaction?(signal, info, context)
            #endif
        default:
            #if canImport(Darwin)
                before.pointee.__sigaction_u.__sa_handler?(signal)
            #elseif canImport(Glibc)
                before.pointee.__sigaction_handler.sa_handler?(signal)
            #else
                before.pointee.__sa_handler.sa_handler?(signal)
            #endif
        }
    }
}
