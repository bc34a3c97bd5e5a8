import HindsightFormat
import HindsightSupport
import Synchronization

/// The signals that ask this process to end: SIGINT and SIGTERM, and SIGHUP while a debugger runs.
enum TerminationSignal {
    private static let number = Atomic<Int32>(0)

    /// The signal that has come since ``observe(unlessIgnored:)`` or ``observeEndingReads(_:)``.
    static var received: Int32? {
        let number = number.load(ordering: .relaxed)
        return number == 0 ? nil : number
    }

    /// The exit code of a command that a signal has stopped; `nil` if none has come.
    static var code: ExitCode? { received.map(ExitCode.signal) }

    /// The exit code of a command that follows something until Ctrl-C, which is its usual end. SIGTERM is not.
    static var codeOfFollowing: ExitCode { received == SIGTERM ? .signal(SIGTERM) : .fine }

    /// Stops a command if a signal has come.
    ///
    /// - Parameter message: Returns what to say about the signal.
    static func check(_ message: (Int32) -> String) throws(Failure) {
        if let signal = received { throw Failure(.signal(signal), message(signal)) }
    }

    /// Makes the signals only set ``received``, and end a ``wait(milliseconds:output:)``, instead of ending this
    /// process.
    ///
    /// - Parameter unlessIgnored: Whether a signal that this process inherited as ignored stays ignored.
    static func observe(unlessIgnored: Bool = false) {
        // Must be initialised before a signal arrives, because the handler may only store.
        _ = number.load(ordering: .relaxed)
        handle([SIGINT, SIGTERM], unlessIgnored) { TerminationSignal.number.store($0, ordering: .relaxed) }
    }

    /// Makes signals only set ``received``, so that temporary files are removed. The second one ends the process. A signal
    /// that this process inherited as ignored stays ignored.
    ///
    /// Only for input whose read ends at a signal.
    static func observeEndingReads(_ signals: [Int32] = [SIGTERM, SIGHUP]) {
        number.store(0, ordering: .relaxed)
        handle([SIGALRM], false, endsReads: true) { _ in }
        handle(signals, true, endsReads: true) { number in
            guard TerminationSignal.number.exchange(number, ordering: .relaxed) != 0 else {
                // Ends a read that begins after this signal, and after the last look at ``received``.
                alarm(1)
                return
            }
            // It ends the process when the handler returns.
            TerminationSignal.endProcess(by: number)
        }
    }

    /// Makes a signal that ends this process remove the unfinished output first. A signal that this process inherited
    /// as ignored stays ignored.
    static func removeDraftsAtEnd() {
        RemovableDraft.prepare()
        handle([SIGINT, SIGTERM, SIGHUP], true) { number in
            RemovableDraft.remove()
            TerminationSignal.endProcess(by: number)
        }
    }

    /// Calls `handler` for signals.
    ///
    /// - Parameters:
    ///   - unlessIgnored: Whether a signal that this process inherited as ignored stays ignored.
    ///   - endsReads: Whether a signal ends a read, which `signal` would start again.
    static func handle(
        _ signals: [Int32],
        _ unlessIgnored: Bool,
        endsReads: Bool = false,
        by handler: @convention(c) (Int32) -> Void
    ) {
        var asked = sigset_t()
        sigemptyset(&asked)
        for number in signals {
            let before = signal(number, handler)
            if unlessIgnored, unsafeBitCast(before, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) {
                _ = signal(number, SIG_IGN)
                continue
            }
            sigaddset(&asked, number)
            guard endsReads else { continue }
            var action = sigaction()
            _ = sigaction(number, nil, &action)
            action.sa_flags &= ~SA_RESTART
            _ = sigaction(number, &action, nil)
        }
        // The process may have inherited a mask that blocks them.
        pthread_sigmask(SIG_UNBLOCK, &asked, nil)
    }

    /// Waits for some time, or until a signal arrives.
    ///
    /// - Returns: Whether to continue: no signal has arrived, and `output` still has a reader.
    static func wait(milliseconds: Int32, output: Int32) -> Bool {
        !Descriptor.hasLostPeer(output, milliseconds: milliseconds) && received == nil
    }

    /// Ends this process as the signal does by default; within a handler, when that returns.
    static func endProcess(by number: Int32) {
        _ = signal(number, SIG_DFL)
        raise(number)
    }
}
