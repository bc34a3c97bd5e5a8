import HindsightFormat
import HindsightRecording
import HindsightSupport

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The index of one recording in the cache folder.
///
/// A process writes the index into a draft, and renames it when it is complete. The file ends with a checksum of
/// everything before it. If the file does not fit the recording, or is damaged, the index is built again. If two processes
/// build the index, each has its own draft, and the last one renamed stays.
struct IndexFile {
    /// The file in the cache folder.
    let path: String
    private let folder: String
    private let recording: Recording
    private let keys: StepKeys

    private static let magic: UInt64 = 0x3158_4449_5453_4E48
    private static let suffix = ".index"
    /// The numbers of a ``head(from:to:)``.
    private static let headCount = 9
    /// The age at which unused files are removed, in seconds.
    private static let oldest = 30 * 86_400

    init(of recording: Recording, _ keys: StepKeys, in cache: URL) {
        (self.recording, self.keys) = (recording, keys)
        folder = cache.path
        var present = stat()
        _ = stat(recording.url.path, &present)
        var sum = Checksum()
        for number in [Int(truncatingIfNeeded: present.st_dev), Int(truncatingIfNeeded: present.st_ino)] {
            withUnsafeBytes(of: number.littleEndian) { sum.add(counted: $0) }
        }
        withUnsafeBytes(of: recording.createdNanoseconds.littleEndian) { sum.add(counted: $0) }
        path = folder + "/" + String(sum.value, radix: 16) + Self.suffix
    }

    /// What an index belongs to, and how far it goes; `nil` if the file of the recording cannot be examined.
    ///
    /// The file, and its size and last modification, or 0 for one that may grow; the stride, the action before the first
    /// one in the index and the last one in it; and a checksum of the last action's steps.
    private func head(from start: Int, to end: Int) throws(RecordingError) -> [UInt64]? {
        var present = stat()
        guard stat(recording.url.path, &present) == 0 else { return nil }
        var numbers = [Int(truncatingIfNeeded: present.st_dev), Int(truncatingIfNeeded: present.st_ino)]
        // A recorder only adds to a live recording. Another one may be replaced in its place, and a text edited.
        let isComplete = !recording.isLive || recording.isText
        let (size, written) = isComplete ? (Int(present.st_size), Int(RunFile.written(present))) : (0, 0)
        numbers += [Int(recording.createdNanoseconds), size, written, keys.stride, start, end]
        var sum = Checksum()
        let cursor = try ActionCursor(of: recording, reading: [.steps])
        try cursor.forEach(in: end...end) { _ in
            try cursor.withSteps { sum.add(counted: UnsafeRawBufferPointer($0)) }
        }
        return numbers.map { UInt64(bitPattern: Int64($0)) } + [sum.value]
    }

    // MARK: Reading

    /// The index and its last action; `nil` if there is none that fits the recording.
    func read() throws(RecordingError) -> (table: PostingTable, start: Int, end: Int)? {
        guard let bytes = Self.contents(of: path), bytes.count >= (Self.headCount + 2) * 8 else { return nil }
        func number(at offset: Int) -> UInt64 {
            bytes.withUnsafeBytes { UInt64(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: UInt64.self)) }
        }
        let numbers = (0...Self.headCount).map { number(at: $0 * 8) }
        let body = bytes.count - 8
        let sum = number(at: body)
        guard numbers[0] == Self.magic, Self.checksum(bytes[..<body]) == sum else { return nil }
        let (start, end) = (Int(Int64(bitPattern: numbers[7])), Int(Int64(bitPattern: numbers[8])))
        // The steps of an action that the limit has dropped cannot be compared.
        guard start <= recording.start.seq, end > recording.start.seq, end <= recording.end.seq,
            try head(from: start, to: end) == Array(numbers.dropFirst()),
            let table = PostingTable(reading: bytes[(numbers.count * 8)..<body])
        else { return nil }
        return (table, start, end)
    }

    private static func contents(of path: String) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var present = stat()
        guard fstat(descriptor, &present) == 0, present.st_mode & S_IFMT == S_IFREG, present.st_size > 0 else {
            return nil
        }
        return try? FileSystem.bytes(of: descriptor, at: 0, count: Int(present.st_size))
    }

    private static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        var sum = Checksum()
        bytes.withUnsafeBytes { sum.add(counted: $0) }
        return sum.value
    }

    // MARK: Writing

    /// Keeps an index, unless it is more than half as large as the recording.
    ///
    /// - Returns: Whether it was kept.
    /// - Throws: A `SystemError` if it cannot be written.
    @discardableResult
    func write(_ table: PostingTable, from start: Int, to end: Int) throws -> Bool {
        guard let head = try self.head(from: start, to: end) else { return false }
        var bytes: [UInt8] = []
        for number in [Self.magic] + head { withUnsafeBytes(of: number.littleEndian) { bytes += $0 } }
        table.write(to: &bytes)
        withUnsafeBytes(of: Self.checksum(bytes[...]).littleEndian) { bytes += $0 }
        guard bytes.count <= Self.size(of: recording) / 2 else { return false }
        try FileManager.default.createDirectory(
            atPath: folder,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        removeUnused()
        let draft = "\(folder)/.\(UUID().uuidString).part"
        let descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw SystemError.last }
        defer { close(descriptor) }
        do {
            try FileSystem.writeAll(bytes[...], to: descriptor)
            guard rename(draft, path) == 0 else { throw SystemError.last }
        } catch {
            unlink(draft)
            throw error
        }
        return true
    }

    /// The bytes of a recording, with what a recorder has not moved into its file yet.
    static func size(of recording: Recording) -> Int {
        Int(FileSystem.size(of: recording.url.path) + FileSystem.size(of: recording.url.path + "-wal"))
    }

    /// Removes indexes that were not built for a long time, and drafts of processes that were killed.
    private func removeUnused() {
        let now = Int(SystemClock.wall / 1_000_000_000)
        // A file that cannot be removed now is removed another time.
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] {
            let isDraft = name.hasSuffix(".part")
            guard isDraft || name.hasSuffix(Self.suffix) else { continue }
            var present = stat()
            guard lstat("\(folder)/\(name)", &present) == 0 else { continue }
            let age = now - Int(RunFile.written(present) / 1_000_000_000)
            if age > (isDraft ? 3600 : Self.oldest) { unlink("\(folder)/\(name)") }
        }
    }
}

extension Checksum {
    /// Adds bytes and their number.
    fileprivate mutating func add(counted bytes: UnsafeRawBufferPointer) {
        add(bytes)
        add(UInt64(bytes.count))
    }
}
