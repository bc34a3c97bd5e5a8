import HindsightQuery
import HindsightRecording
import HindsightReplay
import HindsightSupport
import HindsightTree

extension WhatIfCommand {
    static let when = Option<String>(
        "when",
        text: "EXPR",
        expected: "an expression, such as '/cart/total = 0'",
        repeating: true,
        help: "Leave all actions out after which EXPR was true, as find lists them."
    )

    /// Leaves out the actions after which an expression is true, or, if it names the column `reducer`, after one of whose
    /// reducers it is.
    ///
    /// - Parameter noting: Whether to tell on the error stream what the expression cannot know.
    static func edit(when text: String, rules: RuleBook, _ recording: Recording, _ tool: Tool, noting: Bool) throws
        -> ChangedLog.Edit
    {
        let scan = try ExpressionScan(of: recording, where: RecordingExpression(text, rules: rules))
        var (found, unknown): (Set<Int>, Set<Int>) = ([], [])
        while let stretch = try scan.next() {
            switch stretch.truth {
            case .yes: found.formUnion(stretch.first.seq...stretch.last.seq)
            case .unknown: unknown.formUnion(stretch.first.seq...stretch.last.seq)
            case .no, .null: break
            }
        }
        // It may be true at the start, where no action is.
        found.remove(recording.start.seq)
        unknown.subtract(found.union([recording.start.seq]))
        if found.isEmpty {
            let names = try scan.expression.unknownNames(in: recording)
            let isMistaken = unknown.isEmpty ? !names.isEmpty : names.lacksNames
            if isMistaken, let lines = try names.remarks(in: recording).first {
                throw Failure(.usage, lines: ["--when \(quote(text)) is true after no action."] + lines)
            }
            if noting { try tool.note(names, in: recording) }
        }
        if noting { try note(text, scan, unknown.sorted(), tool) }
        return .skipAll(found.sorted(), rule: "when \(text)")
    }

    private static func note(_ text: String, _ scan: ExpressionScan, _ unknown: [Int], _ tool: Tool) throws {
        if let first = unknown.first {
            let (count, stay) = (
                Quantities.counted(unknown.count, "action"), unknown.count == 1 ? "It stays" : "They stay"
            )
            tool.console.note(
                "--when \(brief(text)) is not known at \(count), first at \(first): what it reads was not recorded, or is "
                    + "redacted. "
                    + "\(stay) in the log."
            )
        }
        for path in try scan.recording.redacted(scan.expression.paths) {
            tool.console.note("\(escape(path.description)) is redacted: the recording has a placeholder in its place.")
        }
    }
}
