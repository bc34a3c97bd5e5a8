#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The file `NAME.hindsight-ahead` beside a recording that is being written.
///
/// Its recorder holds a lock on it for life, which tells a live recording from a dead one and keeps a second recorder
/// away, and writes into it which reducer is about to run. It is deleted when the recording is closed.
///
/// It cannot be called `-journal`: SQLite takes that name beside a database for its own, and deletes what it finds there.
struct AheadFile: ~Copyable {
    private let path: String
    private let descriptor: Int32

    static func path(for recording: String) -> String { recording + "-ahead" }

    deinit { _ = close(descriptor) }

    // MARK: Layout

    /// Eight bytes, then the version of this layout.
    private static let magic: UInt64 = 0x4441_4548_4154_5348  // "HSTAHEAD" in the file
    private static let version: UInt64 = 1
    private static let markOffset: off_t = 64
    /// Written at once, so that a full disk fails here and no later.
    private static let size = 4096

    // MARK: Recording

    /// Takes the lock and writes an empty file.
    ///
    /// - Throws: A ``RecordingError``: `inUse` where another recorder holds the lock, or `unwritable`.
    static func take(for recording: String) throws -> AheadFile {
        let path = path(for: recording)
        let file = AheadFile(path: path, descriptor: try lock(path, recording))
        do {
            try file.writeHeader()
        } catch {
            file.remove()
            throw RecordingError(.unwritable, file: recording, cause: error)
        }
        return file
    }

    private func writeHeader() throws {
        var words = [UInt64](repeating: 0, count: Self.size / 8)
        words[0] = Self.magic.littleEndian
        words[1] = Self.version.littleEndian
        try words.withUnsafeBytes { try write($0, at: 0) }
        try write(AheadMark(phase: .idle, seq: 0, reducer: 0))
    }

    private init(path: String, descriptor: Int32) {
        self.path = path
        self.descriptor = descriptor
    }

    /// Opens and locks the file that stands at `path` while the lock is held.
    private static func lock(_ path: String, _ recording: String) throws(RecordingError) -> Int32 {
        // A reader that asks whether the recording is live holds the lock for a moment; a recorder that is just being
        // closed deletes the file that we have opened. Both are over at the next try.
        for attempt in 0..<20 {
            let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
            guard descriptor >= 0 else { throw RecordingError(.unwritable, file: recording, cause: SystemError.last) }
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0 {
                if isAt(path, descriptor) { return descriptor }
            } else if errno != EWOULDBLOCK && errno != EINTR {
                let error = SystemError.last
                _ = close(descriptor)
                throw RecordingError(.unwritable, file: recording, cause: error)
            }
            _ = close(descriptor)
            usleep(500 * UInt32(attempt))
        }
        throw RecordingError(.inUse, file: recording)
    }

    private static func isAt(_ path: String, _ descriptor: Int32) -> Bool {
        var opened = stat()
        var present = stat()
        return fstat(descriptor, &opened) == 0 && stat(path, &present) == 0
            && opened.st_ino == present.st_ino && opened.st_dev == present.st_dev
    }

    /// Says what happens next. Costs one write of 24 bytes.
    func write(_ mark: AheadMark) throws(SystemError) {
        var words = mark.words
        try withUnsafeBytes(of: &words) { bytes throws(SystemError) in try write(bytes, at: Self.markOffset) }
    }

    /// Deletes the file. Where that fails the recording's own end still tells that it ended.
    func remove() { _ = unlink(path) }

    private func write(_ bytes: UnsafeRawBufferPointer, at offset: off_t) throws(SystemError) {
        while true {
            let count = pwrite(descriptor, bytes.baseAddress, bytes.count, offset)
            if count == bytes.count { return }
            if count >= 0 { throw SystemError(number: ENOSPC) }
            if errno != EINTR { throw .last }
        }
    }
}

extension AheadFile {
    /// What the file tells a reader.
    enum Finding: Equatable {
        /// There is none.
        case absent
        /// A recorder is at work.
        case live
        /// Its recorder is gone, and last was here; `nil` where the mark cannot be read.
        case dead(AheadMark?)
    }

    /// Looks at the file of a recording, and changes nothing.
    static func inspect(_ recording: String) throws -> Finding {
        let descriptor = open(path(for: recording), O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        if descriptor < 0 {
            if errno == ENOENT { return .absent }
            throw RecordingError(.unreadable, file: path(for: recording), cause: SystemError.last)
        }
        defer { _ = close(descriptor) }
        if flock(descriptor, LOCK_SH | LOCK_NB) != 0 {
            if errno == EWOULDBLOCK { return .live }
            throw RecordingError(.unreadable, file: path(for: recording), cause: SystemError.last)
        }
        return .dead(mark(in: descriptor))
    }

    private static func mark(in descriptor: Int32) -> AheadMark? {
        var header: (UInt64, UInt64) = (0, 0)
        var words: AheadMark.Words = (0, 0, 0)
        guard read(&header, from: descriptor, at: 0), read(&words, from: descriptor, at: markOffset) else { return nil }
        guard header.0 == magic.littleEndian, header.1 == version.littleEndian else { return nil }
        return AheadMark(words: words)
    }

    private static func read<Trivial: BitwiseCopyable>(
        _ value: inout Trivial,
        from descriptor: Int32,
        at offset: off_t
    ) -> Bool {
        withUnsafeMutableBytes(of: &value) { pread(descriptor, $0.baseAddress, $0.count, offset) == $0.count }
    }
}
