/// What a process does with a signal: the members of `sigaction` and of the information that a handler gets.
///
/// All but ``set(_:in:)`` is safe in a signal handler: it reads memory, and touches no Swift object.
package enum SignalAction {
    package typealias Info = UnsafeMutablePointer<siginfo_t>
    package typealias Handler = @convention(c) (Int32, Info?, UnsafeMutableRawPointer?) -> Void
    package typealias PlainHandler = @convention(c) (Int32) -> Void

    /// Sets the handler of an action with the flag `SA_SIGINFO`.
    package static func set(_ handler: @escaping Handler, in action: inout sigaction) {
        #if canImport(Darwin)
            action.__sigaction_u.__sa_sigaction = handler
        #elseif canImport(Glibc)
            action.__sigaction_handler.sa_sigaction = handler
        #else
            action.__sa_handler.sa_sigaction = handler
        #endif
    }

    /// The handler of an action with the flag `SA_SIGINFO`.
    package static func handler(of action: UnsafeMutablePointer<sigaction>) -> Handler? {
        #if canImport(Darwin)
            action.pointee.__sigaction_u.__sa_sigaction
        #elseif canImport(Glibc)
            action.pointee.__sigaction_handler.sa_sigaction
        #else
            action.pointee.__sa_handler.sa_sigaction
        #endif
    }

    /// The handler of an action without the flag `SA_SIGINFO`.
    package static func plainHandler(of action: UnsafeMutablePointer<sigaction>) -> PlainHandler? {
        #if canImport(Darwin)
            action.pointee.__sigaction_u.__sa_handler
        #elseif canImport(Glibc)
            action.pointee.__sigaction_handler.sa_handler
        #else
            action.pointee.__sa_handler.sa_handler
        #endif
    }

    /// The address that the thread accessed.
    package static func address(_ info: Info) -> UInt {
        #if canImport(Darwin)
            UInt(bitPattern: info.pointee.si_addr)
        #elseif canImport(Glibc)
            UInt(bitPattern: info.pointee._sifields._sigfault.si_addr)
        #else
            UInt(bitPattern: info.pointee.__si_fields.__sigfault.si_addr)
        #endif
    }

    /// Why the kernel raised the signal; 0 or negative if a process sent it.
    package static func code(_ info: Info) -> Int32 {
        #if canImport(Darwin)
            // The codes of sent signals are positive there, and begin with this one.
            info.pointee.si_code < SI_USER ? info.pointee.si_code : 0
        #else
            info.pointee.si_code
        #endif
    }
}
