import HindsightRecording
import HindsightTree

/// A form in which a recording can be written for other programs.
package enum ExportFormat: String, Sendable, CaseIterable {
    /// A line of JSON an action: the form of `Recording.writeText(of:_:)`, which comes back bit for bit.
    case jsonl
    /// The lines of ``jsonl`` as one array.
    case json
    /// A row an action, for spreadsheets and data frames (RFC 4180).
    case csv
    /// A file that Redux DevTools imports.
    case reduxDevTools = "redux-devtools"
    /// A trace of actions and reducers in the Trace Event Format, which Perfetto's UI opens.
    case perfetto

    /// Whether the format can have a part of the actions. ``jsonl`` and ``json`` have all of them.
    package var takesRange: Bool { self != .jsonl && self != .json }

    /// The number of actions that a file has at most if no range is given; `nil` if it has all.
    ///
    /// Redux DevTools needs a whole state for each action.
    package var usualLimit: Int? { self == .reduxDevTools ? 500 : nil }
}

extension Recording {
    /// The actions that an export has: those of `range`, or else all, or the last ones up to the limit of the format.
    ///
    /// - Returns: `nil` if there are none.
    package func exportedActions(as format: ExportFormat, in range: ClosedRange<Int>? = nil) -> ClosedRange<Int>? {
        var first = max(range?.lowerBound ?? 1, start.seq + 1)
        let last = min(range?.upperBound ?? actionCount, actionCount)
        if range == nil, let most = format.usualLimit { first = max(first, last - most + 1) }
        return first <= last ? first...last : nil
    }

    /// Writes the recording in a form for other programs, part by part.
    ///
    /// ```swift
    /// try recording.export(as: .csv) { try handle.write(contentsOf: Data($0.utf8)) }
    /// ```
    ///
    /// The texts of all forms are escaped as in JSON, so that they control no terminal. Holds an action and a state in
    /// memory. Costs a pass over the actions; for Redux DevTools, two passes and a text of each state.
    ///
    /// - Parameters:
    ///   - format: The form.
    ///   - range: The numbers of the actions; `nil` for those of ``exportedActions(as:in:)``. Formats without a range
    ///     (``ExportFormat/takesRange``) have all actions.
    ///   - write: Takes the next part of the text.
    /// - Throws: A `RecordingError` with the code `damaged`, `unreadable` or `unwritable`; or what `write` throws.
    package func export(
        as format: ExportFormat,
        in range: ClosedRange<Int>? = nil,
        _ write: (_ part: String) throws -> Void
    ) throws {
        let actions = exportedActions(as: format, in: range)
        switch format {
        case .jsonl: try writeText(write)
        case .json: try writeArray(write)
        case .csv: try CSVExport(recording: self).run(actions, write)
        case .reduxDevTools: try ReduxExport(recording: self).run(actions, write)
        case .perfetto: try TraceExport(recording: self).run(actions, write)
        }
    }

    private func writeArray(_ write: (String) throws -> Void) throws {
        var separator = "["
        try writeText { line in
            try write("\(separator)\n\(line.dropLast())")
            separator = ","
        }
        try write("\n]\n")
    }
}

extension RecordedAction {
    /// The type with the cases of enums inside it: `market.quotes`.
    var fullType: String {
        ([type] + (payload?.nestedCases ?? [])).joined(separator: ".")
    }
}
