import Foundation
import HindsightSupport
import TestSupport
import Testing

@testable import HindsightFormat
@testable import HindsightRecorder
@testable import HindsightRecording

@Suite("The signal that ended a process") struct CrashSignalTests {
    private let scratch = Scratch()

    /// The mark that each way to die leaves; see `Tests/CrashingApp`.
    struct Death: Sendable, CustomTestStringConvertible {
        var way: String
        var names: Set<String>
        var isMain = true
        var isDispatching: Bool?
        var isStackOverflow = false
        var address: UInt64?
        var testDescription: String { way }
    }

    /// Whether a sanitizer installed its handlers first: they run next, and exit.
    static let isSanitized: Bool = {
        guard let program = dlopen(nil, RTLD_NOW) else { return false }
        return dlsym(program, "__asan_init") != nil || dlsym(program, "__tsan_init") != nil
    }()

    /// The signal of a Swift trap on this processor.
    private static let trap: Set = ["SIGILL", "SIGTRAP"]

    static let deaths: [Death] = [
        Death(way: "in a reducer", names: trap, isDispatching: true),
        Death(way: "in middleware before next", names: trap, isDispatching: true),
        Death(way: "in a subscriber", names: trap, isDispatching: true),
        Death(way: "in an effect", names: trap, isMain: false),
        Death(way: "on another thread", names: ["SIGABRT"], isMain: false),
        Death(
            way: "on another thread while a reducer runs",
            names: ["SIGABRT"],
            isMain: false,
            isDispatching: false
        ),
        Death(
            way: "by stack overflow",
            names: ["SIGSEGV", "SIGBUS"],
            isDispatching: true,
            isStackOverflow: true
        ),
        Death(way: "by a bad address", names: ["SIGSEGV", "SIGBUS"], isDispatching: true, address: 16),
    ]

    @Test(
        "An address a little below the stack pointer, or less than a megabyte above it, is the end of the stack",
        arguments: [(-65_537, false), (-65_536, true), (0, true), (1_048_575, true), (1_048_576, false)]
    )
    func endOfStack(offset: Int, isOverflow: Bool) throws {
        let stack = 0x7000_0000_0000
        var record = [UInt64](repeating: 0, count: CrashRecord.words)
        record[CrashRecord.Layout.state] = 1
        record[CrashRecord.Layout.kind] = 1
        // The system raised it.
        record[CrashRecord.Layout.signal] = 1 << 32 | UInt64(SIGSEGV)
        record[CrashRecord.Layout.stackPointer] = UInt64(stack)
        record[CrashRecord.Layout.address] = UInt64(stack + offset)
        let signal = try #require(CrashSignal(record: record))
        #expect(signal.isStackOverflow == isOverflow)
    }

