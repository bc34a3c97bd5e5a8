import Foundation
import HindsightReplay

/// What a replay's own process tells the one that has started it, through a pipe: how far it has come, and at last with
/// which exit code it ends. What was written into a pipe is still there when the writer has died, and a verdict is one
/// only if it came through here.
///
/// A record has 16 bytes: what it is (1), the point's phase (1), the reducer's number (2), the bytes that follow (4) and the
/// action's number or the exit code (8), little endian.
final class ReplayMark: Sendable {
    private let descriptor: Int32
    /// The process that may tell: a reducer that forks leaves another one with the same pipe.
    private let owner = getpid()

    init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// Tells which recording is being replayed, before its first action.
    func begin(_ file: String) {
        send(Record(kind: .file, count: UInt32(file.utf8.count)), Array(file.utf8))
    }

    /// Tells the action that is about to run.
    func note(_ seq: Int) { note(ReplayPoint(seq: seq, reducer: 0, phase: .decoding)) }

    /// Tells what is about to be done. Costs a system call.
    func note(_ point: ReplayPoint) {
        send(
            Record(
                kind: .point,
                phase: point.phase.rawValue,
                reducer: UInt16(clamping: point.reducer),
                value: Int64(point.seq)
            )
        )
    }

    /// Tells that the replay of the file has ended, and with which exit code if it was one of several files.
    func rest(_ code: ExitCode = .fine) { send(Record(kind: .rest, value: Int64(code.rawValue))) }

    /// Tells the verdict.
    func end(_ code: ExitCode) { send(Record(kind: .end, value: Int64(code.rawValue))) }

    private func send(_ record: Record, _ more: [UInt8] = []) {
        // A copy of the process that a reducer has forked would go on with the replay and print everything twice.
        if getpid() != owner { _exit(ExitCode.crash.rawValue) }
        withUnsafeBytes(of: record.words) { send($0) }
        if !more.isEmpty { more.withUnsafeBytes { send($0) } }
    }

    private func send(_ bytes: UnsafeRawBufferPointer) {
        var rest = bytes
        while !rest.isEmpty {
            switch Descriptor.write(descriptor, from: rest) {
            case .success(let count): rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            // Nobody would hear the verdict.
            case .failure: _exit(ReplayProcess.cutOff)
            }
        }
    }
}

extension ReplayMark {
    struct Record {
        enum Kind: UInt8 { case file = 1, point, rest, end }

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

    /// The other end: what was told last.
    struct Progress {
        /// The recording that is being replayed; `nil` between two, before the first and after the last.
        private(set) var file: String?
        /// What was about to be done there; `nil` before the first action.
        private(set) var point: ReplayPoint?
        private(set) var verdict: ExitCode?
        /// The highest exit code of the files that are through.
        private(set) var worst = ExitCode.fine
        private var pending: [UInt8] = []

        /// Takes what came through the pipe.
        ///
        /// - Returns: Whether another action, or another file, was begun.
        mutating func take(_ bytes: some Sequence<UInt8>) -> Bool {
            pending += bytes
            let before = (file, point?.seq)
            var offset = 0
            while pending.count - offset >= Record.size {
                func number(_ range: Range<Int>) -> UInt64 {
                    range.reversed().reduce(0) { $0 << 8 | UInt64(pending[offset + $1]) }
                }
                let count = Int(number(4..<8))
                guard pending.count - offset >= Record.size + count else { break }
                let value = Int(Int64(bitPattern: number(8..<16)))
                switch Record.Kind(rawValue: pending[offset]) {
                case .file:
                    let start = offset + Record.size
                    (file, point) = (String(decoding: pending[start..<start + count], as: UTF8.self), nil)
                case .point:
                    let phase = ReplayPoint.Phase(rawValue: pending[offset + 1]) ?? .reducing
                    point = ReplayPoint(seq: value, reducer: Int(number(2..<4)), phase: phase)
                case .rest:
                    (file, point) = (nil, nil)
                    worst = ExitCode(rawValue: max(worst.rawValue, Int32(truncatingIfNeeded: value)))
                case .end:
                    verdict = ExitCode(rawValue: Int32(truncatingIfNeeded: value))
                case nil:
                    break
                }
                offset += Record.size + count
            }
            pending.removeFirst(offset)
            return before != (file, point?.seq)
        }
    }
}
