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
    /// What an index belongs to, and how far it goes.
    private struct Head: Equatable {
        /// The file of the recording.
        var (device, node, created): (Int, Int, Int)
        /// The file's size and last modification, if the recording is complete; 0 for one that may grow.
        var (size, written): (Int, Int) = (0, 0)
        var stride: Int
        /// The action before the first one in the index, and the last one in it.
        var (start, end): (Int, Int)
        /// A checksum of the last action's steps.
        var lastSteps: UInt64

        var numbers: [UInt64] {
            [device, node, created, size, written, stride, start, end].map { UInt64(bitPattern: Int64($0)) } + [
                lastSteps
            ]
        }

        static let count = 9

        init(_ numbers: [UInt64]) {
            let parts = numbers.map { Int(Int64(bitPattern: $0)) }
            (device, node, created, size, written) = (parts[0], parts[1], parts[2], parts[3], parts[4])
            (stride, start, end, lastSteps) = (parts[5], parts[6], parts[7], numbers[8])
        }

        /// `nil` if the file cannot be examined.
        init?(of recording: Recording, _ keys: StepKeys, from start: Int, to end: Int) throws(RecordingError) {
            var present = stat()
            guard stat(recording.url.path, &present) == 0 else { return nil }
            (device, node) = (Int(truncatingIfNeeded: present.st_dev), Int(truncatingIfNeeded: present.st_ino))
            created = Int(recording.createdNanoseconds)
            // Only a recorder changes a recording that is not closed, and it only adds. A text may be edited.
            if recording.ending == .closed || recording.isText {
                (size, written) = (Int(present.st_size), Int(RunFile.written(present)))
            }
            (stride, self.start, self.end) = (keys.stride, start, end)
            var sum = Checksum()
            let cursor = try ActionCursor(of: recording, reading: [.steps])
            try cursor.forEach(in: end...end) { _ in
                try cursor.withSteps { sum.add(counted: UnsafeRawBufferPointer($0)) }
            }
            lastSteps = sum.value
        }
    }

    /// The file in the cache folder.
    let path: String
    private let folder: String
    private let recording: Recording
    private let keys: StepKeys

    private static let magic: UInt64 = 0x3158_4449_5453_4E48
    private static let suffix = ".index"
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

    // MARK: Reading

    /// The index and its last action; `nil` if there is none that fits the recording.
    func read() throws(RecordingError) -> (table: PostingTable, start: Int, end: Int)? {
        guard let bytes = Self.contents(of: path), bytes.count >= (Head.count + 2) * 8 else { return nil }
        let numbers = bytes.withUnsafeBytes { raw in
            (0...Head.count).map { UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: $0 * 8, as: UInt64.self)) }
        }
        let body = bytes.count - 8
        let sum = bytes.withUnsafeBytes { raw in
            UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: body, as: UInt64.self))
        }
        guard numbers[0] == Self.magic, Self.checksum(bytes[..<body]) == sum else { return nil }
        let head = Head(Array(numbers.dropFirst()))
        // The steps of an action that the limit has dropped cannot be compared.
        guard head.start <= recording.start.seq, head.end > recording.start.seq, head.end <= recording.end.seq,
            try Head(of: recording, keys, from: head.start, to: head.end) == head,
            let table = PostingTable(reading: bytes[(numbers.count * 8)..<body])
        else { return nil }
        return (table, head.start, head.end)
    }

    private static func contents(of path: String) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var present = stat()
        guard fstat(descriptor, &present) == 0, present.st_mode & S_IFMT == S_IFREG, present.st_size > 0 else {
            return nil
        }
        let size = Int(present.st_size)
        return [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            while count < size {
                let done = count
                let part = pread(descriptor, buffer.baseAddress.map { $0 + done }, size - done, off_t(done))
                if part < 0, errno == EINTR { continue }
                if part <= 0 { break }
                count += part
            }
        }
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
        guard let head = try Head(of: recording, keys, from: start, to: end) else { return false }
        var bytes: [UInt8] = []
        for number in [Self.magic] + head.numbers { withUnsafeBytes(of: number.littleEndian) { bytes += $0 } }
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
