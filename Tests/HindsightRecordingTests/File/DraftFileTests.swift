import Foundation
import HindsightSupport
import TestSupport
import Testing

@testable import HindsightFormat

@Suite struct DraftFileTests {
    private let scratch = Scratch()
    private var directory: URL { scratch.directory }

    private func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()
    }

    private func write(_ text: String, to path: String) throws { try Data(text.utf8).write(to: URL(filePath: path)) }

    private func text(_ path: String) throws -> String { try String(contentsOfFile: path, encoding: .utf8) }

    @Test(arguments: [false, true]) func `of two drafts of one file, the first that is complete wins`(exists: Bool)
        throws
    {
        let path = directory.appending(path: "out.jsonl").path
        if exists { try write("old", to: path) }
        // A file of the user's that has the name of an earlier version's draft.
        try write("mine", to: path + ".part")
        let drafts = try [DraftFile(for: path, overwrite: exists), DraftFile(for: path, overwrite: exists)]
        #expect(drafts[0].path != drafts[1].path)
        for (draft, text) in zip(drafts, ["first", "second"]) { try write(text, to: draft.path) }
        try drafts[0].commit()
        #expect { try drafts[1].commit() } throws: { error in
            let words = exists ? "it has changed meanwhile" : "another process has created it meanwhile"
            // The error has one piece of advice, its own.
            return "\(error)" == "\(path) cannot be written: \(words).\nRun it again."
        }
        for draft in drafts { draft.discard() }
        #expect(try text(path) == "first" && text(path + ".part") == "mine")
        #expect(try names() == ["out.jsonl", "out.jsonl.part"])
    }

    @Test func `a draft lies beside a file whose name begins with a mark`() throws {
        // The mark combines with the `/`: both are one character.
        let path = directory.path + "/\u{301}x.jsonl"
        let draft = try DraftFile(for: path, overwrite: false)
        #expect(draft.path.utf8.starts(with: (directory.path + "/.").utf8))
        try write("text", to: draft.path)
        try draft.commit()
        #expect(try text(path) == "text")
        #expect(try names().count == 1)
    }

    @Test(arguments: [EMFILE, ENFILE, ENOMEM, EINTR])
    func `a draft is never without a lock because of an error that passes`(number: Int32) throws {
        let path = directory.appending(path: "out.jsonl").path
        var tries = 0
        let draft = try DraftFile(for: path, overwrite: false) { (path: String) throws(SystemError) in
            tries += 1
            if tries < 3 { throw SystemError(number: number) }
            return try FileLock(on: path)
        }
        #expect(tries == 3)
        // Another process cannot take it for an abandoned one, and nothing is left of the first two tries.
        #expect(throws: SystemError.self) { try FileLock(on: draft.path) }
        #expect(try names() == [(draft.path as NSString).lastPathComponent])
        draft.discard()
        #expect {
            try DraftFile(for: path, overwrite: false) { (_: String) throws(SystemError) in
                throw SystemError(number: number)
            }
        } throws: {
            ($0 as? RecordingError)?.code == .unwritable
        }
        #expect(try names().isEmpty)
    }

    @Test func `a draft needs no lock on a file system without locks`() throws {
        let path = directory.appending(path: "out.jsonl").path
        let draft = try DraftFile(for: path, overwrite: false) { (_: String) throws(SystemError) in
            throw SystemError(number: ENOTSUP)
        }
        try write("text", to: draft.path)
        try draft.commit()
        draft.discard()
        #expect(try text(path) == "text")
    }

    @Test func `a draft does not wait for ever for a process that has its destination locked`() throws {
        let path = directory.appending(path: "out.jsonl").path
        try write("old", to: path)
        let draft = try DraftFile(for: path, overwrite: true)
        try write("new", to: draft.path)
        let lock = try FileLock(on: path)
        #expect { try draft.commit(waitingFor: .zero) } throws: {
            "\($0)" == "\(path) cannot be written: another process has kept it locked for 0 seconds.\n"
                + "Run it again when that process has ended."
        }
        #expect(try text(path) == "old")
        lock.release()
        try draft.commit(waitingFor: .zero)
        draft.discard()
        #expect(try text(path) == "new")
    }

    @Test func `the handler of a signal removes all files of the draft`() async {
        // In a process of its own, because there is one handler for all drafts.
        await #expect(processExitsWith: .exitCode(7)) {
            let scratch = Scratch()
            let draft = try DraftFile(for: scratch.directory.appending(path: "out.jsonl").path, overwrite: false)
            for path in [draft.otherPath, draft.path + "-journal"] {
                try Data("text".utf8).write(to: URL(filePath: path))
            }
            try #require(scratch.names.count == 3)
            RemovableDraft.remove()
            try #require(scratch.names.isEmpty)
            exit(7)
        }
    }

    @Test(arguments: ["out.jsonl", "[a-b] *.hindsight"])
    func `a draft removes those that killed processes have left, and no others`(name: String) throws {
        let path = directory.appending(path: name).path
        let live = try DraftFile(for: path, overwrite: false)
        let left = path.replacing(name, with: ".\(name).0123ABCD.part")
        for file in [left, left + "-journal", left + "-wal", left + ".part"] { try write("left", to: file) }
        // The drafts of another destination, and files of the user's.
        let others = [
            ".other.jsonl.0123ABCD.part", ".\(name).0123WXYZ.part", ".\(name).0123ABCDE.part", "\(name).part",
        ]
        for other in others { try write("mine", to: directory.appending(path: other).path) }
        try FileManager.default.createSymbolicLink(
            atPath: path.replacing(name, with: ".\(name).AAAAAAAA.part"),
            withDestinationPath: "\(name).part"
        )
        let draft = try DraftFile(for: path, overwrite: false)
        let kept =
            others + [".\(name).AAAAAAAA.part"] + [live.path, draft.path].map { ($0 as NSString).lastPathComponent }
        #expect(try names() == kept.sorted())
        try write("text", to: draft.path)
        try draft.commit()
        #expect(try text(path) == "text")
        for draft in [live, draft] { draft.discard() }
    }

    @Test func `a file that replaces a recording is without its journal, and never replaces one of a recorder`() throws
    {
        let path = directory.appending(path: "out.hindsight").path
        try write("old", to: path)
        try write("HSTAHEAD and records", to: path + "-ahead")
        let draft = try DraftFile(for: path, overwrite: true)
        try write("new", to: draft.path)
        do {
            let journal = try JournalFile(for: path)
            let error = #expect(throws: RecordingError.self) { try draft.commit() }
            #expect(error?.code == .inUse)
            let isInPlace = journal.isInPlace
            #expect(isInPlace)
        }
        #expect(try text(path) == "old")
        try draft.commit()
        draft.discard()
        #expect(try text(path) == "new")
        #expect(try names() == ["out.hindsight"])
    }

    @Test func `a long name leaves room for the draft's`() throws {
        let path = directory.appending(path: String(repeating: "ü", count: 120) + ".jsonl").path
        let draft = try DraftFile(for: path, overwrite: false)
        try write("text", to: draft.path)
        try draft.commit()
        draft.discard()
        #expect(try names().count == 1 && text(path) == "text")
    }
}
