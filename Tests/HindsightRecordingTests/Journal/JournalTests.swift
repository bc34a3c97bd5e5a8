import Foundation
import HindsightStore
import TestSupport
import Testing

@testable import HindsightFormat
@testable import HindsightRecorder
@testable import HindsightRecording

@Suite("The journal") struct JournalTests {
    private let scratch = Scratch()

    private func action(_ seq: Int, _ random: inout Seeded, longest: Int = 300) -> DispatchedAction {
        let isGap = Int.random(in: 0..<10, using: &random) == 0
        let text = String(repeating: "é\0x", count: Int.random(in: 0...longest, using: &random) / 4)
        return DispatchedAction(
            seq: seq,
            parent: Bool.random(using: &random) ? nil : seq + 1,
            adopted: (0..<Int.random(in: 0...3, using: &random)).map { seq - $0 },
            type: "type \(seq % 7)",
            payload: isGap ? nil : "{\"a\":\"\(text)\"}",
            at: .random(in: .min ... .max, using: &random),
            origin: Bool.random(using: &random) ? nil : Origin(file: "App/Screen.swift", line: seq),
            problem: isGap ? "cannot be kept" : nil
        )
    }

    /// The contents of a journal's file.
    private func snapshot(_ scratch: Scratch) throws -> JournalSnapshot {
        try #require(try JournalInspection.of(scratch.file().path).snapshot)
    }

    @Test(
        "Appended records stay until they are dropped, through many rounds of the ring",
        arguments: [1, 2, 3] as [UInt64]
    )
    func rounds(seed: UInt64) throws {
        var random = Seeded(seed: seed)
        let journal = try Journal(for: scratch.file().path, capacity: 4096)
        var kept: [(action: DispatchedAction, end: UInt64)] = []
        for seq in 1...400 {
            let action = action(seq, &random)
            var end = try journal.append(action)
            while end == nil {
                #expect(!kept.isEmpty, "seed \(seed): an empty ring accepts whatever fits in it")
                let count = Int.random(in: 1...max(1, kept.count), using: &random)
                try journal.forget(upTo: kept[count - 1].end)
                kept.removeFirst(count)
                end = try journal.append(action)
            }
            let done = try journal.append(done: seq, duration: Int64(seq))
            kept.append((action, done ?? journal.end))
            let found = try snapshot(scratch).actions
            #expect(found.map(\.action) == kept.map(\.action), "seed \(seed), action \(seq)")
            #expect(found.last?.duration == (done == nil ? nil : Int64(seq)))
        }
    }

