import HindsightFormat
import HindsightSQLite
import HindsightTree

/// The doctor reads rows leniently: a fault is a finding.
extension Findings: RowPolicy {
    static var maxRows: Int { 100_000 }
    static func text(_ bytes: UnsafeBufferPointer<UInt8>) -> String? { String(validating: bytes, as: UTF8.self) }

    /// Payloads stay as they were written, so that they can be saved.
    func payload(_ bytes: UnsafeBufferPointer<UInt8>) throws(TreeError) -> String? {
        guard let text = Self.text(bytes) else { return nil }
        _ = try Node(jsonBytes: bytes)
        return text
    }

    static func isTooBig(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        MemoryEstimate.of(bytes) > MemoryEstimate.most
    }

    mutating func take(_ part: FaultPart, at seq: Int?, _ what: String, _: (any Error)?) {
        add(Finding(part, at: seq, what))
    }
}

extension ReadableFile {
    /// Opens a recording that may be damaged in any way, as far as possible.
    ///
    /// - Throws: A `RecordingError` if there is no file, or if it is not a recording.
    static func damaged(at path: String) throws -> ReadableFile {
        try ReadableFile(path: path, toleratingDamage: MemoryEstimate.maxTextLength)
    }

    /// Opens a table with `open`; `nil` if it cannot be read, which is a finding.
    func reader<Reader>(
        of table: Schema.Table,
        _ findings: inout Findings,
        _ open: (Schema.Table, Connection) throws -> Reader
    ) throws -> Reader? {
        guard has(table) else { return nil }
        var reader: Reader?
        try findings.read(.file, "its table \(table.name)") { _ in reader = try open(table, connection) }
        return reader
    }
}

extension RecordingHead {
    /// Reads the small tables of a file as far as possible.
    init(examining file: ReadableFile, _ findings: inout Findings) throws {
        try self.init(file, &findings)
        if metadata.values.values.contains(.foreign) {
            let error = Metadata.mismatch("text")
            findings.add(Finding(.head, "what the recording says about itself cannot be read: \(error)"))
        }
        for key in Metadata.Key.neededTexts {
            if case .text? = metadata[key] { continue }
            findings.add(Finding(.head, metadata[key] == nil ? "it has no \(key)" : "its \(key) is no text"))
        }
        for key in [Metadata.Key.created, Metadata.Key.closed] {
            if case .number? = metadata[key] { continue }
            if metadata[key] == nil, key == Metadata.Key.closed { continue }
            findings.add(Finding(.head, metadata[key] == nil ? "it has no \(key)" : "its \(key) is no number"))
        }
        if metadata.values[Metadata.Key.lost] != nil, lost == nil {
            findings.add(Finding(.head, "its lost actions are no range of actions"))
        }
        if metadata.schema == nil { findings.add(Finding(.head, "its schema is no whole number from 1 up")) }
        guard file.has(Schema.reducer) else { return }
        // The views need its name.
        try findings.read(.reducer, "the reducers' names") { findings in
            let travel = "SELECT 1 FROM reducer WHERE id = 0 AND typeof(name) = 'text'"
            if try file.connection.integer(travel) == nil {
                findings.add(Finding(.reducer, "the name of time travel is missing"))
            }
        }
    }

    /// Whether the recording has a limit.
    var isLimited: Bool { metadata.values.keys.contains { $0.hasPrefix("limit") } }

    /// Actions that, according to a recovery, are in no file.
    var lost: ClosedRange<Int>? {
        guard case .text(let text)? = metadata[Metadata.Key.lost] else { return nil }
        return Metadata.actions(text)
    }

    /// Corrects the number of reducers by that of the steps in most actions.
    mutating func expectReducers(_ count: Int, _ findings: inout Findings) {
        for number in reducers.count..<max(reducers.count, count) {
            findings.add(Finding(.reducer, "the name of reducer \(number + 1) is missing"))
            reducers.append(Self.lostName(of: number + 1))
        }
        if reducers.count > count {
            findings.add(Finding(.reducer, "there are \(reducers.count) names of \(count) reducers"))
            reducers.removeLast(reducers.count - count)
        }
        reducersAreKnown = true
    }
}
