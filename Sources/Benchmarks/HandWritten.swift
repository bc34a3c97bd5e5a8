import CSQLite
import Foundation
import HindsightStore

/// A simple recorder for comparison: the whole state as JSON, and one INSERT an action.
enum HandWritten {
    private struct Failure: Error {}

    /// Returns the nanoseconds and the bytes for each action.
    static func run(items count: Int, actions: Int, in folder: URL) throws -> (time: Double, bytes: Double) {
        let file = folder.appendingPathComponent("byhand.sqlite")
        var database: OpaquePointer?
        guard sqlite3_open(file.path, &database) == SQLITE_OK else { throw Failure() }
        defer { sqlite3_close_v2(database) }
        let schema = "PRAGMA journal_mode = WAL; CREATE TABLE log(seq INTEGER PRIMARY KEY, action TEXT, state TEXT)"
        guard sqlite3_exec(database, schema, nil, nil, nil) == SQLITE_OK else { throw Failure() }
        var insert: OpaquePointer?
        let sql = "INSERT INTO log(action, state) VALUES (?, ?)"
        guard sqlite3_prepare_v2(database, sql, -1, &insert, nil) == SQLITE_OK
        else { throw Failure() }
        defer { sqlite3_finalize(insert) }
        let store = Store(initial: ItemsState(items: Item.some(count)), reducer: items)
        let encoder = JSONEncoder()
        let elapsed = try ContinuousClock().measure {
            for number in 0..<actions {
                let action = ItemsAction.toggle(id: number * 7 % count)
                store.dispatch(action)
                try bind(try encoder.encode(action), insert, 1)
                try bind(try encoder.encode(store.state), insert, 2)
                guard sqlite3_step(insert) == SQLITE_DONE else { throw Failure() }
                sqlite3_reset(insert)
            }
        }
        sqlite3_wal_checkpoint_v2(database, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil)
        return (elapsed / .nanoseconds(1) / Double(actions), Double(fileSize(file)) / Double(actions))
    }

    private static func bind(_ data: Data, _ statement: OpaquePointer?, _ index: Int32) throws {
        try data.withUnsafeBytes { bytes in
            let text = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
            guard hindsight_bind_text(statement, index, text, UInt64(bytes.count)) == SQLITE_OK else { throw Failure() }
        }
    }
}
