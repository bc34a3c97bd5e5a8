import HindsightFormat
import HindsightSQLite
import HindsightStore
import HindsightTree

/// The columns of the table `action` but for the steps, which are read apart.
///
/// Damaged columns are `nil` if the policy is lenient; a strict policy throws.
struct ActionRow<Payload> {
    var seq: Int
    var parent: Int?
    var type: String?
    var payload: JSONColumn<Payload>
    var at: Int64?
    var duration: Int64?
    var origin: Origin?
    /// `nil` if it is not known.
    var thread: DispatchingThread?
    var problem: String?

    /// Reads a row with the columns of `Schema.action`.
    ///
    /// - Parameter names: `nil` if the table `name` cannot be read.
    init<Policy: RowPolicy>(_ row: borrowing Statement, _ names: NameTexts?, _ policy: inout Policy) throws
    where Policy.Payload == Payload {
        seq = Int(try row.integer(0))
        parent = row.isNull(1) ? nil : try policy.number(row, 1, "its parent", at: seq).map { Int($0) }
        type = try names.text(row, 2, "its type", of: "the type of an action", at: seq, &policy)
        let reader = policy
        payload = try policy.json(row, 3, "its payload", at: seq) { bytes throws(TreeError) in
            try reader.payload(bytes)
        }
        at = try policy.number(row, 4, "its time", at: seq)
        duration = row.isNull(5) ? nil : try policy.number(row, 5, "its duration", at: seq)
        let (file, use) = ("the file that it comes from", "where an action comes from")
        if !row.isNull(6), let file = try names.text(row, 6, file, of: use, at: seq, &policy),
            let line = try policy.number(row, 7, "the line that it comes from", at: seq)
        {
            origin = Origin(file: file, line: Int(line))
        }
        thread = try names.thread(row, 8, at: seq, &policy)
        problem = row.isNull(9) ? nil : try policy.text(row, 9, "the reason for its gap", at: seq)
    }
}

extension Schema {
    /// The column with the steps, the last one in a row with the columns of `Schema.action`.
    static let stepsColumn = Int32(action.columns.count - 1)
}

/// The texts of the table `name`, each read once.
final class NameTexts {
    /// The limit of a text in bytes. Every action may refer to a text, and each reference expands it.
    private static let longest = 4096
    /// The number of texts to keep. A malicious file may refer to any number of them.
    private static let maxKept = 1024

    private let select: Statement
    private let path: String
    /// The texts that were read last, each at the remainder of its id.
    private var texts: [(id: Int64, text: String)?] = Array(repeating: nil, count: maxKept)
    /// The thread that was read last, and its text. Most actions have the thread of the one before.
    fileprivate var lastThread: (text: ScalarKey, thread: DispatchingThread)?

    /// - Parameter table: The table `name`.
    init(_ table: Schema.Table, _ connection: Connection) throws(SQLiteError) {
        select = try connection.prepare("\(table.selection()) WHERE id = ?")
        path = connection.path
    }

    /// Returns the text with an id, as a policy decodes it.
    func text<Policy: RowPolicy>(_ id: Int64, _: Policy.Type) throws -> String {
        let place = Int(id.magnitude % UInt64(Self.maxKept))
        if let known = texts[place], known.id == id { return known.text }
        defer { select.reset() }
        try select.bind(id, at: 1)
        guard try select.step() else { throw damaged("there is no name \(id)") }
        let text = try select.withText(1) { bytes in
            guard bytes.count <= Self.longest else { throw damaged("name \(id) is longer than names are") }
            return Policy.text(bytes)
        }
        guard let text, let text else { throw select.mismatch(1, "text") }
        texts[place] = (id, text)
        return text
    }

    private func damaged(_ reason: String) -> RecordingError { RecordingError(.damaged, file: path, reason: reason) }
}

extension NameTexts? {
    /// Reads a column with a text or with the id of one; `nil` if it is damaged.
    ///
    /// - Parameter use: What the text is used for, if it is in the table.
    func text<Policy: RowPolicy>(
        _ row: borrowing Statement,
        _ column: Int32,
        _ noun: String,
        of use: String,
        at seq: Int,
        _ policy: inout Policy
    ) throws -> String? {
        guard row.isInteger(column) else { return try policy.text(row, column, noun, at: seq) }
        let id = try row.integer(column)
        var failure: (any Error)?
        do {
            if let text = try self?.text(id, Policy.self) { return text }
        } catch {
            failure = error
        }
        try policy.take(.name, at: seq, "name \(id), \(use), is missing", failure)
        return nil
    }

    /// Reads a column with a thread; `nil` if it is not known or damaged.
    func thread<Policy: RowPolicy>(
        _ row: borrowing Statement,
        _ column: Int32,
        at seq: Int,
        _ policy: inout Policy
    ) throws -> DispatchingThread? {
        guard !row.isNull(column),
            let text = try text(row, column, "its thread", of: "the thread of an action", at: seq, &policy)
        else { return nil }
        if let last = self?.lastThread, last.text == ScalarKey(text) { return last.thread }
        guard let thread = (try? Node(json: text)).flatMap(DispatchingThread.init(_:)) else {
            try policy.take(.action, at: seq, "its thread is none that a recorder writes", nil)
            return nil
        }
        self?.lastThread = (ScalarKey(text), thread)
        return thread
    }
}
