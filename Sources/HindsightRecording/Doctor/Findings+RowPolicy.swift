import HindsightFormat
import HindsightTree

/// The doctor reads rows leniently: a fault is a finding.
extension Findings: RowPolicy {
    static var mostRows: Int { 100_000 }
    static func text(_ bytes: UnsafeBufferPointer<UInt8>) -> String? { String(validating: bytes, as: UTF8.self) }

    /// Payloads stay as they were written, so that they can be saved.
    static func payload(_ bytes: UnsafeBufferPointer<UInt8>) throws(TreeError) -> String? {
        guard let text = text(bytes) else { return nil }
        _ = try Node(jsonBytes: bytes)
        return text
    }

    static func isTooBig(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        MemoryEstimate.of(bytes) > MemoryEstimate.most
    }

    mutating func take(_ fault: RowFault) {
        add(Finding(Finding.Part(rawValue: fault.part.rawValue), at: fault.seq, fault.what))
    }
}

extension ReadableFile {
    /// Opens a recording that may be damaged in any way, as far as possible.
    ///
    /// - Throws: A `RecordingError` if there is no file, or if it is not a recording.
    static func damaged(at path: String) throws -> ReadableFile {
        try ReadableFile(path: path, toleratingDamage: MemoryEstimate.longestText)
    }

    /// Opens a table; `nil` if it cannot be read, which is a finding.
    func table(_ table: Schema.Table, _ findings: inout Findings) -> LenientTable? {
        guard has(table), let key = table.key else { return nil }
        do {
            return try LenientTable(connection, table.name, key: key, columns: table.columns.dropFirst())
        } catch {
            findings.add(Finding(.file, "its table \(table.name) cannot be read: \(error)"))
            return nil
        }
    }

    /// Opens the table `name`; `nil` if it cannot be read, which is a finding.
    func names(_ findings: inout Findings) throws -> NameTexts? {
        var names: NameTexts?
        if has(Schema.name) {
            try findings.read(.file, "its table name") { _ in names = try NameTexts(connection) }
        }
        return names
    }
}
