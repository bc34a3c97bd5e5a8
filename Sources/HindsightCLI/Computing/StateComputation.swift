import Foundation
import HindsightFormat
import HindsightRecording
import HindsightReplay
import HindsightSupport
import HindsightTree

/// Computes the changes of actions by running the app's reducers in a separate process, a ``StateWorker``.
///
/// If a reducer traps, calls `exit` or does not return, that process ends, and the changes before it are kept. The
/// process runs ahead until its pipe is full, and ends with the computation.
final class StateComputation {
    /// Why the computation ended early.
    enum Failure: Equatable {
        /// The app's code trapped. The message of the runtime is escaped; `nil` if there is none.
        case crashed(ReplayPoint, message: String?)
        /// The app's code ended the process itself.
        case exited(ReplayPoint)
        /// The app's code did not return in time.
        case stalled(ReplayPoint)
        /// Any other failure, as text.
        case failed(String)
    }

    /// The seconds in one reducer after which the computation stops.
    static let longestStep = 5.0
    /// The seconds to wait until the process begins, enough for a busy machine.
    private static let longestStart = 60.0
    /// The most bytes of the error stream to keep for the message of a trap.
    private static let mostErrors = 1 << 14

    /// Why ``next()`` ended early; `nil` if it has not ended, or all was computed.
    private(set) var failure: Failure?
    /// The point that was reached last.
    private var running: ReplayPoint?

    private let process = Process()
    private let lifeline = Pipe()
    private let results = Pipe()
    private let errors = Pipe()
    private let reducers: Int
    private let stalls: (ReplayPoint, Double) -> Void
    private var unread: [UInt8] = []
    private var lines: ArraySlice<[UInt8]> = []
    private var printed: [UInt8] = []
    private var isOver = false
    private var silentSince = ContinuousClock.now
    private var pending: (seq: Int, steps: [RecordedStep])?

    /// Starts computing.
    ///
    /// - Parameters:
    ///   - executable: The executable of this tool.
    ///   - start: A position whose state was recorded.
    ///   - end: The position to stop at.
    ///   - stalls: Called repeatedly while a reducer takes long, with its point and the seconds.
    init(
        of recording: Recording,
        by executable: URL,
        from start: Recording.Position,
        to end: Recording.Position,
        stalls: @escaping (ReplayPoint, Double) -> Void
    ) throws {
        self.stalls = stalls
        reducers = recording.reducers.count
        process.executableURL = executable
        process.arguments = [StateWorker.word, recording.url.path, "\(start)", "\(end)"]
        var environment = ProcessInfo.processInfo.environment
        // The last report names the reducer that crashed; a backtrace would take seconds.
        environment["SWIFT_BACKTRACE"] = "enable=no"
        process.environment = environment
        process.standardInput = lifeline
        process.standardOutput = results
        process.standardError = errors
        for handle in [lifeline.fileHandleForWriting, results.fileHandleForReading, errors.fileHandleForReading] {
            // Another child must not hold them open.
            _ = fcntl(handle.fileDescriptor, F_SETFD, FD_CLOEXEC)
        }
        try process.run()
    }

    deinit {
        stop()
    }

