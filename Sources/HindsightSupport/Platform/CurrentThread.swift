/// The calling thread.
@usableFromInline
package enum CurrentThread {
    /// An identifier within the process. Safe in a signal handler.
    @inlinable @inline(__always) package static var identity: UInt {
        #if canImport(Glibc)
            UInt(pthread_self())
        #else
            UInt(bitPattern: pthread_self())
        #endif
    }

    /// The thread's number, as debuggers show it, and whether it is the process's first thread. Safe in a signal handler.
    ///
    /// The main actor runs on the first thread. On Linux, an asynchronous `main` gives that thread up at its first
    /// suspension, and the main actor then runs on other threads.
    package static var number: (number: UInt64, isMain: Bool) {
        #if canImport(Darwin)
            // For the calling thread, this reads a field of the thread. It takes no lock.
            var number: UInt64 = 0
            guard pthread_threadid_np(nil, &number) == 0 else { return (0, pthread_main_np() != 0) }
            return (number, pthread_main_np() != 0)
        #else
            // Swift imports neither gettid nor syscall. The kernel's id of a thread's clock contains the number of the
            // thread.
            var clock: clockid_t = 0
            guard pthread_getcpuclockid(pthread_self(), &clock) == 0 else { return (0, false) }
            let number = ~(clock >> 3)
            return (UInt64(UInt32(bitPattern: number)), number == getpid())
        #endif
    }

    /// The thread's name; `nil` if it has none of its own.
    package static var name: String? {
        var bytes = [CChar](repeating: 0, count: 256)
        guard readName(&bytes) else { return nil }
        let name = String(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return name.isEmpty || name == inherited ? nil : name
    }

    #if canImport(Darwin)
        private static func readName(_ bytes: inout [CChar]) -> Bool {
            let count = bytes.count
            return pthread_getname_np(pthread_self(), &bytes, count) == 0
        }

        private static var inherited: String { "" }
    #else
        private static func readName(_ bytes: inout [CChar]) -> Bool {
            guard let getName else { return false }
            let count = bytes.count
            return getName(pthread_self(), &bytes, count) == 0
        }

        // Sound: the parameters and the result are those of the function. Its header hides it from Swift.
        private static let getName = dlsym(nil, "pthread_getname_np").map { symbol in
            unsafeBitCast(
                symbol,
                to: (@convention(c) (pthread_t, UnsafeMutablePointer<CChar>, Int) -> CInt).self
            )
        }

        /// The size of the longest name of a thread in bytes.
        private static let maxNameLength = 15

        /// The name of a thread without one of its own: that of the process's file.
        private static let inherited: String = {
            let file = CommandLine.arguments.first?.split(separator: "/").last ?? ""
            return String(decoding: file.utf8.prefix(maxNameLength), as: UTF8.self)
        }()
    #endif
}