    @Test("An action that is bigger than the ring makes it grow")
    func growth() throws {
        var random = Seeded(seed: 4)
        let journal = try Journal(for: scratch.file().path, capacity: 4096)
        let small = action(1, &random)
        let first = try journal.append(small)
        #expect(first != nil)
        var big = action(2, &random)
        big.payload = String(repeating: "big ", count: 100_000)
        #expect(try journal.append(big) == nil)
        #expect(try snapshot(scratch).actions.map(\.action) == [small])
        try journal.forget(upTo: journal.end)
        #expect(try journal.append(big) != nil)
        #expect(try snapshot(scratch).actions.map(\.action) == [big])
        for seq in 3...9 { #expect(try journal.append(action(seq, &random)) != nil) }
        #expect(try snapshot(scratch).actions.count == 8)
    }

    @Test("Reading stops at damage, and earlier records are unchanged", arguments: [5, 6] as [UInt64])
    func damage(seed: UInt64) throws {
        var random = Seeded(seed: seed)
        let journal = try Journal(for: scratch.file().path, capacity: 8192)
        var ends: [UInt64] = []
        let written = (1...20).map { action($0, &random) }
        for action in written { ends.append(try #require(try journal.append(action))) }
        let file = try Data(contentsOf: scratch.file("session.hindsight-ahead"))
        let ring = [UInt8](file.dropFirst(4096))
        #expect(JournalContents(ring: ring, tail: 0).actions.map(\.action) == written)
        for _ in 0..<500 {
            var mutant = ring
            let place = Int.random(in: 0..<Int(ends[19]), using: &random)
            mutant[place] ^= UInt8.random(in: 1...255, using: &random)
            let sound = ends.prefix { $0 <= place }.count
            let found = JournalContents(ring: mutant, tail: 0).actions.map(\.action)
            // No record uses the padding between records.
            #expect(found == written || found == Array(written.prefix(sound)), "seed \(seed), byte \(place)")
        }
        for _ in 0..<500 {
            var noise = (0..<random.below(600)).map { _ in UInt8.random(in: 0...255, using: &random) }
            _ = JournalContents(ring: noise, tail: .random(in: 0 ... .max, using: &random))
            noise += [UInt8](repeating: 0, count: (8 - noise.count % 8) % 8)
            #expect(JournalContents(ring: noise, tail: 0).notes.isEmpty)
            var (actions, notes) = (JournalDecoder(noise[...]), JournalDecoder(noise[...]))
            let (action, note) = (actions.action(), notes.note())
            #expect((action == nil || action?.seq ?? 0 > 0) && (note == nil || note?.id ?? 0 > 0))
        }
        #expect(JournalContents(ring: ring, tail: .max - 7).actions.isEmpty)
    }

    @Test("Every whole record is found, also if it is not known where the first one begins")
    func everyRecord() throws {
        var random = Seeded(seed: 8)
        let journal = try Journal(for: scratch.file().path, capacity: 4096)
        var kept: [(action: DispatchedAction, end: UInt64)] = []
        for seq in 1...100 {
            let action = action(seq, &random)
            var end = try journal.append(action)
            while end == nil {
                try journal.forget(upTo: kept[0].end)
                kept.removeFirst()
                end = try journal.append(action)
            }
            kept.append((action, try #require(end)))
            let ring = [UInt8](try Data(contentsOf: scratch.file("session.hindsight-ahead")).dropFirst(4096))
            let found = JournalContents(everyRecordOf: ring, notesFrom: 0).actions.map(\.action)
            // Some that were dropped are still there.
            #expect(Array(found.suffix(kept.count)) == kept.map(\.action), "action \(seq)")
        }
    }

    @Test("A mark is ahead of an action or behind it, also if it has only the low bits of its number")
    func lead() {
        for (marked, seq, lead) in [(7, 7, 0), (9, 7, 2), (5, 7, -2), (1 << 40 + 3, 1 << 40 + 1, 2), (1 << 40, 2, -2)] {
            let mark = ReducerMark(word: ReducerMark(phase: .idle, seq: marked, reducer: 0).word)
            #expect(mark?.lead(over: seq) == lead)
        }
    }

    @Test("A recording's id in the journal reads back, and a flipped bit makes it invalid")
    func ids() throws {
        let id = Metadata.makeID()
        let words = try #require(JournalLayout.words(ofID: id))
        #expect(JournalLayout.id(of: words) == id)
        for word in words.indices {
            var other = words
            other[word] ^= 1 << 20
            #expect(JournalLayout.id(of: other) == nil)
        }
        #expect(JournalLayout.words(ofID: "none") == nil && JournalLayout.id(of: [0, 0, 0]) == nil)
    }

    @Test("Two readings of a journal are equal only if all of it is")
    func sameness() {
        let action = DispatchedAction(seq: 1, type: "add", at: 5)
        let mark = ReducerMark(phase: .reducing, seq: 1, reducer: 2)
        let snapshot = JournalSnapshot(mark: mark, actions: [(action, 7)])
        var later = action
        later.at = 6
        var exited = snapshot
        exited.hasExited = true
        let others = [
            exited, JournalSnapshot(mark: nil, actions: [(action, 7)]),
            JournalSnapshot(mark: ReducerMark(phase: .reducing, seq: 1, reducer: 3), actions: [(action, 7)]),
            JournalSnapshot(mark: mark, actions: []), JournalSnapshot(mark: mark, actions: [(action, nil)]),
            JournalSnapshot(mark: mark, actions: [(later, 7)]),
            JournalSnapshot(mark: mark, actions: [(action, 7), (later, 7)]),
            JournalSnapshot(mark: mark, actions: [(action, 7)], trouble: .newer(version: 2)),
        ]
        #expect(snapshot == snapshot)
        for other in others { #expect(snapshot != other) }
    }

    @Test("The journal's mark, start and lock show whether a recording has progressed")
    func fingerprint() throws {
        var random = Seeded(seed: 7)
        let path = scratch.file().path
        let journal = try Journal(for: path, capacity: 4096)
        var fingerprints = [try JournalFingerprint(of: path)]
        func expectNew() throws {
            let fingerprint = try JournalFingerprint(of: path)
            #expect(fingerprint != fingerprints.last)
            fingerprints.append(fingerprint)
        }
        _ = try journal.append(action(1, &random))
        #expect(try JournalFingerprint(of: path) == fingerprints.last)
        journal.mark(ReducerMark(phase: .reducing, seq: 1, reducer: 1))
        try expectNew()
        try journal.forget(upTo: journal.end)
        try expectNew()
        for fingerprint in fingerprints { #expect(fingerprint.isLive) }
        #expect(fingerprints.last?.mark?.seq == 1)
        // A head without the journal's magic has no mark.
        let handle = try FileHandle(forUpdating: scratch.file("session.hindsight-ahead"))
        try handle.write(contentsOf: Data("no magic".utf8))
        try handle.close()
        #expect(try JournalFingerprint(of: path).mark == nil)
        #expect(try JournalFingerprint(of: path).tail == 0)
        journal.remove()
    }

    /// A ring with records of these bodies, in order.
    private func ring(_ records: [(JournalFrame.Kind, [UInt8])], capacity: Int) -> [UInt8] {
        var ring: [UInt8] = []
        for (kind, body) in records {
            let frame = JournalFrame(kind, count: body.count)
            let sum = body.withUnsafeBytes { frame.checksum(at: UInt64(ring.count), $0) }
            for word in [frame.word, sum] { withUnsafeBytes(of: word.littleEndian) { ring += $0 } }
            ring += body + [UInt8](repeating: 0, count: JournalFrame.filled(body.count) - body.count)
        }
        return ring + [UInt8](repeating: 0, count: capacity - ring.count)
    }

    @Test("The checksum of a record never changes, because journals of earlier versions have it")
    func checksums() {
        // A Python program computed these.
        let cases: [(offset: UInt64, JournalFrame.Kind, count: Int, sum: UInt64)] = [
            (0, .action, 0, 0xEB21_8133_EE17_0C1E),
            (4096, .done, 8, 0x9481_8B63_DA1D_9802),
            (1 << 40, .action, 11, 0x56F4_1022_3DFD_5A4A),
        ]
        for (offset, kind, count, expected) in cases {
            let sum = (0..<count).map { UInt8($0 + 1) }.withUnsafeBytes {
                JournalFrame(kind, count: count).checksum(at: offset, $0)
            }
            #expect(sum == expected, "\(offset)")
        }
    }

    @Test("Reading stops at a meaningless record, even if its checksum is right")
    func nonsense() {
        var encoder = JournalEncoder()
        encoder.write(DispatchedAction(seq: 1, type: "add", at: 5))
        let action = encoder.bytes
        encoder.write(done: 1, duration: 7)
        let done = encoder.bytes
        encoder.write(done: 2, duration: 8)
        let another = encoder.bytes
        func contents(_ records: [(JournalFrame.Kind, [UInt8])]) -> [(seq: Int, duration: Int64?)] {
            JournalContents(ring: ring(records, capacity: 512), tail: 0).actions.map { ($0.action.seq, $0.duration) }
        }
        for nonsense in [(.action, [0]), (.action, []), (.done, [0x80])] as [(JournalFrame.Kind, [UInt8])] {
            let found = contents([(.action, action), nonsense, (.done, done)])
            #expect(found.count == 1 && found[0].duration == nil, "\(nonsense)")
        }
        let found = contents([(.action, action), (.done, another), (.done, done)])
        #expect(found.count == 1 && found[0].duration == 7)

        // Rings and starts are multiples of a word. The smallest ring has room for one frame.
        let sound = ring([(.action, action)], capacity: 128)
        #expect(JournalContents(ring: sound, tail: 0).actions.count == 1)
        #expect(JournalContents(ring: sound + [0], tail: 0).actions.isEmpty)
        #expect(JournalContents(ring: [0] + sound, tail: 1).actions.isEmpty)
        #expect(JournalContents(ring: ring([(.skip, [])], capacity: 16), tail: 0).end == 16)
        #expect(JournalContents(ring: [], tail: 0).end == 0)
    }

    @Test(
        "A file is a recorder's if it is empty or has a journal's head, and is removed if it is empty",
        arguments: [
            ("", true), ("HSTAHEAD", true), ("HSTAHEAD and more", true), ("\0\0\0\0\0\0\0\0", true),
            ("\0\0\0", false), ("HSTAHEA", false), ("a diary of somebody", false),
        ]
    )
    func ours(text: String, isOurs: Bool) throws {
        let file = scratch.file("session.hindsight-ahead")
        try Data(text.utf8).write(to: file)
        let ahead = try JournalFile(for: scratch.file().path)
        #expect(ahead.isOurs == isOurs)
        ahead.removeIfEmpty()
        #expect(try scratch.names == (text.isEmpty ? [] : ["session.hindsight-ahead"]))
    }

    @Test("Only an unfinished recording is reported as about to begin or never begun")
    func explaining() {
        let mark = ReducerMark(phase: .idle, seq: 0, reducer: 0)
        let beginning = JournalSnapshot(mark: mark)
        let begun = JournalSnapshot(mark: mark, hasBegun: true)
        func reason(_ code: RecordingError.Code, _ finding: JournalInspection) -> String? {
            let error = RecordingError(code, file: "x", reason: "as it was")
            let explained = finding.explaining(error)
            #expect(explained.file == "x")
            #expect(explained.code == (explained.reason == "as it was" ? code : .empty))
            return explained.reason
        }
        for code in [.damaged, .notARecording, .empty, .newerFormat, .notFound] as [RecordingError.Code] {
            let mayBegin = [.damaged, .notARecording, .empty].contains(code)
            let mayHaveEnded = mayBegin && code != .empty
            #expect(reason(code, .live(beginning))?.contains("about to begin") == mayBegin, "\(code)")
            #expect(reason(code, .dead(beginning))?.contains("ended before the recording") == mayHaveEnded, "\(code)")
            for finding in [.absent, .live(begun), .dead(begun), .live(JournalSnapshot())] as [JournalInspection] {
                #expect(reason(code, finding) == "as it was", "\(code)")
            }
        }
    }

    @Test("A record goes into the rest of the ring if it fits, and otherwise to its start")
    func fitting() {
        /// Places records of the given sizes in a ring of 128 bytes, each with the tail at that time.
        func places(_ records: [(total: Int, tail: UInt64)]) -> [JournalRing.Place?] {
            var ring = JournalRing(capacity: 128)
            return records.map { total, tail in
                ring.place(JournalFrame(.action, count: total - JournalFrame.size), tail: tail)
            }
        }
        for total in [32, 40, 48] {
            // The first record leaves 32 bytes.
            let found = places([(96, 0), (total, 96), (16, 128)])
            #expect(found[1]?.offset == (total <= 32 ? 96 : 128), "\(total) bytes")
            #expect(found[1]?.skip?.count == (total <= 32 ? nil : 32 - JournalFrame.size), "\(total) bytes")
            #expect(found[2]?.offset == (total <= 32 ? 96 : 128) + UInt64(total), "\(total) bytes")
        }
        // A record of exactly the ring's size fits, but nothing beside it.
        let full = places([(128, 0), (16, 0), (16, 128), (136, 144)])
        #expect(full.map { $0?.offset } == [0, nil, 128, nil])
    }

    @Test("A journal is live while its recorder holds it, and refuses a second recorder")
    func lock() throws {
        let path = scratch.file().path
        #expect(try JournalInspection.of(path) == .absent)
        do {
            let journal = try Journal(for: path, capacity: 4096)
            journal.mark(ReducerMark(phase: .reducing, seq: 7, reducer: 2))
            #expect(try JournalInspection.isLive(path))
            expectError(.inUse) { try Journal(for: path, capacity: 4096) }
            #expect(try snapshot(scratch).mark == ReducerMark(phase: .reducing, seq: 7, reducer: 2))
        }
        #expect(try !JournalInspection.isLive(path))
        #expect(try snapshot(scratch).mark?.seq == 7)
    }
}
