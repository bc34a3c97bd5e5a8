import HindsightReplay
import HindsightSupport

/// Reports a replay's progress, and at last its exit code, from the process that replays to its parent.
///
/// The reports go through a pipe, which keeps what was written after the writer has died. An exit status counts as a
/// verdict only if the same code came through the pipe.
///
/// A record has 16 bytes, little endian: its kind (1), the point's phase (1), the reducer's number (2), the count of
/// the bytes that follow (4), and the action's number or the exit code (8).
final class ReplayProgressWriter: Sendable {
    private let descriptor: Int32
    /// The process that may write. If a reducer forks, another process has the same pipe.
    private let owner = getpid()

    init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// Reports the recording that is about to be replayed.
    func beginFile(_ file: String) {
        send(Record(kind: .file, count: UInt32(file.utf8.count)), Array(file.utf8))
    }

    /// Reports the point that is about to be reached. Costs a system call.
    func report(_ point: ReplayPoint) {
        send(
            Record(
                kind: .point,
                phase: point.phase.rawValue,
                reducer: UInt16(clamping: point.reducer),
                value: Int64(point.seq)
            )
        )
    }

    /// Reports the end of a file's replay, and its exit code and details if it is one of several files.
    func endFile(_ code: ExitCode = .fine, details: [UInt8] = []) {
        send(Record(kind: .fileEnd, count: UInt32(details.count), value: Int64(code.rawValue)), details)
    }

    /// Reports the verdict.
    func end(_ code: ExitCode) { send(Record(kind: .end, value: Int64(code.rawValue))) }

    private func send(_ record: Record, _ more: [UInt8] = []) {
        // A forked copy of the process would continue the replay, and print everything twice.
        if getpid() != owner { _exit(ExitCode.crash.rawValue) }
        withUnsafeBytes(of: record.words) { send($0) }
        if !more.isEmpty { more.withUnsafeBytes { send($0) } }
    }

    private func send(_ bytes: UnsafeRawBufferPointer) {
        var rest = bytes
        while !rest.isEmpty {
            switch Descriptor.write(descriptor, from: rest) {
            case .success(let count): rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            // The verdict would not arrive.
            case .failure: _exit(ReplayProcess.cutOff)
            }
        }
    }
}

extension ReplayProgressWriter {
    struct Record {
        enum Kind: UInt8 { case file = 1, point, fileEnd, end }

        static let size = 16

        var kind: Kind
        var phase: UInt8 = 0
        var reducer: UInt16 = 0
        var count: UInt32 = 0
        var value: Int64 = 0

        var words: (UInt64, UInt64) {
            let head = UInt64(kind.rawValue) | UInt64(phase) << 8 | UInt64(reducer) << 16 | UInt64(count) << 32
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

    /// Returns and forgets the ends of files that were reported with details, in order.
    mutating func takeEnded() -> [(code: ExitCode, details: [UInt8])] {
        defer { ended = [] }
        return ended
    }

    /// Reads bytes from the pipe.
    ///
    /// - Returns: Whether another action or another file has begun.
    mutating func take(_ bytes: some Sequence<UInt8>) -> Bool {
        pending += bytes
        let before = (file, point?.seq)
        var offset = 0
        while pending.count - offset >= ReplayProgressWriter.Record.size {
            // A verification of a million actions reports several millions of points.
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
                (file, point) = (String(decoding: pending[start..<start + count], as: UTF8.self), nil)
            case .point:
                let phase = ReplayPoint.Phase(rawValue: pending[offset + 1]) ?? .reducing
                point = ReplayPoint(seq: value, reducer: Int(head >> 16 & 0xFFFF), phase: phase)
            case .fileEnd:
                (file, point) = (nil, nil)
                let code = ExitCode(rawValue: Int32(truncatingIfNeeded: value))
                worst = ExitCode(rawValue: max(worst.rawValue, code.rawValue))
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
        return before != (file, point?.seq)
    }
}
