import Foundation
import HindsightSupport
import TestSupport
import Testing

@testable import HindsightSQLite

@Suite("SQLite") struct ConnectionTests {
    private let scratch = Scratch()
    /// Has characters that a URI would escape.
    private var path: String { scratch.file("h ?#%.db").path }

    init() { #expect(FileManager.default.createFile(atPath: path, contents: nil)) }

    @Test("A call is stuck 0.3 s after its own limit, or after that of all calls")
    func stuckCalls() {
        let begin = ContinuousClock.now
        func looks(_ watch: StuckCalls.Watch, _ calls: [(call: Int?, second: Double)]) -> [Bool] {
            var watch = watch
            return calls.map { watch.isStuck(in: $0.call, at: begin + .seconds($0.second)) }
        }
        let each = StuckCalls.Watch(longest: .seconds(5))
        #expect(looks(each, [(1, 0), (1, 5.2), (1, 5.4)]) == [false, false, true])
        #expect(looks(each, [(1, 0), (nil, 3), (1, 4), (1, 9)]) == [false, false, false, false])
        #expect(looks(each, [(1, 0), (3, 5), (3, 10), (3, 10.4)]) == [false, false, false, true])
        let all = StuckCalls.Watch(longest: .seconds(5), end: begin + .seconds(5))
        #expect(looks(all, [(1, 0), (3, 4.5), (3, 5.2), (3, 5.4)]) == [false, false, false, true])
    }

    @Test("Work is interrupted at its limit, that of one call and that of all", arguments: [false, true])
    func interrupted(all: Bool) throws {
        let connection = try Connection(path, .readWrite)
        if all {
            connection.limitAllWork(to: .milliseconds(20))
        } else {
            connection.limitWork(to: .milliseconds(20))
        }
        let endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n"
        let error = #expect(throws: SQLiteError.self) { try connection.integer(endless) }
        #expect(error?.code == .interrupted)
    }

    @Test("Work within its limit is not interrupted", arguments: [false, true])
    func uninterrupted(all: Bool) throws {
        let connection = try Connection(path, .readWrite)
        if all { connection.limitAllWork(to: .seconds(60)) } else { connection.limitWork(to: .seconds(60)) }
        let numbers = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 20000)"
        #expect(try connection.integer("\(numbers) SELECT count(*) FROM n") == 20_000)
    }

    // A process of its own, because other tests would wait for the locks, and their threads might keep them.
    @Test("Each row may take the work that a file's size allows")
    func workOfEachRow() throws {
        let connection = try Connection(path, .readWrite)
        connection.limitWork(forFileOf: 0)
        // About half a million instructions each.
        let rows = """
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 300000)
            SELECT i FROM n WHERE i % 30000 = 0
            """
        let statement = try connection.prepare(rows)
        var count = 0
        while try statement.step() { count += 1 }
        #expect(count == 10)
        let error = #expect(throws: SQLiteError.self) { try connection.integer("SELECT count(*) FROM (\(rows))") }
        #expect(error?.code == .interrupted)
    }

    @Test("No call runs for the watch when it has returned or thrown")
    func noCallIsLeft() throws {
        let connection = try Connection(path, .readWrite)
        let pulse = connection.work.pulse
        try connection.execute("CREATE TABLE t(a)")
        #expect(pulse.call == nil)
        #expect(throws: SQLiteError.self) { try connection.execute("SELECT b FROM t") }
        #expect(pulse.call == nil)
        #expect(throws: SQLiteError.self) { _ = try connection.prepare("SELECT b FROM t") }
        #expect(pulse.call == nil)
        let statement = try connection.prepare("SELECT a FROM t")
        #expect(pulse.call == nil)
        _ = try statement.step()
        #expect(pulse.call == nil)
        _ = try connection.prepareOne("SELECT 1")
        #expect(pulse.call == nil)
    }

    @Test("Text in double quotes is refused where it is no name")
    func doubleQuotes() throws {
        let connection = try Connection(path, .readWrite)
        try connection.execute("SELECT \"text\"")
        try connection.refuseTextInDoubleQuotes()
        #expect(throws: SQLiteError.self) { try connection.execute("SELECT \"text\"") }
        try connection.execute("SELECT 'text'")
    }

