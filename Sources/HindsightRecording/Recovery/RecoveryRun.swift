import HindsightSQLite
import HindsightTree

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One run of a recovery.
///
/// In this order, so that the process may end between any two steps and the next run goes on: the journal's lock is
/// taken; SQLite reads its `-wal`; the actions of the journal, and where the process ended, are written in one
/// transaction, which is on the disk when it returns; the `-wal` is folded in and removed; the journal is removed. Until
/// then a journal whose actions are in the file already adds nothing to it.
struct RecoveryRun {
    let path: String
    private let place: String

    init(path: String) {
        self.path = path
        place = ReadableFile.place(of: path)
    }

    func run() throws -> Recovery {
        // What was seen before the lock was held may have changed until it is: another run may just have ended.
        for _ in 0..<10 {
            if let recovery = try attempt() { return recovery }
        }
        throw RecordingError(.inUse, file: path)
    }

    /// - Returns: `nil` where the journal has changed meanwhile.
    private func attempt() throws -> Recovery? {
        let finding = try JournalFinding.of(place)
        let extent = try look()
        if finding.isLive { throw RecordingError(.live, file: path) }
        let companions = Companions.existing(beside: place)
        var recovery = Recovery(ending: extent.ending)
        guard !companions.isEmpty || !extent.standsAlone else {
            recovery.isNeeded = false
            return recovery
        }
        let snapshot = finding.snapshot ?? JournalSnapshot()
        try refuse(snapshot.trouble)
        let lock = try takeLock()
        guard JournalSnapshot(reading: lock.descriptor) == snapshot else { return nil }
        do {
            try fold(snapshot, extent)
        } catch {
            if finding == .absent { lock.remove() }
            throw RecordingError(.unwritable, file: path, cause: error)
        }
        lock.remove()
        if let first = extent.tail.actions.first, let last = extent.tail.actions.last {
            recovery.actions = first.seq...last.seq
        }
        recovery.lost = extent.lost(by: snapshot)
        recovery.removed = companions.filter { !Companions.exists(place + $0) }.map { Companions.name(place + $0) }
        return recovery
    }

    /// Reads how far the recording has come. Its connection is closed when this returns: closed later, it would take
    /// away the locks of the one that writes.
    private func look() throws -> Extent {
        try Recording(at: URL(filePath: path)).extent
    }

    /// What cannot be read must not be removed.
    private func refuse(_ trouble: JournalSnapshot.Trouble?) throws(RecordingError) {
        switch trouble {
        case nil:
            return
        case .newer(let version):
            var error = RecordingError(.newerFormat, file: AheadFile.path(for: path))
            error.version = version
            throw error
        case .damaged(let reason):
            throw RecordingError(.damaged, file: AheadFile.path(for: path), reason: reason)
        }
    }

    private func takeLock() throws(RecordingError) -> AheadFile {
        do {
            return try AheadFile(for: place)
        } catch {
            var error = error
            if error.code == .inUse { error = RecordingError(.live) }
            error.file = path
            throw error
        }
    }

    private func fold(_ snapshot: JournalSnapshot, _ extent: Extent) throws {
        do {
            let connection = try Connection(place, .readWrite)
            try connection.execute("PRAGMA synchronous = FULL")
            try write(snapshot, extent, connection)
            try settle(connection)
        }
        Companions.removeEmptyRemains(of: place)
    }

    private func write(_ snapshot: JournalSnapshot, _ extent: Extent, _ connection: Connection) throws(SQLiteError) {
        let last = extent.lastAction - extent.tail.actions.count
        let rows = snapshot.actions(after: last).map { action, duration in
            RecordingFile.Row(action: action.withoutBadPayload, duration: duration)
        }
        var facts: [(String, String)] = []
        if let stopped = extent.stopped { facts.append(("stopped", stopped)) }
        if case .crashed(let seq, let reducer) = extent.ending {
            facts.append(("died", Position(seq: seq, reducer: reducer).description))
        }
        if let signal = extent.crashSignal { facts.append(("signal", signal.node.json)) }
        if extent.exited { facts.append(("exited", "1")) }
        if let activity = extent.lastActivity { facts.append(("during", activity.node.json)) }
        if let lost = extent.lost(by: snapshot) { facts.append(("lost", "\(lost.lowerBound)-\(lost.upperBound)")) }
        let output = try RecordingFile(goingOnWith: connection)
        let insert = try connection.prepare("INSERT OR IGNORE INTO recording(key, value) VALUES (?, ?)")
        try output.write(rows) { () throws(SQLiteError) in
            for (key, value) in facts {
                try insert.bind(key, at: 1)
                try insert.bind(value, at: 2)
                try insert.run()
            }
            guard extent.closed == nil else { return }
            try insert.bind("recovered", at: 1)
            try insert.bind(rows.count, at: 2)
            try insert.run()
        }
    }

    /// Folds the `-wal` in and removes it. Waits a moment for those who are reading.
    private func settle(_ connection: Connection) throws {
        for attempt in 0... {
            do {
                try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
                if try connection.text("PRAGMA journal_mode = DELETE") == "delete" { return }
            } catch {
                guard error.code == .busy else { throw error }
            }
            guard attempt < 20 else {
                throw RecordingError(.unwritable, file: path, reason: "somebody is reading it; try again afterwards")
            }
            usleep(25_000)
        }
    }
}

extension Extent {
    /// Whether the file alone says all there is to know.
    fileprivate var standsAlone: Bool { closed != nil || isRecovered }

    /// Actions that had begun, as the journal's mark says, and are nowhere.
    func lost(by journal: JournalSnapshot) -> ClosedRange<Int>? {
        guard let mark = journal.mark, mark.phase != .stopped, mark.seq > lastAction else { return nil }
        return lastAction + 1...mark.seq
    }
}

extension DispatchedAction {
    /// The same, or, where its payload is no JSON, without one: so somebody has damaged its journal.
    var withoutBadPayload: DispatchedAction {
        guard let payload else { return self }
        do {
            _ = try Node(json: payload)
            return self
        } catch {
            var action = self
            action.payload = nil
            action.problem = "Its journal is damaged: \(error)."
            return action
        }
    }
}
