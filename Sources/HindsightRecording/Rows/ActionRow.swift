import HindsightFormat
import HindsightSQLite
import HindsightStore
import HindsightTree

/// A row of the table `action`, without its steps.
///
/// What is damaged is `nil` if the policy is lenient; a strict policy throws.
struct ActionRow<Payload> {
    var seq: Int
    var parent: Int?
    var type: String?
    var payload: JSONColumn<Payload>
    var at: Int64?
    var duration: Int64?
    var origin: Origin?
    var problem: String?

    /// Reads a row of one of the selections of ``ActionTable``.
    init<Policy: RowPolicy>(_ row: borrowing Statement, _ names: NameTexts?, _ policy: inout Policy) throws
    where Policy.Payload == Payload {
        let seq = Int(try row.integer(0))
        self.seq = seq
        parent = try policy.optionalNumber(row, 1, "its parent", at: seq).map { Int($0) }
        type = try policy.name(row, 2, "its type", of: "the type of an action", at: seq, names)
        payload = try policy.json(row, 3, "its payload", at: seq, Policy.payload)
        at = try policy.number(row, 4, "its time", at: seq)
        duration = try policy.optionalNumber(row, 5, "its duration", at: seq)
        let noun = "the file that it comes from"
        if !row.isNull(6), let file = try policy.name(row, 6, noun, of: "where an action comes from", at: seq, names),
            let line = try policy.number(row, 7, "the line that it comes from", at: seq)
        {
            origin = Origin(file: file, line: Int(line))
        }
        problem = row.isNull(8) ? nil : try policy.text(row, 8, "the reason for its gap", at: seq)
    }
}

enum ActionTable {
    static let selectionWithSteps = selection(of: Schema.action.columns)
    static let selection = selection(of: Schema.action.columns.dropLast())
    /// The column with the steps in ``selectionWithSteps``.
    static let steps = Int32(Schema.action.columns.count - 1)

    private static func selection(of columns: some Sequence<String>) -> String {
        "SELECT \(columns.joined(separator: ", ")) FROM action"
    }
}

extension RowPolicy {
    /// Parses a column of steps.
    mutating func steps(
        _ row: borrowing Statement,
        _ column: Int32 = ActionTable.steps,
        at seq: Int
    ) throws -> JSONColumn<[TimedPatch]> {
        let tooBig = "is too big to be examined"
        return try json(row, column, "what its reducers did", at: seq, in: .steps, ifTooBig: tooBig) {
            bytes throws(TreeError) in try TimedPatches.read(bytes)
        }
    }
}

/// The texts of the table `name`, each read once.
final class NameTexts {
    /// The limit of a text in bytes. Every action may refer to a text, and each reference expands it.
    private static let longest = 4096
    /// The number of texts to keep. A malicious file may refer to any number of them.
    private static let mostKept = 10_000

    private let select: Statement
    private let reports: Reports
    private var texts: [Int64: String] = [:]

    init(_ connection: Connection) throws(SQLiteError) {
        select = try connection.prepare("SELECT text FROM name WHERE id = ?")
        reports = Reports(path: connection.path)
    }

    /// Returns the text with an id, as a policy decodes it.
    func text<Policy: RowPolicy>(_ id: Int64, _: Policy.Type) throws -> String {
        if let text = texts[id] { return text }
        defer { select.reset() }
        try select.bind(id, at: 1)
        guard try select.step() else { throw reports.damaged("there is no name \(id)") }
        let text = try select.withText(0) { bytes in
            guard bytes.count <= Self.longest else { throw reports.damaged("name \(id) is longer than names are") }
            return Policy.text(bytes)
        }
        guard let text, let text else { throw select.mismatch(0, "text") }
        if texts.count >= Self.mostKept { texts = [:] }
        texts[id] = text
        return text
    }
}