    @Test("While a process forks, no other thread holds one of SQLite's global locks")
    func unlocked() async {
        await #expect(processExitsWith: .success) {
            let scratch = Scratch()
            let path = scratch.file("file.db").path
            precondition(FileManager.default.createFile(atPath: path, contents: nil))
            let ended = DispatchSemaphore(value: 0)
            let isBlocked = withSQLiteUnlocked {
                Thread.detachNewThread {
                    // Opening a database takes one of them.
                    do { _ = try Connection(path, .readWrite) } catch { fatalError("\(error)") }
                    ended.signal()
                }
                return ended.wait(timeout: .now() + 0.2) == .timedOut
            }
            precondition(isBlocked)
            ended.wait()
            withExtendedLifetime(scratch) {}
        }
    }

    @Test("Values come back as they were bound")
    func values() throws {
        let connection = try Connection(path, .readWrite)
        try connection.execute("CREATE TABLE t(a INTEGER, b TEXT)")
        let insert = try connection.prepare("INSERT INTO t VALUES (?, ?)")
        let texts = ["", "plain", "é", "e\u{301}", "a\0b", String(repeating: "long ", count: 10_000)]
        for (index, text) in texts.enumerated() {
            try insert.bind(Int64.min + Int64(index), at: 1)
            try insert.bind(text, at: 2)
            try insert.run()
        }
        let select = try connection.prepare("SELECT a, b, NULL FROM t ORDER BY a")
        for (index, text) in texts.enumerated() {
            #expect(try select.step())
            #expect(try select.integer(0) == Int64.min + Int64(index))
            #expect(try select.text(1).utf8.elementsEqual(text.utf8))
            #expect(select.withText(1) { $0.elementsEqual(text.utf8) } == true)
            #expect(try select.optionalText(2) == nil)
        }
        #expect(try !select.step())
    }

    @Test("Reading a column of another type throws instead of converting")
    func mismatch() throws {
        let connection = try Connection(path, .readWrite)
        let select = try connection.prepare("SELECT '12', x'00', 1.5 AS half")
        #expect(try select.step())
        #expect(throws: SQLiteError.self) { try select.integer(0) }
        #expect(throws: SQLiteError.self) { try select.text(1) }
        let error = #expect(throws: SQLiteError.self) { try select.integer(2) }
        #expect(error?.code == .mismatch)
        #expect(error?.message == "column half is not a whole number")
    }

    @Test("A failed transaction leaves nothing behind, and the connection stays usable")
    func rollback() throws {
        let connection = try Connection(path, .readWrite)
        try connection.execute("CREATE TABLE t(a INTEGER PRIMARY KEY)")
        let error = #expect(throws: SQLiteError.self) {
            try connection.transaction { () throws(SQLiteError) in
                try connection.execute("INSERT INTO t VALUES (1)")
                try connection.execute("INSERT INTO t VALUES (1)")
            }
        }
        #expect(error?.sql == "INSERT INTO t VALUES (1)")
        // SQLITE_CONSTRAINT_PRIMARYKEY.
        #expect(error?.extendedCode == 1555 && error?.message.contains("UNIQUE constraint failed: t.a") == true)
        #expect(error?.path == path)
        #expect(try connection.integer("SELECT count(*) FROM t") == 0)
        try connection.transaction { () throws(SQLiteError) in try connection.execute("INSERT INTO t VALUES (1)") }
        #expect(try connection.integer("SELECT count(*) FROM t") == 1)
    }

    @Test(
        "Reading connections cannot write",
        arguments: [Connection.Access.readShared, .readAbandoned, .readImmutable]
    )
    func reading(access: Connection.Access) throws {
        try Connection(path, .readWrite).execute("CREATE TABLE t(a)")
        let connection = try Connection(path, access)
        #expect(try connection.integer("SELECT count(*) FROM t") == 0)
        #expect(throws: SQLiteError.self) { try connection.execute("INSERT INTO t VALUES (1)") }
    }

    @Test("A file that another connection holds alone is busy for a reader without locks")
    func heldAlone() throws {
        try Connection(path, .readWrite).execute("PRAGMA journal_mode = WAL; CREATE TABLE t(a)")
        _ = try ReadLock(path)
        let file = open(path, O_RDWR)
        try #require(file >= 0)
        defer { _ = close(file) }
        // All bytes that SQLite locks.
        var lock = flock()
        (lock.l_type, lock.l_whence) = (Int16(F_WRLCK), Int16(SEEK_SET))
        (lock.l_start, lock.l_len) = (0x4000_0000, 512)
        try #require(fcntl(file, RangeLock.command, &lock) == 0)
        let error = #expect(throws: SQLiteError.self) { _ = try ReadLock(path) }
        #expect(error?.code == .busy)
    }

    @Test("Statements wait for a lock until a moment, all together")
    func waiting() throws {
        let connection = try Connection(path, .readWrite)
        // Sound: one thread at a time uses it.
        nonisolated(unsafe) let other = try Connection(path, .readWrite)
        try other.execute("CREATE TABLE t(a); BEGIN IMMEDIATE")
        let begin = ContinuousClock.now
        connection.waitForLocks(until: begin + .milliseconds(40))
        for _ in 0..<2 {
            let error = #expect(throws: SQLiteError.self) { try connection.execute("INSERT INTO t VALUES (1)") }
            #expect(error?.code == .busy)
        }
        #expect(ContinuousClock.now - begin >= .milliseconds(40))
        try other.execute("COMMIT")
        connection.waitForLocks(until: .now + .seconds(30))
        try other.execute("BEGIN IMMEDIATE")
        let releasing = Thread {
            usleep(30_000)
            try? other.execute("COMMIT")
        }
        releasing.start()
        try connection.execute("INSERT INTO t VALUES (1)")
        #expect(try connection.integer("SELECT count(*) FROM t") == 1)
    }

    @Test("Triggers in the file do not run, and the schema cannot be written")
    func hostileSchema() throws {
        try Connection(path, .readWrite).execute(
            "CREATE TABLE t(a); CREATE TRIGGER x AFTER INSERT ON t BEGIN INSERT INTO t VALUES (2); END"
        )
        let connection = try Connection(path, .readWrite)
        try connection.execute("INSERT INTO t VALUES (1)")
        #expect(try connection.integer("SELECT count(*) FROM t") == 1)
        #expect(throws: SQLiteError.self) {
            try connection.execute("PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = 'x'")
        }
    }

    @Test("Opening a missing file throws and does not create it")
    func missing() throws {
        let path = scratch.file("missing.db").path
        for access in [Connection.Access.readWrite, .readShared, .readAbandoned, .readImmutable] {
            let error = #expect(throws: SQLiteError.self) {
                try Connection(path, access).execute("SELECT * FROM sqlite_schema")
            }
            #expect(error?.code == .cannotOpen)
        }
        #expect(!FileManager.default.fileExists(atPath: path))
    }
}
