import HindsightSupport

/// What a reader finds beside a recording.
package enum JournalInspection: Equatable {
    /// There is no journal.
    case absent
    /// A recorder is writing.
    case live(JournalSnapshot)
    /// The recorder is gone. This is its last mark.
    case dead(JournalSnapshot)

    package var isLive: Bool { if case .live = self { true } else { false } }

    package var snapshot: JournalSnapshot? {
        switch self {
        case .absent: nil
        case .live(let snapshot), .dead(let snapshot): snapshot
        }
    }

    /// Whether there is no journal that says what was recorded last: none, an empty one, or one with a trouble.
    package var isMissing: Bool { snapshot?.hasHeader != true || snapshot?.trouble != nil }
}

/// Shows cheaply whether a recording has changed.
package struct JournalFingerprint: Equatable {
    package var isLive = false
    /// The recorder's mark; `nil` if it cannot be read.
    package var mark: ReducerMark?
    /// The last action that is in the file.
    package var tail: UInt64 = 0
    package var node: UInt64 = 0

    /// Reads the fingerprint. Costs a few system calls, and changes nothing.
    package init(of recording: String) throws(RecordingError) {
        try JournalInspection.inspect(recording) { descriptor, isLive in
            self.isLive = isLive
            var present = stat()
            if fstat(descriptor, &present) == 0 { node = UInt64(present.st_ino) }
            guard let head = JournalSnapshot.bytes(of: descriptor, at: 0, count: 256),
                JournalSnapshot.word(head, 0) == JournalLayout.magic
            else { return }
            mark = ReducerMark(word: JournalSnapshot.word(head, JournalLayout.markOffset))
            tail = JournalSnapshot.word(head, JournalLayout.tailOffset)
        }
    }
}

/// A journal at one moment.
package struct JournalSnapshot: Equatable {
    /// Whether the recorder has written the header, and this version can read it.
    package var hasHeader = false
    /// The recording's UUID; `nil` in the journal of a recorder that did not write it.
    package var id: String?
    /// `nil` if the mark cannot be read.
    package var mark: ReducerMark?
    /// `nil` if the journal has none, because it is damaged.
    package var phase: PhaseMark?
    /// Describes the phase if an action without a number was in the middleware.
    package var entry: PhaseMark.Entry?
    /// The signal that was marked.
    package var crash: CrashSignal?
    /// Whether it was marked that the process called `exit`.
    package var hasExited = false
    /// Whether the recording's own file was complete, with the store's initial state.
    package var hasBegun = false
    package var actions: [(action: DispatchedAction, duration: Int64?)] = []
    package var notes: [JournalNote] = []
    /// The offset at which reading ended.
    package var end: UInt64 = 0
    /// Why the journal does not say what was recorded last. Some of its records may be readable all the same.
    package var trouble: Trouble?

    package enum Trouble: Equatable {
        /// A newer version of Hindsight wrote the journal.
        case newer(version: Int)
        /// What is wrong with the journal, as a clause.
        case damaged(String)
        /// It is the journal of another recording, with this UUID if it is known.
        case foreign(id: String?)

        static var headIsLost: Trouble { .damaged("its head is lost") }

        /// What is wrong, as a clause.
        package var clause: String {
            switch self {
            case .newer(let version): "it has version \(version), which this version of Hindsight does not read"
            case .damaged(let reason): reason
            case .foreign(let id): "it belongs to another recording\(id.map { ", with the id \($0)" } ?? "")"
            }
        }
    }

    package static func == (left: JournalSnapshot, right: JournalSnapshot) -> Bool {
        left.hasHeader == right.hasHeader && left.id == right.id
            && left.mark == right.mark && left.phase == right.phase && left.entry == right.entry
            && left.crash == right.crash && left.hasExited == right.hasExited
            && left.trouble == right.trouble && left.notes == right.notes
            && left.actions.elementsEqual(right.actions) { $0 == $1 }
    }
}

extension JournalInspection {
    /// Whether a recorder is writing. Changes nothing.
    package static func isLive(_ recording: String) throws(RecordingError) -> Bool {
        try inspect(recording) { _, isLive in isLive } ?? false
    }