    private func stop() {
        guard process.isRunning else { return }
        // Kills its group too: a forked copy would keep `waitUntilExit` waiting.
        kill(-process.processIdentifier, SIGKILL)
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    /// The next action and the changes of its reducers; in the action where the computation stops, only those before.
    ///
    /// - Returns: `nil` at the end; ``failure`` says why.
    func next() -> (seq: Int, steps: [RecordedStep])? {
        while let line = nextLine() {
            if let action = take(String(decoding: line, as: UTF8.self)) { return action }
        }
        defer { pending = nil }
        return pending
    }

    private func take(_ line: String) -> (seq: Int, steps: [RecordedStep])? {
        let parts = line.split(separator: " ", maxSplits: 1)
        let rest = parts.count > 1 ? String(parts[1]) : ""
        switch parts.first {
        case "r":
            let numbers = rest.split(separator: " ").compactMap { Int($0) }
            if numbers.count == 3, let phase = UInt8(exactly: numbers[2]).flatMap(ReplayPoint.Phase.init) {
                running = ReplayPoint(seq: numbers[0], reducer: numbers[1], phase: phase)
            }
            return nil
        case "p":
            return takeStep(rest)
        case "e":
            failure = .failed(Self.text(rest))
            isOver = true
            return nil
        default:
            isOver = true
            return nil
        }
    }

    private func takeStep(_ text: String) -> (seq: Int, steps: [RecordedStep])? {
        let parts = text.split(separator: " ", maxSplits: 2)
        guard parts.count == 3, let seq = Int(parts[0]), let reducer = Int(parts[1]) else { return nil }
        do {
            let patch = try Patch(json: String(parts[2]))
            var action: (seq: Int, steps: [RecordedStep]) = (seq, [])
            if let pending, pending.seq == seq { action = pending }
            action.steps.append(
                RecordedStep(reducer: reducer, durationInNanoseconds: 0, patch: patch.isEmpty ? nil : patch)
            )
            pending = action
            guard reducer == reducers else { return nil }
            pending = nil
            return action
        } catch {
            failure = .failed(Messages.lines(of: error).first ?? "")
            isOver = true
            return nil
        }
    }

    private static func text(_ json: String) -> String {
        do {
            guard case .string(let text) = try Node(json: json) else { return json }
            return text
        } catch {
            return json
        }
    }

    // MARK: The process

    private func nextLine() -> [UInt8]? {
        while lines.isEmpty, !isOver { read() }
        return isOver ? nil : lines.popFirst()
    }

    /// Waits up to 100 ms for output of the process.
    private func read() {
        var entries = [results, errors].map {
            pollfd(fd: $0.fileHandleForReading.fileDescriptor, events: Int16(POLLIN), revents: 0)
        }
        let count = poll(&entries, 2, 100)
        if count > 0, entries[1].revents != 0 {
            printed = Array((printed + take(from: errors)).suffix(Self.mostErrors))
        }
        if count > 0, entries[0].revents != 0 {
            let bytes = take(from: results)
            if bytes.isEmpty { return end() }
            silentSince = .now
            var parts = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)[...]
            unread += parts.removeFirst()
            guard let rest = parts.popLast() else { return }
            lines = [unread] + parts.map { Array($0) }
            unread = Array(rest)
            return
        }
        let silence = silentSince.duration(to: .now) / .seconds(1)
        if silence > 1, let running { stalls(running, silence) }
        guard silence > (running == nil ? Self.longestStart : Self.longestStep) else { return }
        stop()
        failure = running.map { .stalled($0) } ?? .failed("the process that computes them does not answer")
        isOver = true
    }

    private func take(from pipe: Pipe) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        let result = bytes.withUnsafeMutableBytes {
            Descriptor.read(pipe.fileHandleForReading.fileDescriptor, into: $0)
        }
        guard case .success(let count) = result else { return [] }
        return Array(bytes.prefix(count))
    }

    /// The process has ended without its last line.
    private func end() {
        process.waitUntilExit()
        isOver = true
        // If something outside killed it, no reducer is to blame.
        let status = process.terminationStatus
        let isSignal = process.terminationReason == .uncaughtSignal
        guard let running, !(isSignal && [SIGKILL, SIGTERM, SIGINT, SIGHUP].contains(status)) else {
            let ending = isSignal ? "signal \(status)" : "exit code \(status)"
            failure = .failed("the process that computes them ended with \(ending)")
            return
        }
        failure = isSignal ? .crashed(running, message: trap) : .exited(running)
    }

    /// The last message of the runtime: `MyApp/Cart.swift:12: Fatal error: no such line`.
    private var trap: String? {
        var entry = pollfd(fd: errors.fileHandleForReading.fileDescriptor, events: Int16(POLLIN), revents: 0)
        if poll(&entry, 1, 0) > 0 { printed += take(from: errors) }
        return TrapMessage.last(in: printed).map { brief($0) }
    }
}
