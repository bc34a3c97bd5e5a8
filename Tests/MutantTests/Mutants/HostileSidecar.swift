import HindsightStore
import TestSupport

@testable import HindsightFormat
@testable import HindsightRecorder
@testable import HindsightRecording

/// Sidecar files that no recorder has written.
enum HostileSidecar {
    /// - Returns: A description of the change.
    static func change(_ files: inout [String: [UInt8]], _ random: inout Seeded) -> String {
        switch random.below(5) {
        case 0:
            files["-journal"] = rollback(&random)
            return "a hot rollback journal that names another file"
        case 1:
            let suffix = random.pick(["-wal", "-ahead", "-journal", "-shm"])
            files[suffix] = (0..<random.pick([0, 1, 31, 32, 4096, 10_000])).map { _ in
                UInt8(truncatingIfNeeded: random.next())
            }
            return "noise as \(suffix)"
        case 2 where files["-ahead"] != nil:
            let place = random.pick([0, 8, 64, 128, 4096, 4104])
            let number = random.pick(Damage.numbers)
            for index in 0..<8 {
                files["-ahead"]?[place + index] = UInt8(truncatingIfNeeded: number >> UInt64(8 * index))
            }
            return "\(number) at \(place) of -ahead"
        default:
            let (bytes, words) = journal(&random)
            files["-ahead"] = bytes
            return "-ahead: " + words
        }
    }

    /// A journal with correct checksums and nonsensical records.
    private static func journal(_ random: inout Seeded) -> ([UInt8], String) {
        let numbers = [0, 1, 2, 20, 66, 67, -1, .max, .min, 1 << 40, 1 << 55]
        var memory = [UInt8](repeating: 0, count: 1 << 16)
        let tail = random.pick([0, 0, 8, 1 << 40, UInt64.max - 7, UInt64.max &- 65_535 & ~7])
        var ring = JournalRing(capacity: memory.count)
        ring.head = tail
        var seq = random.pick([1, 13, 21, 67, 81] + numbers)
        var words = "from \(tail), action \(seq)"
        for _ in 0..<random.below(12) {
            guard tail < 1 << 62 else { break }
            var encoder = JournalEncoder()
            if random.once(in: 3) {
                encoder.write(done: seq, duration: Int64(random.pick(numbers)))
            } else {
                encoder.write(
                    DispatchedAction(
                        seq: seq,
                        parent: random.once(in: 3) ? random.pick(numbers) : nil,
                        adopted: random.once(in: 3) ? [random.pick(numbers), seq] : [],
                        type: random.pick(["add", "@travel", "", "\u{1B}[2J", String(repeating: "x", count: 5000)]),
                        payload: random.pick(payloads),
                        at: Int64(random.pick(numbers)),
                        origin: random.once(in: 2) ? Origin(file: "a\n.swift", line: random.pick(numbers)) : nil,
                        problem: random.once(in: 4) ? "\u{1B}[31mwhy" : nil
                    )
                )
                if !random.once(in: 5) { seq &+= 1 }
            }
            let frame = JournalFrame(random.once(in: 3) ? .done : .action, count: encoder.bytes.count)
            guard let place = ring.place(frame, tail: tail), place.skip == nil else { break }
            put(frame, encoder.bytes, place.offset, &memory)
            words += "."
        }
        var head = [UInt8](repeating: 0, count: JournalLayout.head)
        put(JournalLayout.magic, at: 0, &head)
        put(JournalLayout.version, at: JournalLayout.versionOffset, &head)
        let phase = random.pick([ReducerMark.Phase.idle, .reducing, .stopped])
        let mark = ReducerMark(
            phase: phase,
            seq: random.pick(numbers + [seq]),
            reducer: random.pick([0, 1, 3, 16_383])
        )
        put(mark.word, at: JournalLayout.markOffset, &head)
        put(tail, at: JournalLayout.tailOffset, &head)
        if !random.once(in: 4) { putActivity(mark, &random, &head) }
        return (head + memory, "\(words) \(mark)")
    }

    /// A phase and a crash record, with valid and with invalid numbers.
    private static func putActivity(_ mark: ReducerMark, _ random: inout Seeded, _ head: inout [UInt8]) {
        let kind = PhaseMark.Kind(rawValue: UInt64(random.below(6))) ?? .idle
        let phase = PhaseMark(
            kind: kind,
            seq: random.pick([mark.seq, mark.seq + 1, 0, .max]),
            detail: random.below(9000)
        )
        put(phase.word, at: JournalLayout.phaseOffset, &head)
        for place in [JournalLayout.entryOffset, JournalLayout.entryOffset + JournalLayout.entrySize] {
            put(random.next(), at: place, &head)
            put(random.pick([0, 7, 232, 233, .max] as [UInt64]), at: place + 16, &head)
            for index in 0..<16 { head[place + 24 + index] = UInt8(random.below(256)) }
        }
        for word in 0..<CrashRecord.words {
            put(random.next() >> UInt64(random.below(64)), at: JournalLayout.crashOffset + word * 8, &head)
        }
        put(1, at: JournalLayout.crashOffset + CrashRecord.Layout.state * 8, &head)
        put(UInt64(random.below(8)), at: JournalLayout.crashOffset + CrashRecord.Layout.kind * 8, &head)
        put(UInt64(random.below(2)), at: JournalLayout.exitOffset, &head)
    }

    private static let payloads: [String?] = [
        nil, "1", "", "nonsense", #"{"add":{"title":"x"}}"#, #"{"edit":{"at":0,"delete":0,"insert":"x"}}"#,
        #"{"edit":{"at":9223372036854775807,"delete":-9223372036854775808,"insert":""}}"#,
        #"{"toggle":{"id":9223372036854775807}}"#, String(repeating: "[", count: 20_000),
        #"{"move":{"id":1,"index":-9223372036854775808}}"#,
    ]

    private static func put(_ word: UInt64, at place: Int, _ bytes: inout [UInt8]) {
        for index in 0..<8 { bytes[place + index] = UInt8(truncatingIfNeeded: word >> UInt64(8 * index)) }
    }

    private static func put(_ frame: JournalFrame, _ body: [UInt8], _ offset: UInt64, _ memory: inout [UInt8]) {
        let place = Int(offset % UInt64(memory.count))
        put(frame.word, at: place, &memory)
        put(body.withUnsafeBytes { frame.checksum(at: offset, $0) }, at: place + 8, &memory)
        memory.replaceSubrange(place + JournalFrame.size..<place + JournalFrame.size + body.count, with: body)
    }

    /// A hot rollback journal. A rollback deletes the file that it names as its super-journal.
    private static func rollback(_ random: inout Seeded) -> [UInt8] {
        let magic: [UInt8] = [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]
        func big(_ number: UInt32) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) } }
        var bytes = magic + big(random.pick([0, 1, 0xFFFF_FFFF])) + big(7) + big(random.pick([1, 10, 1_000_000]))
        bytes += big(512) + big(random.pick([512, 4096]))
        bytes += [UInt8](repeating: 0, count: 512 - bytes.count)
        guard random.once(in: 2) else { return bytes }
        let name = Array(Trial.bystander.utf8)
        let sum = name.reduce(UInt32(0)) { $0 &+ UInt32($1) }
        // The page number of the lock byte, the name, its length and sum, and the magic number again.
        return bytes + big(1 << 30 / 4096 + 1) + name + big(UInt32(name.count)) + big(sum) + magic
    }
}
