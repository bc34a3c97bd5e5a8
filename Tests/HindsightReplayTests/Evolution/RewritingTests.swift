import Foundation
import HindsightRecorder
import HindsightRecording
import HindsightStore
import HindsightTree
import TestSupport
import Testing

@testable import HindsightReplay

/// Recordings that are rewritten into today's schema.
@Suite struct RewritingTests {
    private let scratch = Scratch()

    /// Migrates a session of the old app, and opens the result.
    private func migrated(_ session: [Node] = shopSession, by app: ReplayableApp = newShop()) throws
        -> (old: Recording, new: Recording)
    {
        let old = try scratch.record(oldShop, session)
        let output = scratch.file("new.hindsight")
        try app.migrate(old, to: output)
        return (old, try Recording(at: output))
    }

    @Test func `the result has today's actions, states and schema, and is equal when verified`() throws {
        let (old, new) = try migrated()
        #expect(new.app == AppInfo(name: "shop", schema: 2))
        #expect(new.actionCount == 4)
        #expect(
            try new.actions(in: 1...4).map(\.payload) == [
                ["add": ["id": 1]], ["add": ["id": 2]], ["add": ["id": 3]], ["rename": ["name": "Ann"]],
            ]
        )
        #expect(try new.actions(in: 1...4).map(\.type) == ["add", "add", "add", "rename"])
        #expect(new.skipped == [2...3], "the state between the parts of an action was not recorded")
        #expect(new.ending == .closed && new.closed == old.closed && new.created == old.created)
        let result = try newShop().verify(new)
        #expect(result.matches)
        #expect(result.actions == 2)
        #expect(result.skipped == [2...3])
        let replayer = try Replayer(of: old, by: newShop())
        for (recorded, position) in [(0, 0), (1, 1), (3, 3), (4, 4)] {
            let expected = try replayer.recordedState(at: Recording.Position(seq: recorded))
            #expect(try new.state(at: Recording.Position(seq: position)).isEquivalent(to: expected))
        }
        #expect(try Recording.examine(at: new.url).isSound)
    }

    private struct Board: Codable, Sendable {
        var names = ["a", "b", "c"]
        var other = 0
    }

    private enum BoardAction: Codable, Sendable { case rename(index: Int) }

    private static func board(_ migrations: [Migration] = []) -> ReplayableApp {
        ReplayableApp(
            "board",
            initial: Board(),
            reducer: Reducer<Board, BoardAction>("names") { board, action in
                if case .rename(let index) = action { board.names[index] += "!" }
            },
            schema: migrations.isEmpty ? 1 : 2,
            migrations: migrations
        )
    }

    @Test(arguments: [[], [Migration(to: 2) { $0.addField("/more", default: 1) }]])
    func `changes that a migration does not touch stay as they were recorded`(migrations: [Migration]) throws {
        let old = try scratch.record(Self.board(), [["rename": ["index": 1]], ["rename": ["index": 0]]])
        let output = scratch.file("same.hindsight")
        try Self.board(migrations).migrate(old, to: output)
        let new = try Recording(at: output)
        for seq in 1...2 { #expect(try new.steps(of: seq) == old.steps(of: seq), "action \(seq)") }
    }

    @Test(arguments: [
        ("new.jsonl", true, true), ("new.jsonl", false, true), ("new.hindsight", true, false),
        ("new.hindsight", false, false), ("new", true, true), ("new", false, false),
    ])
    func `the output has the form that its name says, or that of the recording`(
        name: String,
        fromText: Bool,
        toText: Bool
    ) throws {
        var old = try scratch.record(oldShop, shopSession)
        if fromText {
            let text = scratch.file("old.jsonl")
            try old.writeText(to: text)
            old = try Recording(at: text)
        }
        let folder = scratch.file("folder")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let output = folder.appending(path: name)
        #expect(try newShop().migrate(old, to: output) == 4)
        let new = try Recording(at: output)
        #expect(new.isText == toText && new.actionCount == 4)
        #expect(try newShop().verify(new).matches)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [name])
    }

    @Test func `a directory lists a database whose name ends in jsonl`() throws {
        let old = try scratch.record(oldShop, shopSession)
        let folder = scratch.file("folder")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try FileManager.default.copyItem(at: old.url, to: folder.appending(path: "a.jsonl"))
        try Data(#"{"add":{"id":1}}"#.utf8).write(to: folder.appending(path: "actions.jsonl"))
        #expect(try RunDirectory(at: folder).entries().map(\.url.lastPathComponent) == ["a.jsonl"])
    }

    @Test func `times, origins and durations stay`() throws {
        let (old, new) = try migrated()
        let (before, after) = (try old.actions(in: 1...4), try new.actions(in: 1...4))
        #expect(after.map(\.nanosecondsSinceEpoch) == [0, 2, 2, 3].map { before[$0].nanosecondsSinceEpoch })
        #expect(after.map(\.origin) == ["session:1", "session:3", "session:3", "session:4"])
        #expect(after[0].duration == before[0].duration && after[3].duration == before[3].duration)
        #expect(after[1].duration == .zero && after[2].duration == before[2].duration)
        #expect(try new.steps(of: 1).map(\.duration) == old.steps(of: 1).map(\.duration))
        #expect(try new.steps(of: 1).map { $0.patch != nil } == [true, true])
    }

    @Test func `without a split or a removed action, each action keeps its number and its steps`() throws {
        let session: [Node] = [["addItem": ["_0": 1]], ["rename": ["nmae": "Ann"]], ["addItem": ["_0": 2]]]
        let (_, new) = try migrated(session)
        #expect(new.skipped.isEmpty)
        let result = try newShop().verify(new)
        #expect(result.matches)
        #expect(result.actions == 3)
    }

    @Test func `a removed action that had changed the state stays as a gap`() throws {
        let app = newShop([
            Migration(to: 2) {
                $0.renameAction("addItem", to: "add")
                $0.renameField("/_0", to: "id", in: "add")
                $0.removeAction("rename")
                $0.renameField("/user/nmae", to: "name")
                $0.moveField("/count", to: "/totals/count")
                $0.addField("/items/*/done", default: false)
            }
        ])
        let (_, new) = try migrated([["addItem": ["_0": 1]], ["rename": ["nmae": "Ann"]]], by: app)
        let gap = try new.action(2)
        #expect(gap.isGap)
        #expect(gap.type == "rename")
        #expect(gap.problem == "a migration removed it, and it had changed the state")
        #expect(try new.state(at: Recording.Position(seq: 2))["user"] == ["name": "Ann"])
        #expect(try app.verify(new).gaps == [2])
    }

    private struct Chain: Codable, Sendable { var log: [String] = [] }
    private enum ChainAction: String, Codable, Sendable { case first, second, third }

    @Test func `children of a removed action belong to its parent, and those of a split one to its last part`() throws {
        func app(_ migrations: [Migration]) -> ReplayableApp {
            ReplayableApp(
                "chain",
                initial: Chain(),
                reducer: Reducer<Chain, ChainAction>("log") { _, _ in },
                migrations: migrations,
                middleware: {
                    [
                        Middleware<Chain, ChainAction> { _, dispatch in
                            { next in
                                { action in
                                    next(action)
                                    if action == .first { dispatch(.second) }
                                    if action == .second { dispatch(.third) }
                                }
                            }
                        }
                    ]
                }
            )
        }
        let old = try scratch.record(app([]), ["first"])
        #expect(try old.actions(in: 1...3).map(\.parent) == [nil, 1, 2])
        for (name, migration, parents) in [
            ("removed", Migration(to: 2) { $0.removeAction("second") }, [nil, 1]),
            ("split", Migration(to: 2) { $0.splitAction("second") { _ in ["second", "second"] } }, [nil, 1, 1, 3]),
        ] as [(String, Migration, [Int?])] {
            let output = scratch.file("\(name).hindsight")
            #expect(try app([migration]).migrate(old, to: output) == parents.count)
            #expect(try Recording(at: output).actions(in: 1...9).map(\.parent) == parents, "\(name)")
        }
    }

    @Test func `an existing file is replaced only on demand, and nothing is left after a failure`() throws {
        let old = try scratch.record(oldShop, shopSession)
        let output = scratch.file("new.hindsight")
        try Data("mine".utf8).write(to: output)
        let error = #expect(throws: RecordingError.self) { try newShop().migrate(old, to: output) }
        #expect(error?.code == .exists)
        #expect(try Data(contentsOf: output) == Data("mine".utf8))
        let broken = newShop([failingMigration])
        let failure = #expect(throws: ReplayError.self) { try broken.migrate(old, to: output, overwrite: true) }
        #expect(failure?.code == .failedMigration)
        #expect(failure?.position == Recording.Position(seq: 3))
        #expect(try Data(contentsOf: output) == Data("mine".utf8))
        #expect(
            try scratch.names == [
                "a.hindsight", "new.hindsight",
            ]
        )
        try newShop().migrate(old, to: output, overwrite: true)
        #expect(try newShop().verify(Recording(at: output)).matches)
        let same = #expect(throws: RecordingError.self) { try newShop().migrate(old, to: old.url, overwrite: true) }
        #expect(same?.code == .unwritable)
    }

    @Test(arguments: ["a.hindsight", "a.jsonl"])
    func `a recording of an earlier schema is migrated when its states are accepted`(name: String) throws {
        let old = try scratch.record(oldShop, shopSession)
        let file = scratch.file("folder").appending(path: name)
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        if name.hasSuffix("jsonl") {
            try old.writeText(to: file)
        } else {
            try FileManager.default.copyItem(at: old.url, to: file)
        }
        try newShop().accept(file)
        let new = try Recording(at: file)
        #expect(new.app == AppInfo(name: "shop", schema: 2) && new.isText == name.hasSuffix("jsonl"))
        #expect(try new.actions(in: 1...9).map(\.type) == ["add", "add", "add", "rename"])
        let result = try newShop().verify(new)
        #expect(result.matches && result.actions == 4 && result.skipped == [], "the states between parts are known")
        #expect(try FileManager.default.contentsOfDirectory(atPath: file.deletingLastPathComponent().path) == [name])
    }

    @Test func `a recording of an earlier schema that cannot be migrated stays as it is, and the error names it`()
        throws
    {
        let old = try scratch.record(oldShop, shopSession)
        let bytes = try Data(contentsOf: old.url)
        let app = newShop([Migration(to: 2) { _ in }])
        for body in [{ try app.accept(old.url) }, { try app.migrate(inPlace: old.url) }] as [() throws -> Void] {
            let error = #expect(throws: ReplayError.self) { try body() }
            #expect(error?.file == old.url.path && error?.code == .renamedField)
            #expect(try Data(contentsOf: old.url) == bytes)
        }
    }

    @Test func `a live recording is refused`() throws {
        let file = scratch.file("live.hindsight")
        let session = try oldShop.record(to: file)
        try session.dispatch(["ping": [:]], origin: Origin(file: "x", line: 1))
        try session.flush()
        let output = file.deletingLastPathComponent().appending(path: "out.hindsight")
        let error = #expect(throws: RecordingError.self) { try newShop().migrate(Recording(at: file), to: output) }
        #expect(error?.code == .live)
        try session.close()
    }

    @Test(.enabled(if: Python.has("sqlite3"))) func `another SQLite reads the result`() throws {
        let (_, new) = try migrated()
        let script = """
            import sqlite3, sys
            path = open(sys.argv[1]).read()
            db = sqlite3.connect(path)
            print(db.execute("PRAGMA integrity_check").fetchone()[0])
            for row in db.execute("SELECT seq, type, payload, origin FROM history ORDER BY seq"): print(*row, sep="|")
            print(db.execute("SELECT value FROM recording WHERE key = 'schema'").fetchone()[0])
            """
        #expect(
            try Python.run(script, input: new.url.path) == """
                ok
                1|add|{"add":{"id":1}}|session:1
                2|add|{"add":{"id":2}}|session:3
                3|add|{"add":{"id":3}}|session:3
                4|rename|{"rename":{"name":"Ann"}}|session:4
                2

                """
        )
    }
}
