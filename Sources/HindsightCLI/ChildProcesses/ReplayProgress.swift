import HindsightReplay
import HindsightSupport

/// Reports a replay's progress, and at last its exit code, from the process that replays to its parent.
///
/// The reports go through a pipe, which keeps what was written after the writer has died, and the points through shared
/// memory. An exit status counts as a verdict only if the same code came through the pipe.
///
/// A record has 16 bytes, little endian: its kind (1), nothing (3), the count of the bytes that follow (4), and the exit
/// code (8).
final class ReplayProgressWriter: Sendable {
    private let descriptor: Int32
    private let shared: SharedPoint
    /// The process that may write. If a reducer forks, another process has the same pipe.
    private let owner = getpid()
    private let generation = Fork.generation

    init(descriptor: Int32, shared: SharedPoint) {
        self.descriptor = descriptor
        self.shared = shared
    }

    /// Reports the recording that is about to be replayed.
    func beginFile(_ file: String) {
        shared.point = nil
        send(Record(kind: .file, count: UInt32(file.utf8.count)), Array(file.utf8))
    }

    /// Reports the point that is about to be reached. Costs a system call an action.
    func report(_ point: ReplayPoint) {
        if Fork.generation != generation { endFork() }
        // Finds code of the app that closed the pipe, before the next action becomes the last point. To ask after each
        // reducer would find the reducer too, and cost a fifth of the time of a replay. A pipe has no offset: lseek
        // always fails, and costs half of what fcntl does.
        if point.phase == .decoding, lseek(descriptor, 0, SEEK_CUR) < 0, errno == EBADF { endCutOff() }
        shared.point = point
    }

    /// Reports the end of a file's replay, and its exit code and details if it is one of several files.
    func endFile(_ code: ExitCode = .fine, details: [UInt8] = []) {
        send(Record(kind: .fileEnd, count: UInt32(details.count), value: Int64(code.rawValue)), details)
    }

    /// Reports the verdict.
    func end(_ code: ExitCode) { send(Record(kind: .end, value: Int64(code.rawValue))) }

    private func send(_ record: Record, _ more: [UInt8] = []) {
        if getpid() != owner { endFork() }
        withUnsafeBytes(of: record.words) { send($0) }
        if !more.isEmpty { more.withUnsafeBytes { send($0) } }
    }

    /// Ends a forked copy of the process, which would continue the replay and print everything twice.
    private func endFork() -> Never { _exit(ExitCode.crash.rawValue) }

    /// Ends this process, whose pipe was closed during the last action. Which code of the app closed it is not known.
    private func endCutOff() -> Never {
        if let seq = shared.point?.seq { shared.point = ReplayPoint(seq: seq, reducer: 0, phase: .reducing) }
        _exit(ReplayProcess.cutOff)
    }

    private func send(_ bytes: UnsafeRawBufferPointer) {
        var rest = bytes
        while !rest.isEmpty {
            switch Descriptor.write(descriptor, from: rest) {
            case .success(let count): rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            // The verdict would not arrive.
            case .failure: endCutOff()
            }
        }
    }
}

extension ReplayProgressWriter {
    struct Record {
        enum Kind: UInt8 { case file = 1, fileEnd, end }

        static let size = 16

        var kind: Kind
        var count: UInt32 = 0
        var value: Int64 = 0

        var words: (UInt64, UInt64) {
            let head = UInt64(kind.rawValue) | UInt64(count) << 32
            return (head.littleEndian, UInt64(bitPattern: value).littleEndian)
        }
    }
}

/// The progress of a replay, read by the parent from the pipe of a ``ReplayProgressWriter``.
struct ReplayProgress {
    /// The recording that is being replayed; `nil` between two, before the first and after the last.
    private(set) var file: String?
    /// The point that the replay reached last; `nil` before the first action.
    private(set) var point: ReplayPoint?
    private(set) var verdict: ExitCode?
    /// The highest exit code of the files that have ended.
    private(set) var worst = ExitCode.fine
    /// The files that have ended, with what was reported of them; see ``takeEnded()``.
    private var ended: [(code: ExitCode, details: [UInt8])] = []
    private var pending: [UInt8] = []
    /// The file to which ``point`` belongs.
    private var reachedFile: String?

    /// Returns and forgets the ends of files that were reported with details, in order.
    mutating func takeEnded() -> [(code: ExitCode, details: [UInt8])] {
        defer { ended = [] }
        return ended
    }

    /// Notes the point that the replay has reached; `nil` before the first action of a file.
    ///
    /// - Returns: Whether another action or another file has begun since the last call.
    mutating func reach(_ reached: ReplayPoint?) -> Bool {
        let before = (reachedFile, point?.seq)
        point = file == nil ? nil : reached
        reachedFile = file
        return before != (file, point?.seq)
    }

    /// Reads bytes from the pipe.
    mutating func take(_ bytes: some Sequence<UInt8>) {
        pending += bytes
        var offset = 0
        while pending.count - offset >= ReplayProgressWriter.Record.size {
            let (head, tail) = pending.withUnsafeBytes { bytes in
                (
                    UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)),
                    UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset + 8, as: UInt64.self))
                )
            }
            let count = Int(head >> 32)
            guard pending.count - offset >= ReplayProgressWriter.Record.size + count else { break }
            let value = Int(Int64(bitPattern: tail))
            switch ReplayProgressWriter.Record.Kind(rawValue: pending[offset]) {
            case .file:
                let start = offset + ReplayProgressWriter.Record.size
                file = String(decoding: pending[start..<start + count], as: UTF8.self)
            case .fileEnd:
                file = nil
                let code = ExitCode(rawValue: Int32(truncatingIfNeeded: value))
                worst = max(worst, code)
                let start = offset + ReplayProgressWriter.Record.size
                if count > 0 { ended.append((code, Array(pending[start..<start + count]))) }
            case .end:
                verdict = ExitCode(rawValue: Int32(truncatingIfNeeded: value))
            case nil:
                break
            }
            offset += ReplayProgressWriter.Record.size + count
        }
        pending.removeFirst(offset)
    }
}
