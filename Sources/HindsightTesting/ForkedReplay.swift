import HindsightRecorder

#if os(Linux)
    import Foundation
    import HindsightRecording
    import HindsightReplay
    import HindsightSQLite
    import HindsightSupport

    /// Replays a recording in a child process, so that a reducer that traps does not end the test's process.
    ///
    /// The child is a fork of the test's process: the app's reducers are values of the running test, and no other
    /// process has them. A fork has one thread, so a lock that another thread held stays locked there. A child that
    /// sleeps too long is therefore killed and forked again. If all attempts fail, the outcome is unknown.
    struct ForkedReplay {
        /// How a replay ended its process.
        struct Termination {
            /// The last point that the replay reached; `nil` before the first action.
            let point: ReplayPoint?
            /// `signal 4` or `exit status 0`.
            let ending: String
            /// The message of the trap.
            let message: String?
        }

        enum Outcome {
            /// The replay ended with a result, or with an error that a replay in the test's process throws as well.
            case finished
            case terminated(Termination)
            /// The system could not fork, or each fork slept too long.
            case unknown
        }

        /// For each attempt, the milliseconds of sleep after which a fork is assumed to wait for a lock that stays
        /// locked.
        private static let longestSleeps = [200, 200, 400, 1000, 2000]

        let recording: URL
        let app: ReplayableApp

        /// Replays the recording, including the actions that finished but whose states were not recorded.
        func run() -> Outcome {
            for longestSleep in Self.longestSleeps {
                if let outcome = attempt(longestSleep) { return outcome }
            }
            return .unknown
        }

        /// - Returns: `nil` if the fork slept too long.
        private func attempt(_ longestSleep: Int) -> Outcome? {
            guard let reports = Channel() else { return .unknown }
            guard let output = Channel() else { return .unknown }
            fflush(nil)
            let child = withSQLiteUnlocked { fork() }
            if child == 0 { replay(reports.writeEnd, output.writeEnd) }
            guard child > 0 else { return .unknown }
            reports.closeWriteEnd()
            output.closeWriteEnd()

            var (progress, printed) = (Progress(), [UInt8]())
            var (asleep, received) = (0, 0)
            while true {
                // The pipe of the reports must not fill up.
                let pause: Int32 = received > 1 << 13 ? 1 : 10
                var entry = pollfd(fd: output.readEnd, events: Int16(POLLIN), revents: 0)
                if poll(&entry, 1, pause) > 0, entry.revents & Int16(POLLIN) == 0 { usleep(1000) }
                var status: Int32 = 0
                let waited = waitpid(child, &status, WNOHANG)
                // If this process ignores SIGCHLD, the system does not tell how the child ended.
                let isUnknown = waited == -1 && errno == ECHILD
                let hasEnded = waited == child || isUnknown
                let news = reports.drain()
                received = news.count
                progress.take(news)
                printed += output.drain()
                if printed.count > 1 << 20 { printed.removeFirst(printed.count - 1 << 16) }
                if hasEnded {
                    let isSignal = status & 0x7F != 0
                    if progress.hasEnded, !isSignal { return .finished }
                    return .terminated(
                        Termination(
                            point: progress.point,
                            ending: isUnknown
                                ? "in an unknown way"
                                : isSignal ? "signal \(status & 0x7F)" : "exit status \(status >> 8 & 0xFF)",
                            message: TrapMessage.last(in: printed).map {
                                String($0.prefix(400))
                            }
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

        /// Whether a process waits for something.
        private static func isAsleep(_ process: pid_t) -> Bool {
            guard let bytes = FileManager.default.contents(atPath: "/proc/\(process)/stat") else { return false }
            let text = String(decoding: bytes, as: UTF8.self)
            // The name before it, in parentheses, may have any characters.
            return text[(text.lastIndex(of: ")") ?? text.startIndex)...].dropFirst(2).first == "S"
        }
    }

    // MARK: The fork

    extension ForkedReplay {
        /// Replays in the fork. It runs neither signal handlers nor `atexit` functions of the test.
        private func replay(_ reports: Int32, _ output: Int32) -> Never {
            dup2(output, STDOUT_FILENO)
            dup2(output, STDERR_FILENO)
            // A copied descriptor would keep a recording locked after the test has closed its recorder.
            for descriptor in Self.descriptors() where descriptor > 2 && descriptor != reports { close(descriptor) }
            for number in [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGQUIT] { signal(number, SIG_DFL) }
            var none = rlimit(rlim_cur: 0, rlim_max: 0)
            #if canImport(Glibc)
                setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
            #else
                setrlimit(RLIMIT_CORE, &none)
            #endif
            let report = { (point: ReplayPoint) in Progress.send(point, to: reports) }
            do {
                let recording = try Recording(at: recording)
                let verification = try Verification(of: recording, by: app)
                verification.watch = report
                let result = try verification.run()
                if result.matches, result.unknown != nil {
                    try runUncompared(recording, app, watch: report)
                }
            } catch {
                // The replay in the test's process throws and reports it again.
                _ = error
            }
            Progress.sendEnd(to: reports)
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

    /// The progress of the fork, in reports of 16 bytes.
    private struct Progress {
        private(set) var point: ReplayPoint?
        private(set) var hasEnded = false
        private var pending: [UInt8] = []

        private static let end: Int64 = -1

        static func send(_ point: ReplayPoint, to descriptor: Int32) {
            send(Int64(point.seq), UInt64(point.reducer) << 8 | UInt64(point.phase.rawValue), descriptor)
        }

        static func sendEnd(to descriptor: Int32) { send(end, 0, descriptor) }

        private static func send(_ seq: Int64, _ rest: UInt64, _ descriptor: Int32) {
            let words = (UInt64(bitPattern: seq).littleEndian, rest.littleEndian)
            // A pipe writes so few bytes atomically.
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
                    if seq == Self.end {
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

        /// Reads what the pipe holds.
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
