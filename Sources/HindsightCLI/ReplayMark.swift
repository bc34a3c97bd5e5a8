import Foundation

/// How far a replay has come, in a file that outlives the process: the number of the action that is about to run, in
/// 8 bytes, and the recording's path.
final class ReplayMark: Sendable {
    private let descriptor: Int32

    init(_ path: String) {
        descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Notes which recording is being replayed.
    func begin(_ file: String) {
        write(Array(file.utf8), at: 8)
        ftruncate(descriptor, off_t(8 + file.utf8.count))
    }

    /// Notes the action that is about to run. Costs a system call.
    func note(_ seq: Int) {
        write(withUnsafeBytes(of: Int64(seq).littleEndian, Array.init), at: 0)
    }

    /// Notes that whatever was to run has run, and that the process now ends by itself.
    func end() { note(Self.over) }

    private static let over = -1

    /// A mark that cannot be written makes the report of a crash say less; the replay itself goes on.
    private func write(_ bytes: [UInt8], at offset: off_t) {
        _ = bytes.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, offset) }
    }

    /// The action that was noted last, in which the process has ended; `nil` where none was, or ``end()`` came after it.
    static func read(_ path: String) -> (file: String, seq: Int)? {
        guard let bytes = FileManager.default.contents(atPath: path), bytes.count > 8 else { return nil }
        let seq = bytes.prefix(8).reversed().reduce(Int64(0)) { $0 << 8 | Int64($1) }
        return seq == over ? nil : (String(decoding: bytes.dropFirst(8), as: UTF8.self), Int(seq))
    }
}
