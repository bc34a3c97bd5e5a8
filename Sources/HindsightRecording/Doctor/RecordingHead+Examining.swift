import HindsightFormat
import HindsightSQLite

extension RecordingHead {
    /// Reads the small tables of a file as far as possible.
    init(examining file: ReadableFile, _ findings: inout Findings) throws {
        try self.init(file, &findings)
        if metadata.values.values.contains(.foreign) {
            let error = Metadata.mismatch("text")
            findings.add(Finding(.head, "what the recording says about itself cannot be read: \(error)"))
        }
        for key in [Metadata.Key.app, Metadata.Key.version, Metadata.Key.platform] {
            if case .text? = metadata[key] { continue }
            findings.add(Finding(.head, metadata[key] == nil ? "it has no \(key)" : "its \(key) is no text"))
        }
        for key in [Metadata.Key.created, Metadata.Key.closed] {
            if case .number? = metadata[key] { continue }
            if metadata[key] == nil, key == Metadata.Key.closed { continue }
            findings.add(Finding(.head, metadata[key] == nil ? "it has no \(key)" : "its \(key) is no number"))
        }
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
            reducers.append("reducer \(number + 1) (its name is lost)")
        }
        if reducers.count > count {
            findings.add(Finding(.reducer, "there are \(reducers.count) names of \(count) reducers"))
            reducers.removeLast(reducers.count - count)
        }
        reducersAreKnown = true
    }
}
