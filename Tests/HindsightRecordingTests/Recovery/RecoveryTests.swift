import Foundation
import HindsightSQLite
import HindsightTree
import Testing

@testable import HindsightFormat
@testable import HindsightRecorder
@testable import HindsightRecording

@Suite("Recovery") struct RecoveryTests {
    private let scratch = Scratch()

    /// The full contents of a recording, as text.
    private func account(of file: URL) throws -> [String] {
        let recording = try Recording(at: file)
        var lines = [
            "\(recording.id ?? "no UUID") \(recording.ending) \(recording.end) \(recording.lastFinished)",
            "\(recording.reducers)",
        ]
        var entries = try recording.entries(in: 1...max(1, recording.actionCount))
        while let (action, steps) = try entries.next() {
            lines.append("\(action) \(steps)")
            if action.seq <= recording.end.seq {
                lines.append(try recording.state(at: Recording.Position(seq: action.seq)).json)
            }
        }
        return lines
    }

    @Test(
        "A dead recording has the same contents after recovery, without sidecar files",
        arguments: ["kill", "trap", "race", "leave", "endless"]
    )
    func dead(end: String) throws {
        let child = try Child(recordingTo: scratch.file(), end: end)
        if end == "endless" { _ = child.killAndRead(after: .random(in: 0...30_000)) } else { child.waitForEnd() }
        let before = try account(of: scratch.file())
        let companions = try Recording(at: scratch.file()).sidecarFiles
        #expect(companions.contains("session.hindsight-ahead"))

        let recovery = try Recording.recover(at: scratch.file())
        #expect(recovery.isNeeded)
        #expect(recovery.removed == companions)
        let recording = try Recording(at: scratch.file())
        #expect(recovery.ending == recording.ending)
        if recording.end.seq < recording.actionCount { #expect(recovery.actions?.upperBound == recording.actionCount) }
        #expect(try account(of: scratch.file()) == before)
        #expect(try scratch.names == ["session.hindsight"])
        if Shell.isAvailable {
            #expect(try Shell.query(scratch.file(), "PRAGMA integrity_check") == "ok")
            #expect(try Shell.query(scratch.file(), "SELECT max(seq) FROM history") == "\(recording.actionCount)")
            let recovered = try Shell.query(scratch.file(), "SELECT value FROM recording WHERE key = 'recovered'")
            #expect(recovered == "\(recovery.actions?.count ?? 0)")
        }

        let bytes = try scratch.contents()
        let again = try Recording.recover(at: scratch.file())
        #expect(!again.isNeeded && again.actions == nil && again.removed.isEmpty)
        #expect(again.ending == recovery.ending)
        #expect(try scratch.contents() == bytes)
    }

    @Test("A file that has a whole state and no action is recovered")
    func stateAlone() throws {
        let options = RecorderOptions(limit: .actions(10))
        try shop(at: scratch.file(), options: options).0.close()
        let sql = "UPDATE keyframe SET seq = 5; DELETE FROM recording WHERE key = 'closed'"
        try Connection(scratch.file().path, .readWrite).execute(sql)
        let recovery = try Recording.recover(at: scratch.file())
        #expect(recovery.isNeeded && recovery.actions == nil)
        let recording = try Recording(at: scratch.file())
        #expect(recording.start == Recording.Position(seq: 5) && recording.end == Recording.Position(seq: 5))
    }

    @Test("Recovering a file whose pages lead to one page again and again ends")
    func repeatedPages() throws {
        let (recorder, store) = try shop(at: scratch.file())
        store.dispatch(.nothing)
        try recorder.close()
        let (root, size) = try manyNames(in: scratch.file())
        var bytes = try [UInt8](Data(contentsOf: scratch.file()))
        func number(_ offset: Int, _ count: Int) -> Int {
            bytes[(root - 1) * size + offset..<(root - 1) * size + offset + count].reduce(0) { $0 << 8 | Int($1) }
        }
        // The root has a pointer to each of its cells, and a cell begins with the number of a page.
        let children = (0..<2).map { number(number(12 + 2 * $0, 2), 4) }
        for (page, child) in [(root, children[0]), (children[0], children[1])] {
            bytes.replaceSubrange((page - 1) * size..<page * size, with: Self.page(of: child, size: size))
        }
        try Data(bytes).write(to: scratch.file())
        let error = #expect(throws: RecordingError.self) { try Recording.recover(at: scratch.file()) }
        #expect((error?.cause as? SQLiteError)?.code == .interrupted)
    }

    /// Reopens a recording, and fills its table of names with some pages of names that are too long to be used.
    private func manyNames(in file: URL) throws -> (rootPage: Int, pageSize: Int) {
        let connection = try Connection(file.path, .readWrite)
        try connection.execute(
            """
            DELETE FROM recording WHERE key = 'closed';
            WITH RECURSIVE number(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM number WHERE i < 60)
            INSERT INTO name(text) SELECT hex(zeroblob(150)) FROM number
            """
        )
        let root = try connection.integer("SELECT rootpage FROM sqlite_schema WHERE name = 'name'")
        return (Int(try #require(root)), Int(try #require(try connection.integer("PRAGMA page_size"))))
    }

    /// An inner page of a table's tree that has the same child 501 times. <https://www.sqlite.org/fileformat2.html>
    private static func page(of child: Int, size: Int) -> [UInt8] {
        let count = 500
        func bytes(_ number: Int, _ count: Int) -> [UInt8] {
            (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * (count - 1 - $0))) }
        }
        let cell = bytes(child, 4) + [1]
        let start = size - count * cell.count
        var page: [UInt8] = [5, 0, 0] + bytes(count, 2) + bytes(start, 2) + [0] + bytes(child, 4)
        for index in 0..<count { page += bytes(start + index * cell.count, 2) }
        page += Array(repeating: 0, count: start - page.count)
        for _ in 0..<count { page += cell }
        return page
    }

    @Test("A recovery that was interrupted before it removed the journal can be repeated")
    func interrupted() throws {
        try Child(recordingTo: scratch.file(), end: "race").waitForEnd()
        let before = try account(of: scratch.file())
        let journal = try Data(contentsOf: scratch.file("session.hindsight-ahead"))
        _ = try Recording.recover(at: scratch.file())
        let alone = try scratch.contents()

        try journal.write(to: scratch.file("session.hindsight-ahead"))
        #expect(try account(of: scratch.file()) == before)
        let again = try Recording.recover(at: scratch.file())
        #expect(again.isNeeded && again.actions == nil)
        #expect(again.removed == ["session.hindsight-ahead"])
        #expect(try account(of: scratch.file()) == before)
        #expect(try scratch.names == ["session.hindsight"])
        #expect(try scratch.contents().mapValues(\.count) == alone.mapValues(\.count))
    }

    @Test("Recovery of a live recording throws and changes nothing")
    func live() throws {
        let child = try Child(recordingTo: scratch.file(), end: "close")
        child.waitForOutput()
        let before = try scratch.contents()
        expectError(.live) { try Recording.recover(at: scratch.file()) }
        #expect(try scratch.contents() == before)
        try child.letClose()
        #expect(try Recording.recover(at: scratch.file()).isNeeded == false)
        #expect(try Recording(at: scratch.file()).actionCount == 3)
    }

    @Test("Recovery makes a file without sidecar files self-contained, and leaves a file that is no recording alone")
    func bare() throws {
        let (recorder, store) = try shop(at: scratch.file())
        store.dispatch(.nothing)
        try FileManager.default.copyItem(at: scratch.file(), to: scratch.file("copy.hindsight"))
        try recorder.close()
        let recovery = try Recording.recover(at: scratch.file("copy.hindsight"))
        #expect(recovery.isNeeded && recovery.ending == .open(live: false))
        #expect(try Recording(at: scratch.file("copy.hindsight")).ending == .open(live: false))

        try Data("a diary".utf8).write(to: scratch.file("diary"))
        expectError(.notARecording) { try Recording.recover(at: scratch.file("diary")) }
        #expect(try scratch.names == ["copy.hindsight", "diary", "session.hindsight"])
    }

    @Test("Recovery throws and changes nothing if the journal is unreadable", arguments: [0, 8])
    func unreadableJournal(offset: Int) throws {
        try Child(recordingTo: scratch.file(), end: "race").waitForEnd()
        let journal = scratch.file("session.hindsight-ahead")
        var bytes = try Data(contentsOf: journal)
        bytes[offset] = 77
        try bytes.write(to: journal)
        let before = try scratch.contents()
        let error = expectError(offset == 0 ? .damaged : .newerFormat) { try Recording.recover(at: scratch.file()) }
        #expect(error?.description.contains("-ahead") == true)
        #expect(try scratch.contents() == before)
        // Reading works without it.
        #expect(try Recording(at: scratch.file()).actionCount == 0)
    }

    @Test(
        "Recovery throws and changes nothing if the journal continues a missing -wal",
        arguments: [["-wal"], ["-wal", "-shm"]]
    )
    func withoutLog(suffixes: [String]) throws {
        try Child(recordingTo: scratch.file(), end: "kill").waitForEnd()
        let log = scratch.file("session.hindsight-wal")
        let bytes = try Data(contentsOf: log)
        for suffix in suffixes { try FileManager.default.removeItem(at: scratch.file("session.hindsight" + suffix)) }
        let before = try scratch.contents()

        let error = #expect(throws: RecordingError.self) { try Recording.recover(at: scratch.file()) }
        #expect(error?.code == .journalGap && error?.actions == 1...2)
        let words = error?.description ?? ""
        #expect(words.contains("actions 1 to 2 are missing between the file and its journal"), "\(words)")
        #expect(words.contains("session.hindsight-wal is missing"), "\(words)")
        do {
            let recording = try Recording(at: scratch.file())
            #expect(recording.lacksLog && recording.lost == 1...2 && recording.actionCount == 0)
        }
        let findings = try Recording.examine(at: scratch.file()).findings
        #expect(findings.map(\.part) == [.journal] && findings.first?.actions == 1...2, "\(findings)")
        #expect(findings.first?.what.contains("the journal goes on at action 3: the -wal is missing") == true)
        #expect(try scratch.contents() == before)

        // An empty journal counts as none.
        try Data().write(to: log)
        let again = #expect(throws: RecordingError.self) { try Recording.recover(at: scratch.file()) }
        #expect(again?.description.contains("session.hindsight-wal is empty") == true)

        try bytes.write(to: log)
        #expect(try !Recording(at: scratch.file()).lacksLog)
        #expect(try Recording.recover(at: scratch.file()).actions == 3...3)
        #expect(try scratch.names == ["session.hindsight"])
        #expect(try Recording(at: scratch.file()).actionCount == 3)
    }

    @Test("A damaged -wal is not called missing")
    func damagedLog() throws {
        try Child(recordingTo: scratch.file(), end: "kill").waitForEnd()
        let log = scratch.file("session.hindsight-wal")
        try Data(count: try Data(contentsOf: log).count).write(to: log)
        try FileManager.default.removeItem(at: scratch.file("session.hindsight-shm"))
        let findings = try Recording.examine(at: scratch.file()).findings
        #expect(findings.first?.what.contains("the -wal is damaged or incomplete") == true, "\(findings)")
        let error = #expect(throws: RecordingError.self) { try Recording.recover(at: scratch.file()) }
        #expect(error?.description.contains("session.hindsight-wal is damaged or incomplete") == true)
    }

    @Test("A journal that counts what a damaged -wal has lost is not called damaged")
    func cutLog() throws {
        let scratch = Scratch()
        try Child(recordingTo: scratch.file(), end: "leave").waitForEnd()
        let log = scratch.file("session.hindsight-wal")
        try (try Data(contentsOf: log)).dropLast(1000).write(to: log)
        try FileManager.default.removeItem(at: scratch.file("session.hindsight-shm"))
        let before = try scratch.contents()
        let error = expectError(.journalGap) { try Recording.recover(at: scratch.file()) }
        #expect(error?.description.contains("session.hindsight-wal is damaged or incomplete") == true)
        #expect(try scratch.contents()["session.hindsight-ahead"] == before["session.hindsight-ahead"])
        #expect(try Recording(at: scratch.file()).lacksLog)
    }

    /// A kind of damage to the journal of a dead process, and what each reader says of it.
    struct JournalDamage: CustomTestStringConvertible, Sendable {
        var testDescription: String
        /// How the process ended: after "race" the journal has all three actions, after "leave" the file has them.
        var end = "race"
        var damage: @Sendable (inout Data) -> Void
        /// The actions that can be read.
        var actions: Int
        var lacksJournal = false
        var lost: ClosedRange<Int>?
        /// The actions of each finding of the doctor.
        var findings: [ClosedRange<Int>?]
        var code = RecordingError.Code.damaged
        /// The types of the actions that the doctor saves.
        var saved: [String]

        static let unmarked: @Sendable (inout Data) -> Void = { (bytes: inout Data) in
            bytes[JournalLayout.markOffset] ^= 1
        }

        /// Writes words into a journal.
        static func write(_ words: [UInt64], at offset: Int, of bytes: inout Data) {
            for (index, word) in words.enumerated() {
                withUnsafeBytes(of: word.littleEndian) {
                    bytes.replaceSubrange(offset + index * 8..<offset + index * 8 + 8, with: $0)
                }
            }
        }
    }

    private static let own = ["Int", "Int", "Int"]

    static let damages: [JournalDamage] = [
        JournalDamage(
            testDescription: "only the magic and the version are left",
            damage: { $0.replaceSubrange(16..<$0.count, with: Data(count: $0.count - 16)) },
            actions: 0,
            lacksJournal: true,
            findings: [nil],
            saved: []
        ),
        JournalDamage(
            testDescription: "everything from the mark on is zero",
            damage: { $0.replaceSubrange(64..<$0.count, with: Data(count: $0.count - 64)) },
            actions: 0,
            lacksJournal: true,
            findings: [nil],
            saved: []
        ),
        JournalDamage(
            testDescription: "only the head is left",
            damage: { $0 = $0.prefix(JournalLayout.head) },
            actions: 0,
            lacksJournal: true,
            lost: 1...3,
            findings: [nil, 1...3],
            saved: []
        ),
        JournalDamage(
            testDescription: "a bit of the mark is flipped",
            damage: JournalDamage.unmarked,
            actions: 3,
            lacksJournal: true,
            findings: [nil],
            saved: own
        ),
        JournalDamage(
            testDescription: "the mark is of an action before the last one in the file",
            end: "leave",
            damage: {
                let mark = ReducerMark(phase: .idle, seq: 2, reducer: 0)
                JournalDamage.write([mark.word], at: JournalLayout.markOffset, of: &$0)
            },
            actions: 3,
            lacksJournal: true,
            findings: [nil],
            saved: own
        ),
        JournalDamage(
            testDescription: "a bit of the first record is flipped",
            damage: { $0[JournalLayout.head + JournalFrame.size] ^= 1 },
            actions: 0,
            lost: 1...3,
            findings: [1...1],
            saved: ["unknown", "Int", "Int"]
        ),
        JournalDamage(
            testDescription: "a bit of the record of an action's end is flipped",
            damage: { bytes in
                let count = Int(bytes[JournalLayout.head]) + Int(bytes[JournalLayout.head + 1]) << 8
                let done = JournalLayout.head + JournalFrame(.action, count: count).total
                bytes[done + JournalFrame.size] ^= 1
            },
            actions: 1,
            lost: 2...3,
            findings: [2...3],
            saved: own
        ),
        JournalDamage(
            testDescription: "a bit of the offset of the first record is flipped",
            damage: { $0[JournalLayout.tailOffset] ^= 8 },
            actions: 0,
            lost: 1...3,
            findings: [1...3],
            saved: own
        ),
        JournalDamage(
            testDescription: "a bit of the recording's id is flipped",
            damage: { $0[JournalLayout.idOffset] ^= 1 },
            actions: 3,
            lacksJournal: true,
            findings: [nil],
            saved: own
        ),
        JournalDamage(
            testDescription: "it is the journal of another recording",
            damage: {
                let id = JournalLayout.words(ofID: Metadata.makeID()) ?? []
                JournalDamage.write(id, at: JournalLayout.idOffset, of: &$0)
            },
            actions: 0,
            lacksJournal: true,
            findings: [nil],
            code: .foreignJournal,
            saved: []
        ),
    ]

    @Test("A journal of which not every record is in the file is told, and no recovery removes it", arguments: damages)
    func damagedJournal(row: JournalDamage) throws {
        try Child(recordingTo: scratch.file(), end: row.end).waitForEnd()
        let journal = scratch.file("session.hindsight-ahead")
        var bytes = try Data(contentsOf: journal)
        row.damage(&bytes)
        try bytes.write(to: journal)
        let before = try scratch.contents()
        do {
            let recording = try Recording(at: scratch.file())
            #expect(recording.actionCount == row.actions)
            #expect(recording.lacksJournal == row.lacksJournal)
            #expect(recording.lost == row.lost)
            // The process may have gone on after the last action that can be read.
            #expect(recording.ending == .open(live: false))
            #expect(recording.lastActivity == nil)
        }
        let examination = try Recording.examine(at: scratch.file())
        #expect(examination.findings.allSatisfy { $0.part == .journal }, "\(examination.findings)")
        #expect(examination.findings.map(\.actions) == row.findings, "\(examination.findings)")
        expectError(row.code, saying: "othing was changed") { try Recording.recover(at: scratch.file()) }
        #expect(try scratch.contents() == before)

        let output = scratch.file("saved.hindsight")
        try examination.salvage(to: output)
        let saved = try Recording(at: output)
        #expect(saved.actionCount == row.saved.count)
        let actions = try row.saved.isEmpty ? [] : saved.actions(in: 1...row.saved.count)
        #expect(actions.map(\.type) == row.saved)
        #expect(actions.map { $0.payload != nil } == row.saved.map { $0 != "unknown" })
        #expect(try Recording.examine(at: output).isSound)
    }

    @Test("A journal without the recording's id, as earlier versions wrote it, is read and recovered")
    func withoutID() throws {
        try Child(recordingTo: scratch.file(), end: "race").waitForEnd()
        let journal = scratch.file("session.hindsight-ahead")
        var bytes = try Data(contentsOf: journal)
        let words = Array(repeating: 0 as UInt64, count: JournalLayout.idWords)
        JournalDamage.write(words, at: JournalLayout.idOffset, of: &bytes)
        try bytes.write(to: journal)
        #expect(try Recording.recover(at: scratch.file()).actions == 1...3)
        #expect(try scratch.names == ["session.hindsight"])
    }

    @Test(
        "A closed recording is sound whatever journal lies beside it, and only its own is removed",
        arguments: ["own", "foreign", "foreign without an id", "damaged"]
    )
    func strayJournal(kind: String) throws {
        let (recorder, store) = try shop(at: scratch.file())
        store.dispatch(.nothing)
        let journal = scratch.file("session.hindsight-ahead")
        var bytes = try Data(contentsOf: journal)
        try recorder.close()
        if kind.hasPrefix("foreign") {
            let other = Scratch()
            try Child(recordingTo: other.file(), end: "race").waitForEnd()
            bytes = try Data(contentsOf: other.file("session.hindsight-ahead"))
        }
        if kind == "foreign without an id" {
            let words = Array(repeating: 0 as UInt64, count: JournalLayout.idWords)
            JournalDamage.write(words, at: JournalLayout.idOffset, of: &bytes)
        }
        if kind == "damaged" { JournalDamage.unmarked(&bytes) }
        try bytes.write(to: journal)
        let before = try scratch.contents()
        do {
            let recording = try Recording(at: scratch.file())
            #expect(recording.ending == .closed && recording.actionCount == 1)
            #expect(!recording.lacksJournal && recording.lost == nil)
        }
        let examination = try Recording.examine(at: scratch.file())
        #expect(examination.isSound && examination.actions == 1, "\(examination.findings)")
        #expect(examination.remarks.count == (kind == "own" ? 0 : 1), "\(examination.remarks)")
        if kind == "own" {
            #expect(try Recording.recover(at: scratch.file()).removed == ["session.hindsight-ahead"])
            #expect(try scratch.names == ["session.hindsight"])
        } else {
            expectError(kind == "damaged" ? .damaged : .foreignJournal) { try Recording.recover(at: scratch.file()) }
            #expect(try scratch.contents() == before)
        }
    }

    @Test("A -wal of another recording is told, and nothing is merged from it")
    func foreignLog() throws {
        let other = Scratch()
        for directory in [scratch, other] {
            try Child(recordingTo: directory.file(), end: "kill").waitForEnd()
        }
        let log = "session.hindsight-wal"
        try FileManager.default.removeItem(at: scratch.file("session.hindsight-shm"))
        try Data(contentsOf: other.file(log)).write(to: scratch.file(log))
        let before = try scratch.contents()
        let told = "the file has another action 2: the -wal beside it is of another recording"
        let findings = try Recording.examine(at: scratch.file()).findings
        #expect(findings.contains { $0.what.contains(told) }, "\(findings)")
        let error = #expect(throws: RecordingError.self) { try Recording.recover(at: scratch.file()) }
        #expect(error?.description.contains(told) == true, "\(String(describing: error))")
        #expect(try Recording(at: scratch.file()).ending == .open(live: false))
        #expect(try scratch.contents() == before)
    }

    @Test("Without a journal, recovery does not remove a -wal that SQLite cannot read to its end")
    func halfLog() throws {
        try Child(recordingTo: scratch.file(), end: "kill").waitForEnd()
        for suffix in ["-shm", "-ahead"] {
            try FileManager.default.removeItem(at: scratch.file("session.hindsight" + suffix))
        }
        let log = scratch.file("session.hindsight-wal")
        var bytes = try Data(contentsOf: log)
        // In the page of the first frame.
        bytes[32 + 24 + 100] ^= 1
        try bytes.write(to: log)
        let before = try scratch.contents()
        expectError(.damaged, saying: "session.hindsight-wal is damaged") { try Recording.recover(at: scratch.file()) }
        #expect(try scratch.contents() == before)
    }

    @Test("Recovery works if the name table has used its last number")
    func lastName() throws {
        try Child(recordingTo: scratch.file(), end: "race").waitForEnd()
        try Connection(scratch.file().path, .readWrite)
            .execute("INSERT INTO name(id, text) VALUES (9223372036854775807, 'the last')")
        let before = try account(of: scratch.file())
        #expect(try Recording.recover(at: scratch.file()).actions == 1...3)
        #expect(try account(of: scratch.file()) == before)
    }

    @Test("A recording that was copied without its journal reports that until it is recovered")
    func withoutJournal() throws {
        let child = try Child(recordingTo: scratch.file(), end: "leave")
        child.waitForEnd()
        // Not kept: a recovery does not proceed beside a reader of its own process.
        #expect(try !Recording(at: scratch.file()).lacksJournal)
        #expect(try Recording(at: scratch.file()).lost == nil)
        for suffix in ["", "-wal"] {
            let (from, to) = (scratch.file("session.hindsight" + suffix), scratch.file("sent.hindsight" + suffix))
            if FileManager.default.fileExists(atPath: from.path) { try FileManager.default.copyItem(at: from, to: to) }
        }
        #expect(try Recording(at: scratch.file("sent.hindsight")).lacksJournal)
        _ = try Recording.recover(at: scratch.file())
        #expect(try !Recording(at: scratch.file()).lacksJournal)
    }

    @Test(
        "A journal that lost its head is told, and no recovery removes it",
        arguments: [1, 100, 4_095, 4_096, -1, -2]
    )
    func lostHead(count: Int) throws {
        try Child(recordingTo: scratch.file(), end: "leave").waitForEnd()
        let journal = scratch.file("session.hindsight-ahead")
        var bytes = try Data(contentsOf: journal)
        switch count {
        case -1: bytes[0] ^= 1
        case -2: bytes.replaceSubrange(0..<8, with: Data(count: 8))
        default: bytes = bytes.prefix(count)
        }
        try bytes.write(to: journal)
        #expect(try Recording(at: scratch.file()).lacksJournal)
        #expect(try Recording.examine(at: scratch.file()).findings.map(\.part) == [.journal])
        let error = #expect(throws: RecordingError.self) { try Recording.recover(at: scratch.file()) }
        // A recorder allocates room for records before it writes the head.
        let words = count == 4_096 ? "its records are lost" : "its head is lost"
        #expect(error?.description.contains(words) == true, "\(String(describing: error))")
        #expect(try Data(contentsOf: journal) == bytes)
    }

    @Test("That the journal of a recorder that stopped is damaged stands in its text, too")
    func damagedJournalOfStopped() throws {
        try Child(recordingTo: scratch.file(), end: "leave").waitForEnd()
        let journal = scratch.file("session.hindsight-ahead")
        var bytes = try Data(contentsOf: journal).prefix(JournalLayout.head)
        let mark = ReducerMark(phase: .stopped, seq: 3, reducer: 0)
        JournalDamage.write([mark.word], at: JournalLayout.markOffset, of: &bytes)
        try bytes.write(to: journal)
        let recording = try Recording(at: scratch.file())
        #expect(recording.stopReason != nil && recording.lacksJournal)
        try recording.writeText(to: scratch.file("s.jsonl"))
        let text = try Recording(at: scratch.file("s.jsonl"))
        #expect(text.stopReason == recording.stopReason && text.lacksJournal)
    }

    @Test("An empty journal says as little as none", arguments: [0, 50, 4_096])
    func emptyJournal(count: Int) throws {
        try Child(recordingTo: scratch.file(), end: "leave").waitForEnd()
        try Data(count: count).write(to: scratch.file("session.hindsight-ahead"))
        #expect(try Recording(at: scratch.file()).lacksJournal)
        let examination = try Recording.examine(at: scratch.file())
        #expect(!examination.isSound && !examination.isDamaged)
        #expect(examination.findings.map(\.what) == ["what came after action 3 is not known"])
        _ = try Recording.recover(at: scratch.file())
        #expect(try Recording(at: scratch.file()).lacksJournal)
        // Now the file says so itself.
        let remarks = try Recording.examine(at: scratch.file()).remarks
        #expect(remarks == ["Its journal is missing: what came after action 3 is not known."])
    }

    @Test("A log with only a header is empty, and a foreign shared-memory file does not block")
    func headAlone() throws {
        try Child(recordingTo: scratch.file(), end: "leave").waitForEnd()
        // An earlier opening does not count as evidence for the present files.
        #expect(try Recording(at: scratch.file()).actionCount == 3)
        let log = scratch.file("session.hindsight-wal")
        var head = try Data(contentsOf: log).prefix(32)
        // The salts of a log that was just restarted.
        for byte in 16..<24 { head[byte] ^= 0xA5 }
        try head.write(to: log)
        let before = try scratch.contents()
        let time = try ContinuousClock().measure {
            let recording = try Recording(at: scratch.file())
            #expect(try recording.state(at: recording.start).json == #"{"first":0,"second":0,"third":0}"#)
        }
        // SQLite would wait for ten.
        #expect(time < .seconds(9))
        #expect(try scratch.contents() == before)
        #if os(Linux)
            let open = (0..<1024).compactMap {
                try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
            }
            #expect(!open.contains { $0.hasPrefix(scratch.directory.path) })
        #endif
        // The journal counts three actions that were in the log.
        expectError(.damaged) { try Recording.recover(at: scratch.file()) }
        #expect(try scratch.contents() == before)
    }

    @Test("A symbolic link to a recording is read and recovered like the recording")
    func link() throws {
        try Child(recordingTo: scratch.file(), end: "race").waitForEnd()
        let before = try account(of: scratch.file())
        let link = scratch.file("link")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: scratch.file())
        #expect(try account(of: link) == before)
        #expect(try Recording.recover(at: link).actions == 1...3)
        #expect(try account(of: scratch.file()) == before)
        #expect(try scratch.names == ["link", "session.hindsight"])
    }
}
