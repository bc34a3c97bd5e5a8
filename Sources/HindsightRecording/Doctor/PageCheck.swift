import HindsightFormat
import HindsightSQLite

/// Lets SQLite check its pages, unless the file could make the check run without end.
struct PageCheck {
    private(set) var findings: [Finding] = []
    private(set) var remarks: [String] = []

    private static let most = 20

    init(_ connection: Connection) {
        do {
            let foreign = try Self.foreignObjects(connection)
            if let first = foreign.first {
                let more = foreign.count > 1 ? " and \(foreign.count - 1) more" : ""
                let objects = first + more
                remarks = ["It has \(objects), which no recorder made; SQLite's own check of the pages was left out."]
                return
            }
            let row = try connection.prepare("PRAGMA integrity_check(\(Self.most))")
            while try row.step() {
                let lines = try row.text(0).split(separator: "\n").filter { !$0.hasPrefix("***") }
                let words = lines.joined(separator: "; ")
                if words != "ok", !words.isEmpty { findings.append(Finding(.pages, "SQLite says: \(words)")) }
            }
        } catch {
            findings.append(Finding(.pages, "SQLite says: \(error)"))
        }
    }

    /// Additions to the schema. A malicious `CHECK` or index could run very long.
    private static func foreignObjects(_ connection: Connection) throws -> [String] {
        let model = try Connection(":memory:", .readWrite)
        for sql in Schema.creation { try model.execute(sql) }
        var known: Set<String> = []
        let ours = try model.prepare("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL")
        while try ours.step() { known.insert(try ours.text(0)) }
        var foreign: [String] = []
        let row = try connection.prepare("SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL LIMIT 1000")
        while try row.step() {
            if known.contains(try row.text(2)) { continue }
            foreign.append("the \(try row.text(0)) \(try row.text(1))")
        }
        return foreign
    }
}