    /// Reads the journal of a recording. Changes nothing.
    package static func of(_ recording: String) throws(RecordingError) -> JournalInspection {
        try inspect(recording) { descriptor, isLive in
            let snapshot = JournalSnapshot(reading: descriptor)
            return isLive ? .live(snapshot) : .dead(snapshot)
        } ?? .absent
    }

    /// Every whole record in the journal of a recording: see ``JournalContents/init(everyRecordOf:notesFrom:)``.
    package static func everyRecord(beside recording: String) throws(RecordingError) -> JournalContents? {
        try inspect(recording) { descriptor, _ in JournalSnapshot.everyRecord(in: descriptor) }
    }

    /// Opens the journal for `read`, and tells whether a recorder is writing.
    ///
    /// - Returns: `nil` if there is no journal.
    @discardableResult
    fileprivate static func inspect<Result>(
        _ recording: String,
        _ read: (_ descriptor: Int32, _ isLive: Bool) -> Result
    ) throws(RecordingError) -> Result? {
        let path = JournalFile.path(for: recording)
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        if descriptor < 0 {
            if [ENOENT, ENAMETOOLONG].contains(errno) { return nil }
            throw RecordingError(.unreadable, file: path, cause: SystemError.last)
        }
        defer { _ = close(descriptor) }
        if flock(descriptor, LOCK_SH | LOCK_NB) == 0 { return read(descriptor, false) }
        if errno == EWOULDBLOCK { return read(descriptor, true) }
        throw RecordingError(.unreadable, file: path, cause: SystemError.last)
    }
}

extension JournalInspection {
    /// The error for a recording that cannot be opened. If its recorder had not finished creating it, it is not
    /// damaged.
    package func explaining(_ error: RecordingError) -> RecordingError {
        let mayBeBeginning = [.damaged, .notARecording].contains(error.code) || error.code == .empty && isLive
        guard mayBeBeginning, let snapshot, snapshot.mark != nil, !snapshot.hasBegun else { return error }
        let reason = isLive ? RecordingError.isBeginning : "its recorder ended before the recording had begun"
        return RecordingError(.empty, file: error.file, reason: reason)
    }
}

extension JournalSnapshot {
    package static var empty: JournalSnapshot { JournalSnapshot() }

    /// A larger ring is not a recorder's, because no payload is that long.
    private static let limit = 1 << 31

    /// Reads a journal's file. Reads a live journal again if the recorder overtook the reader.
    package init(reading descriptor: Int32) {
        for _ in 0..<100 {
            let start = Self.start(of: descriptor, count: 2 * JournalLayout.head)
            trouble = Self.trouble(of: start)
            hasHeader = trouble == nil && start.count >= JournalLayout.head && Self.word(start, 0) != 0
            guard hasHeader else { return }
            let head = Array(start.prefix(JournalLayout.head))
            let tail = Self.word(head, JournalLayout.tailOffset)
            mark = ReducerMark(word: Self.word(head, JournalLayout.markOffset))
            let words = (0..<JournalLayout.idWords).map { Self.word(head, JournalLayout.idOffset + $0 * 8) }
            id = JournalLayout.id(of: words)
            if id == nil, words.contains(where: { $0 != 0 }) {
                trouble = .damaged("its mark of the recording is damaged")
            }
            if mark == nil { trouble = .damaged("its mark of the last action is damaged") }
            phase = PhaseMark(word: Self.word(head, JournalLayout.phaseOffset))
            entry = Self.entry(of: phase, in: head)
            hasExited = Self.word(head, JournalLayout.exitOffset) == 1
            crash = CrashSignal(
                record: (0..<CrashRecord.words).map { Self.word(head, JournalLayout.crashOffset + $0 * 8) }
            )
            hasBegun = Self.word(head, JournalLayout.begunOffset) == 1
            var present = stat()
            guard fstat(descriptor, &present) == 0, present.st_size <= Self.limit else {
                trouble = .damaged("it is larger than a recorder makes it")
                return
            }
            let count = max(0, Int(present.st_size) - JournalLayout.head)
            // A recorder allocates the ring before it writes the header.
            if count == 0 { trouble = .damaged("it is truncated: its records are lost") }
            // The file may be truncated at any moment.
            guard let ring = Self.bytes(of: descriptor, at: JournalLayout.head, count: count) else { continue }
            let contents = JournalContents(ring: ring, tail: tail)
            (actions, notes, end) = (contents.actions, contents.notes, contents.end)
            // If the recorder has released more than was read, it may have overwritten what was being read.
            let now = Self.bytes(of: descriptor, at: JournalLayout.tailOffset, count: 8).map { Self.word($0, 0) }
            if let now, now <= contents.end || now < tail { return }
        }
    }