    @Test(
        "A crash is marked with its signal, thread and frames, even after recovery, and still ends the process",
        arguments: deaths
    )
    func ways(death: Death) throws {
        // The sanitizer's own call stack overflows first, and again in the handler.
        if death.isStackOverflow, Self.isSanitized { return }
        let child = try Child(recordingTo: scratch.file(), end: death.way, marked: true)
        child.waitForEnd()
        // The process ended by a signal, not by the handler.
        if !Self.isSanitized { #expect((child.status ?? 0) < 0) }
        let count = try frameCount(JournalFile.path(for: scratch.file().path))
        #expect(count <= CrashRecord.maxFrames && (count == CrashRecord.maxFrames || !death.isStackOverflow))
        var marked: CrashSignal?
        for isRecovered in [false, true] {
            if isRecovered { _ = try Recording.recover(at: scratch.file()) }
            let recording = try Recording(at: scratch.file())
            let signal = try #require(recording.crashSignal, "recovered: \(isRecovered)")
            #expect(marked == nil || signal == marked)
            marked = signal
            #expect(death.names.contains(signal.name), "\(signal.name)")
            if !Self.isSanitized { #expect(-(child.status ?? 0) == Int32(signal.number)) }
            #expect(signal.isMainThread == death.isMain)
            #expect(signal.isDispatching == death.isDispatching)
            #expect(signal.isStackOverflow == death.isStackOverflow)
            if let address = death.address { #expect(signal.address == address) }
            #expect(!recording.hasExited)
            #expect(!signal.frames.isEmpty)
            // `abort` belongs to the C library, where not all callers can be found.
            guard death.isDispatching == true else { continue }
            #expect(signal.frames.count >= 4)
            let own = signal.frames.first { $0.image?.hasPrefix("CrashingApp") == true }
            #expect(try #require(own?.offset, "\(signal.frames)") < 1 << 32)
        }
    }

    /// The number of frames in a journal.
    private func frameCount(_ journal: String) throws -> UInt64 {
        let place = JournalLayout.crashOffset + CrashRecord.Layout.frameCount * 8
        let bytes = try Data(contentsOf: URL(filePath: journal))[place..<place + 8]
        return bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    @Test("An address close to the stack's end indicates an overflow")
    func overflow() throws {
        typealias Layout = CrashRecord.Layout
        let stack: UInt64 = 1 << 30
        let rows = [
            (stack - (1 << 16) - 1, false), (stack - (1 << 16), true), (stack, true),
            (stack + (1 << 20) - 1, true), (stack + (1 << 20), false),
        ]
        for (address, isOverflow) in rows {
            var record = [UInt64](repeating: 0, count: CrashRecord.words)
            record[Layout.state] = 1
            record[Layout.kind] = 1
            record[Layout.signal] = 11 | 1 << 32
            record[Layout.stackPointer] = stack
            record[Layout.address] = address
            #expect(CrashSignal(record: record)?.isStackOverflow == isOverflow, "\(address)")
        }
    }

    @Test("A frame has the name of its image, and the offset in it")
    func frames() throws {
        typealias Layout = CrashRecord.Layout
        var record = [UInt64](repeating: 0, count: CrashRecord.words)
        (record[Layout.state], record[Layout.kind]) = (1, 1)
        (record[Layout.frameCount], record[Layout.imageCount]) = (3, 2)
        record.replaceSubrange(Layout.frames..<Layout.frames + 3, with: [0x1FFF, 0x2010, 0x9000])
        for (index, (start, end, name)) in [(0x1000, 0x2000, "app"), (0x2000, 0x3000, "lib.so")].enumerated() {
            let image = Layout.images + index * CrashRecord.ImageLayout.words
            record[image + CrashRecord.ImageLayout.start] = UInt64(start)
            record[image + CrashRecord.ImageLayout.end] = UInt64(end)
            record[image + CrashRecord.ImageLayout.name] = name.utf8.reversed().reduce(0) { $0 << 8 | UInt64($1) }
        }
        let signal = try #require(CrashSignal(record: record))
        #expect(signal.frames.map(\.image) == ["app", "lib.so", nil])
        #expect(signal.frames.map(\.offset) == [0xFFF, 0x10, nil])
        #expect(signal.frames.map(\.address) == [0x1FFF, 0x2010, 0x9000])
        #expect(CrashSignal(json: signal.node.json) == signal)
    }

    @Test("A recovered signal reads back only if its number is valid")
    func numbers() {
        for (number, isRead) in [(-1, false), (0, true), (999, true), (1000, false)] {
            let signal = CrashSignal(json: #"{"number":\#(number),"thread":1,"name":"SIGSEGV","frames":[]}"#)
            #expect((signal?.number == number) == isRead, "\(number)")
        }
    }

    @Test(
        "A process that exits with an open recorder is marked as exited",
        arguments: ["by exit", "by exit in a reducer"]
    )
    func exit(way: String) throws {
        let child = try Child(recordingTo: scratch.file(), end: way, marked: true)
        child.waitForEnd()
        #expect(child.status == 0)
        for isRecovered in [false, true] {
            if isRecovered { _ = try Recording.recover(at: scratch.file()) }
            let recording = try Recording(at: scratch.file())
            #expect(recording.hasExited && recording.crashSignal == nil)
        }
    }

    @Test("A killed process is not marked")
    func kill() throws {
        try Child(recordingTo: scratch.file(), end: "by SIGKILL in a reducer", marked: true).waitForEnd()
        let recording = try Recording(at: scratch.file())
        #expect(recording.crashSignal == nil && !recording.hasExited)
        #expect(recording.lastActivity == .reducer(2, of: 3))
    }

    @Test(
        "Reading arbitrary bytes as a crash record never traps, and an invalid record is nil",
        arguments: Seeded.runs(1)
    )
    func hostile(seeded: Seeded) {
        var random = seeded
        #expect(CrashSignal(record: [UInt64](repeating: 0, count: CrashRecord.words)) == nil)
        for _ in 0..<200 {
            var record = (0..<CrashRecord.words).map { _ in random.next() >> random.next(upperBound: 64 as UInt64) }
            record[CrashRecord.Layout.state] = 1
            record[CrashRecord.Layout.kind] = 1 + random.next(upperBound: 7 as UInt64)
            guard let signal = CrashSignal(record: record) else { continue }
            #expect(signal.frames.count <= CrashRecord.maxFrames)
            _ = signal.node.json
        }
        for json in [
            "", "{}", #"{"number":11,"thread":1,"name":"SIGSEGV"}"#, #"{"number":-1,"thread":1,"name":"","frames":[]}"#,
        ] {
            #expect(CrashSignal(json: json) == nil)
        }
    }
}
