import Foundation
import HindsightSQLite
import HindsightStore

/// A simple recorder for comparison: the whole state as JSON, and one INSERT an action.
enum HandWritten {
    /// Returns the nanoseconds and the bytes for each action.
    static func run(items count: Int, actions: Int, in folder: URL) throws -> (time: Double, bytes: Double) {
        let file = folder.appendingPathComponent("byhand.sqlite")
        let database = try newDatabase(at: file, "CREATE TABLE log(seq INTEGER PRIMARY KEY, action TEXT, state TEXT)")
        let insert = try database.prepare("INSERT INTO log(action, state) VALUES (?, ?)")
        let store = Store(initial: ItemsState(items: Item.some(count)), reducer: items)
        let encoder = JSONEncoder()
        let time = try elapsed {
            for number in 0..<actions {
                let action = ItemsAction.toggle(id: number * 7 % count)
                store.dispatch(action)
                try insert.bind(String(decoding: try encoder.encode(action), as: UTF8.self), at: 1)
                try insert.bind(String(decoding: try encoder.encode(store.state), as: UTF8.self), at: 2)
                try insert.run()
            }
        }
        try database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return (time / Double(actions), Double(fileSize(file)) / Double(actions))
    }
}