    /// Every whole record of a journal's file.
    ///
    /// - Parameter start: See ``JournalContents/init(everyRecordOf:notesFrom:)``.
    package static func everyRecord(in descriptor: Int32, notesFrom start: UInt64 = 0) -> JournalContents {
        var present = stat()
        let isReadable = fstat(descriptor, &present) == 0 && present.st_size <= limit
        let count = isReadable ? max(0, Int(present.st_size) - JournalLayout.head) : 0
        let ring = Self.start(of: descriptor, at: JournalLayout.head, count: count)
        return JournalContents(everyRecordOf: ring, notesFrom: start)
    }

    private static func entry(of phase: PhaseMark?, in head: [UInt8]) -> PhaseMark.Entry? {
        guard let phase, phase.kind == .middleware, 0...1 ~= phase.detail else { return nil }
        let offset = JournalLayout.entryOffset + phase.detail * JournalLayout.entrySize
        let count = Int(clamping: word(head, offset + 16))
        guard count <= JournalLayout.entrySize - 24 else { return nil }
        let parent = Int(clamping: word(head, offset))
        let file = String(decoding: head[offset + 24..<offset + 24 + count], as: UTF8.self)
        return PhaseMark.Entry(
            parent: 1...RecordingPosition.lastPossibleAction ~= parent ? parent : nil,
            origin: file.isEmpty ? "" : "\(file):\(Int(clamping: word(head, offset + 8)))"
        )
    }

    /// - Parameter start: The head and as much of the ring, or what there is of them.
    private static func trouble(of start: [UInt8]) -> Trouble? {
        let head = Array(start.prefix(JournalLayout.head))
        guard head.count == JournalLayout.head else { return start.allSatisfy { $0 == 0 } ? nil : .headIsLost }
        let version = word(head, JournalLayout.versionOffset)
        switch word(head, 0) {
        case 0:
            // Until the recorder has written the header, the journal is empty. The version is written first.
            let others = start.indices.filter { !(JournalLayout.versionOffset..<JournalLayout.markOffset ~= $0) }
            return others.allSatisfy { start[$0] == 0 } ? nil : .headIsLost
        case JournalLayout.magic where version > JournalLayout.version: return .newer(version: Int(clamping: version))
        case JournalLayout.magic where version == JournalLayout.version: return nil
        default: return .headIsLost
        }
    }

    fileprivate static func word(_ bytes: [UInt8], _ offset: Int) -> UInt64 {
        bytes.withUnsafeBytes { UInt64(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: UInt64.self)) }
    }

    fileprivate static func bytes(of descriptor: Int32, at offset: Int, count: Int) -> [UInt8]? {
        let bytes = start(of: descriptor, at: offset, count: count)
        return bytes.count == count ? bytes : nil
    }

    /// At most `count` bytes; fewer if the file is shorter, or cannot be read further. What can be read counts: on a
    /// damaged disk it may be all that is left.
    private static func start(of descriptor: Int32, at offset: Int = 0, count: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let read = bytes.withUnsafeMutableBytes { buffer in
            var done = 0
            while done < count {
                let part = pread(descriptor, buffer.baseAddress.map { $0 + done }, count - done, off_t(offset + done))
                if part > 0 { done += part } else if part == 0 || errno != EINTR { break }
            }
            return done
        }
        bytes.removeLast(count - read)
        return bytes
    }
}
