import Foundation
import Testing

@testable import HindsightFormat
@testable import HindsightRecorder
@testable import HindsightRecording

@Suite("Tampering with a recorder's files") struct FileTamperCheckTests {
    /// A change of the files, and the expected result of the check.
    struct Case: CustomTestStringConvertible, Sendable {
        let testDescription: String
        /// A part of the check's error; `nil` if it throws none.
        var says: String?
        var isIntact = true
        var hasShorterLog = false
        var isCut = false
        let change: @Sendable (Files) throws -> Void
    }

    /// A recording, its `-wal` and its journal.
    struct Files {
        let scratch = Scratch()
        let recording: URL
        let log: URL

        init() throws {
            recording = scratch.file()
            log = scratch.file("session.hindsight-wal")
            try Data(count: 100).write(to: recording)
            try (Data([0x37, 0x7F, 0x06, 0x82]) + Data(count: 60)).write(to: log)
            try Data(count: 10).write(to: scratch.file("session.hindsight-ahead"))
        }

        func replace(_ suffix: String) throws {
            let file = scratch.file("session.hindsight\(suffix)")
            // The old file stays, so that the new one cannot reuse its inode.
            try FileManager.default.moveItem(at: file, to: scratch.file("old"))
            try FileManager.default.copyItem(at: scratch.file("old"), to: file)
        }

        func delete(_ suffix: String) throws {
            try FileManager.default.removeItem(at: scratch.file("session.hindsight\(suffix)"))
        }

        func write(_ bytes: [UInt8], at offset: UInt64, of file: URL) throws {
            let handle = try FileHandle(forUpdating: file)
            try handle.seek(toOffset: offset)
            try handle.write(contentsOf: bytes)
            try handle.close()
        }

        func truncate(_ file: URL, to count: Int) { #expect(Foundation.truncate(file.path, off_t(count)) == 0) }
    }

    private static let cases: [Case] = [
        Case(testDescription: "nothing") { _ in },
        Case(testDescription: "the file is deleted", says: "session.hindsight was deleted or moved", isIntact: false) {
            try $0.delete("")
        },
        Case(testDescription: "the log is deleted", says: "-wal was deleted or moved away", isIntact: false) {
            try $0.delete("-wal")
        },
        Case(testDescription: "the journal is deleted", says: "-ahead was deleted or moved away", isIntact: false) {
            try $0.delete("-ahead")
        },
        Case(testDescription: "the file is replaced", says: "session.hindsight was replaced", isIntact: false) {
            try $0.replace("")
        },
        Case(testDescription: "the log is replaced", says: "-wal was replaced by another file", isIntact: false) {
            try $0.replace("-wal")
        },
        Case(testDescription: "the journal is replaced", says: "-ahead was replaced by another", isIntact: false) {
            try $0.replace("-ahead")
        },
        Case(testDescription: "the file is a byte shorter", says: "session.hindsight was truncated", isCut: true) {
            $0.truncate($0.recording, to: 99)
        },
        Case(testDescription: "the file is a byte longer") { $0.truncate($0.recording, to: 101) },
        Case(testDescription: "the log is a byte shorter", hasShorterLog: true, isCut: true) {
            $0.truncate($0.log, to: 63)
        },
        Case(testDescription: "the log is empty", hasShorterLog: true, isCut: true) { $0.truncate($0.log, to: 0) },
        Case(testDescription: "the log has lost its header", says: "-wal was truncated", isCut: true) {
            try $0.write([0, 0, 0, 0], at: 0, of: $0.log)
        },
        Case(testDescription: "the log's header has another byte order") {
            try $0.write([0x83], at: 3, of: $0.log)
        },
    ]

    @Test(arguments: cases)
    func `The check detects deleted, replaced and truncated files`(change: Case) throws {
        let files = try Files()
        let tamperCheck = FileTamperCheck(of: files.recording.path)
        try change.change(files)
        do {
            try tamperCheck.check()
            #expect(change.says == nil)
        } catch {
            #expect(error.code == .stopped)
            let says = try #require(change.says)
            #expect(error.reason?.contains(says) == true, "\(error)")
        }
        #expect(tamperCheck.isIntact == change.isIntact)
        #expect(tamperCheck.hasShorterLog == change.hasShorterLog)
        #expect(tamperCheck.isCut == change.isCut)
    }

    @Test func `The check accepts growth, and accepts shorter files only if their recorder may truncate them`() throws {
        let files = try Files()
        var tamperCheck = FileTamperCheck(of: files.recording.path)
        files.truncate(files.recording, to: 200)
        tamperCheck.noteLengths(mayShrink: false)
        files.truncate(files.recording, to: 150)
        #expect(tamperCheck.isCut)
        tamperCheck.noteLengths(mayShrink: false)
        #expect(tamperCheck.isCut)
        tamperCheck.noteLengths(mayShrink: true)
        #expect(!tamperCheck.isCut)
        try tamperCheck.check()
    }
}
