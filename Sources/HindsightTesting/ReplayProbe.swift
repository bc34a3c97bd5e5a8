import HindsightRecorder

#if os(Linux)
    import Foundation
    import HindsightRecording
    import HindsightReplay
    import HindsightSQLite

    /// Replays a recording in a process of its own first, so that a reducer that traps does not end the test's.
    ///
    /// The process is a fork of the test's: the app's reducers are values of the running test, and no other process has
    /// them. It has one thread, so whatever lock another thread held at that moment stays locked there. A fork that
    /// falls asleep is therefore ended and made anew; it is not relied upon where that does not help.
    struct ReplayProbe {
        /// How a replay ended its process.
        struct Death {
            /// What was being done; `nil` before the first action.
            let point: ReplayPoint?
            /// `signal 4` or `exit status 0`.
            let ending: String
            /// The words of the trap.
            let message: String?
        }

        /// What has come out.
        enum Outcome {
            /// It came to its end: with a result, or with an error that another replay gives as well.
            case survived
            case died(Death)
            /// No fork could be made, or each fell asleep.
            case unknown
        }

        /// A fork that sleeps for so many milliseconds is taken to wait for a lock that nobody opens, in each attempt.
        private static let longestSleeps = [200, 200, 400, 1000, 2000]

        let recording: URL
        let app: ReplayableApp

        /// Replays the recording, the actions included that finished but whose states were not recorded.
        func run() -> Outcome {
            for longestSleep in Self.longestSleeps {
                if let outcome = attempt(longestSleep) { return outcome }
            }
            return .unknown
        }

        /// - Returns: `nil` where the fork fell asleep.
        private func attempt(_ longestSleep: Int) -> Outcome? {
            guard let marks = Channel() else { return .unknown }
            guard let words = Channel() else { return .unknown }
            fflush(nil)
            let child = withSQLiteUnlocked { fork() }
            if child == 0 { replay(marks.writeEnd, words.writeEnd) }
            guard child > 0 else { return .unknown }
            marks.closeWriteEnd()
            words.closeWriteEnd()

            var (told, said) = (Told(), [UInt8]())
            var (asleep, marked) = (0, 0)
            while true {
                // The pipe of the marks must not fill up.
                let pause: Int32 = marked > 1 << 13 ? 1 : 10
                var entry = pollfd(fd: words.readEnd, events: Int16(POLLIN), revents: 0)
                if poll(&entry, 1, pause) > 0, entry.revents & Int16(POLLIN) == 0 { usleep(1000) }
                var status: Int32 = 0
                let waited = waitpid(child, &status, WNOHANG)
                // A process that ignores the ends of its children does not learn how they ended.
                let isUnknown = waited == -1 && errno == ECHILD
                let hasEnded = waited == child || isUnknown
                let news = marks.drain()
                marked = news.count
                told.take(news)
                said += words.drain()
                if said.count > 1 << 20 { said.removeFirst(said.count - 1 << 16) }
                if hasEnded {
                    let isSignal = status & 0x7F != 0
                    if told.hasEnded, !isSignal { return .survived }
                    return .died(
                        Death(
                            point: told.point,
                            ending: isUnknown
                                ? "in an unknown way"
                                : isSignal ? "signal \(status & 0x7F)" : "exit status \(status >> 8 & 0xFF)",
                            message: Self.trap(in: String(decoding: said, as: UTF8.self))
                        )
                    )
                }
                asleep = news.isEmpty && Self.isAsleep(child) ? asleep + Int(pause) : 0
                if asleep >= longestSleep {
                    kill(child, SIGKILL)
                    while waitpid(child, &status, 0) == -1, errno == EINTR {}
                    return nil
                }
            }
        }

        /// The message of a trap, as the runtime writes it.
        private static func trap(in text: String) -> String? {
            text.split(separator: "\n").last { line in
                ["Fatal error", "Precondition failed", "Assertion failed"].contains(where: line.contains)
            }
            .map { String($0.prefix(400)) }
        }

        /// Whether a process waits for something.
        private static func isAsleep(_ process: pid_t) -> Bool {
            guard let bytes = FileManager.default.contents(atPath: "/proc/\(process)/stat") else { return false }
            let text = String(decoding: bytes, as: UTF8.self)
            // The name before it, in parentheses, may have any characters.
            return text[(text.lastIndex(of: ")") ?? text.startIndex)...].dropFirst(2).first == "S"
        }
    }

    // MARK: The fork

    extension ReplayProbe {
        /// What the fork does. It runs nothing of the test's: neither handlers of signals nor what waits for the exit.
        private func replay(_ marks: Int32, _ words: Int32) -> Never {
            dup2(words, STDOUT_FILENO)
            dup2(words, STDERR_FILENO)
            // A recorder of the test's that is closed meanwhile must not stay locked by a copy of its file.
            for descriptor in Self.descriptors() where descriptor > 2 && descriptor != marks { close(descriptor) }
            for number in [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGQUIT] { signal(number, SIG_DFL) }
            var none = rlimit(rlim_cur: 0, rlim_max: 0)
            #if canImport(Glibc)
                setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
            #else
                setrlimit(RLIMIT_CORE, &none)
            #endif
            let tell = { (point: ReplayPoint) in Told.send(point, to: marks) }
            do {
                let recording = try Recording(at: recording)
                let verification = try Verification(of: recording, by: app)
                verification.watch = tell
                let result = try verification.run()
                if result.matches, result.unknown != nil {
                    try runUncompared(recording, app, watch: tell)
                }
            } catch {
                // The replay in the test's process throws it again, and there it is reported.
                _ = error
            }
            Told.sendEnd(to: marks)
            _exit(0)
        }

        private static func descriptors() -> [Int32] {
            guard let folder = opendir("/proc/self/fd") else { return [] }
            defer { closedir(folder) }
            var numbers: [Int32] = []
            while let entry = readdir(folder) {
                let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                    String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
                }
                if let number = Int32(name), number != dirfd(folder) { numbers.append(number) }
            }
            return numbers
        }
    }

    /// What the fork has told: 16 bytes a point.
    private struct Told {
        private(set) var point: ReplayPoint?
        private(set) var hasEnded = false
        private var pending: [UInt8] = []

        private static let over: Int64 = -1

        static func send(_ point: ReplayPoint, to descriptor: Int32) {
            send(Int64(point.seq), UInt64(point.reducer) << 8 | UInt64(point.phase.rawValue), descriptor)
        }

        static func sendEnd(to descriptor: Int32) { send(over, 0, descriptor) }

        private static func send(_ seq: Int64, _ rest: UInt64, _ descriptor: Int32) {
            let words = (UInt64(bitPattern: seq).littleEndian, rest.littleEndian)
            // So few bytes are written whole or not at all.
            withUnsafeBytes(of: words) { while write(descriptor, $0.baseAddress, $0.count) < 0, errno == EINTR {} }
        }

        mutating func take(_ bytes: [UInt8]) {
            pending += bytes
            let whole = pending.count / 16 * 16
            guard whole > 0 else { return }
            pending[..<whole].withUnsafeBytes { bytes in
                for offset in stride(from: 0, to: whole, by: 16) {
                    let seq = Int64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Int64.self))
                    let rest = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset + 8, as: UInt64.self))
                    if seq == Self.over {
                        hasEnded = true
                    } else if let phase = ReplayPoint.Phase(rawValue: UInt8(truncatingIfNeeded: rest)) {
                        point = ReplayPoint(seq: Int(seq), reducer: Int(rest >> 8), phase: phase)
                    }
                }
            }
            pending.removeFirst(whole)
        }
    }

    /// A pipe.
    private final class Channel {
        let readEnd: Int32
        private(set) var writeEnd: Int32

        init?() {
            var ends: [Int32] = [-1, -1]
            guard pipe(&ends) == 0 else { return nil }
            (readEnd, writeEnd) = (ends[0], ends[1])
            for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
            _ = fcntl(readEnd, F_SETFL, O_NONBLOCK)
        }

        deinit {
            close(readEnd)
            closeWriteEnd()
        }

        func closeWriteEnd() {
            guard writeEnd >= 0 else { return }
            close(writeEnd)
            writeEnd = -1
        }

        /// What is there.
        func drain() -> [UInt8] {
            var all: [UInt8] = []
            var bytes = [UInt8](repeating: 0, count: 1 << 14)
            while true {
                let count = bytes.withUnsafeMutableBytes { read(readEnd, $0.baseAddress, $0.count) }
                guard count > 0 else { return all }
                all += bytes[..<count]
            }
        }
    }
#endif
