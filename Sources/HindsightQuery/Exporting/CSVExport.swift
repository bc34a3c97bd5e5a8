import HindsightFormat
import HindsightRecording
import HindsightSupport
import HindsightTree

/// Writes a row an action.
struct CSVExport {
    let recording: Recording

    /// The columns. Later versions only add columns at the end.
    ///
    /// A cell is empty if the recording does not have the value. `reducers` are those that changed something, and
    /// `paths` the places, each a JSON array; `changes` is the number of operations.
    static let columns = [
        "seq", "time", "at_ns", "type", "payload", "duration_ns", "parent", "origin", "problem", "changes", "reducers",
        "paths",
    ]

    func run(_ range: ClosedRange<Int>?, _ write: (String) throws -> Void) throws {
        try write(Self.row(Self.columns))
        guard let range else { return }
        var entries = try recording.entries(in: range)
        while let (action, steps) = try entries.next() { try write(Self.row(cells(action, steps))) }
    }

    private func cells(_ action: RecordedAction, _ steps: [RecordedStep]) -> [String] {
        let isKnown = recording.absence(ofChangesIn: action.seq) == nil
        let changing = steps.filter { $0.patch?.isEmpty == false }
        let operations = changing.flatMap { $0.patch?.operations ?? [] }
        var seen: Set<NodePath> = []
        let paths = operations.map(\.path).filter { seen.insert($0).inserted }
        let names = changing.map { Node.string(recording.name(ofReducer: $0.reducer) ?? "\($0.reducer)") }
        return [
            String(action.seq), Self.time(action.nanosecondsSinceEpoch), String(action.nanosecondsSinceEpoch),
            Self.text(action.type), escape(action.payload?.json ?? ""),
            action.durationInNanoseconds.map { String($0) } ?? "", action.parent.map { String($0) } ?? "",
            Self.text(action.origin ?? ""), Self.text(action.problem ?? ""),
            isKnown ? String(operations.count) : "", isKnown ? escape(Node.array(names).json) : "",
            isKnown ? escape(Node.array(paths.map { .string($0.description) }).json) : "",
        ]
    }

    /// A text of the app.
    private static func text(_ text: String) -> String { CSVText.plain(escape(text)) }

    private static func row(_ cells: [String]) -> String {
        cells.map(CSVText.quoted).joined(separator: ",") + "\r\n"
    }

    /// `2026-11-20T15:35:34.123456789Z`
    private static func time(_ nanoseconds: Int64) -> String {
        let belowMillisecond = Int(nanoseconds).quotientAndRemainder(floor: 1_000_000).remainder
        return "\(TimeText.utc(nanoseconds: nanoseconds).dropLast())\(TimeText.padded(belowMillisecond, 6))Z"
    }
}
