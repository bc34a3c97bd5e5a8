import HindsightFormat
import HindsightSQLite

extension Recording {
    /// Returns the names of notes that begin with a text, sorted, at most `most`. Costs a search in the notes' index.
    ///
    /// - Throws: A `RecordingError` with the code `damaged` or `unreadable`.
    package func noteNames(startingWith start: String, most: Int) throws(RecordingError) -> [String] {
        try file.reading {
            let row = try file.connection.prepare("SELECT name FROM note WHERE name >= ? ORDER BY name LIMIT ?")
            try row.bind(start, at: 1)
            try row.bind(most, at: 2)
            var names: [String] = []
            while names.count < most, try row.step() {
                let name = try row.text(0)
                guard name.utf8.starts(with: start.utf8) else { break }
                names.append(name)
            }
            return names
        }
    }
}
