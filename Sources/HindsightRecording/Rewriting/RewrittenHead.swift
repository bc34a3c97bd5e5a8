import HindsightFormat
import HindsightSQLite
import HindsightTree

/// Writes what a rewritten recording says about itself, its notes, and the parents that come after their children.
struct RewrittenHead {
    private let recording: Recording
    private let connection: Connection
    private let numbers: ActionNumbers
    private let schema: Int

    init(_ recording: Recording, _ connection: Connection, _ numbers: ActionNumbers, schema: Int) {
        (self.recording, self.connection, self.numbers, self.schema) = (recording, connection, numbers, schema)
    }

    func write() throws {
        try connection.transaction { () throws(SQLiteError) in try adopt() }
        for states in recording.doubtful {
            let last = numbers.end(at: states.actions.upperBound)
            let first = numbers.end(at: states.actions.lowerBound - 1) + 1
            guard first <= last else { continue }
            try RunTable.add(DoubtfulStates(actions: first...last, path: states.path), to: connection)
        }
        try writeNotes()
        // The data must be on the disk before the file has its name.
        try connection.execute("PRAGMA synchronous = FULL")
        try writeFacts()
    }

    private func adopt() throws(SQLiteError) {
        let update = try connection.prepare("UPDATE action SET parent = ? WHERE seq = ?")
        for (child, parent) in numbers.pending {
            guard let parent = numbers[parent] else { continue }
            try update.bind(parent, at: 1)
            try update.bind(child, at: 2)
            try update.run()
        }
    }

    /// Copies the notes. One between two reducers of an action that was split is at the whole action.
    private func writeNotes() throws {
        let row = try recording.file.connection.prepare("SELECT id, seq, reducer, name, text, at FROM note ORDER BY id")
        let insert = try connection.prepare(
            "INSERT INTO note(id, seq, reducer, name, text, at) VALUES (?, ?, ?, ?, ?, ?)"
        )
        while try recording.file.reading({ try row.step() }) {
            let seq = Int(try row.integer(1))
            try insert.bind(Int(try row.integer(0)), at: 1)
            try insert.bind(numbers.end(at: seq), at: 2)
            try insert.bind(numbers.isWhole(seq) ? try row.optionalInteger(2).map { Int($0) } : nil, at: 3)
            try insert.bind(try row.optionalText(3), at: 4)
            try insert.bind(try row.optionalText(4), at: 5)
            try insert.bind(Int(try row.integer(5)), at: 6)
            try insert.run()
        }
    }

    private func writeFacts() throws {
        var metadata = Metadata()
        try recording.file.reading { try metadata.read(from: recording.file.connection) }
        var facts = metadata.values
        facts[Metadata.Key.schema] = schema == AppInfo.firstSchema ? nil : .number(Int64(schema))
        if !numbers.isUnchanged {
            // It names actions by their recorded numbers.
            facts[Metadata.Key.during] = nil
            if case .text(let text)? = facts[Metadata.Key.died], var died = RecordingPosition(text) {
                let isRemoved = !numbers.isWhole(died.seq)
                died.seq = numbers.end(at: died.seq)
                facts[Metadata.Key.died] = isRemoved ? nil : .text(died.description)
            }
            if let lost = recording.lost {
                let moved = numbers.last - recording.actionCount
                let text = "\(lost.lowerBound + moved)-\(lost.upperBound + moved)"
                facts[Metadata.Key.lost] = .text(text)
            }
        }
        try connection.transaction { () throws(SQLiteError) in try Metadata.write(facts, to: connection) }
    }
}
