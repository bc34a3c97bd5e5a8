import HindsightRecording
import HindsightReplay
import HindsightTree

/// Formats whether a recording fits this build, for people and for programs.
struct FitReport: ToolReport {
    let fit: Fit
    let recording: Recording
    let tool: Tool

    /// The number of lines of one kind.
    private static let most = 20

    func print() {
        let verdict = fit.verdict.rawValue
        let label = fit.verdict == .doesNotFit ? style.bad(verdict) : style.good(verdict)
        console.print("\(label)  \(tool.shown(recording))  \(schemas)")
        if fit.decodedStates > 0, !fit.allStates {
            row("states", "\(Quantities.grouped(fit.decodedStates)) were decoded as a whole; `verify` decodes all")
        }
        for problem in fit.problems.prefix(Self.most) { print(problem) }
        printRest(fit.problems.count, "problem")
        rows("lacks", fit.notCodable) { type in
            let actions = type.actions > 0 ? Quantities.counted(type.actions, "action") : ""
            let places = [type.states ? "all states" : "", actions].filter { !$0.isEmpty }
            return "\(brief(type.type)) is not Codable: in \(places.joined(separator: " and "))"
        }
        rows("defaults", fit.defaults) {
            "\(brief("\($0.path)")) = \(brief($0.value.plainJSONLine, longest: 60))"
        }
        rows("unread", fit.unread, text(of:))
        rows("read", fit.conversions, Self.text(of:))
        if !fit.unlabelled.isEmpty {
            let names = fit.unlabelled.prefix(Self.most).map { brief($0) }.joined(separator: ", ")
            let more = fit.unlabelled.count > Self.most ? " …" : ""
            row("fragile", "\(names)\(more): the payload has no label (_0); give it one before you add another")
        }
        row("reducers", reducers)
    }

    private var schemas: String {
        let actions = Quantities.counted(recording.actionCount - recording.droppedCount, "action")
        guard fit.recordedSchema != fit.schema else { return "\(actions), schema \(fit.schema)" }
        let route = "\(actions), schema \(fit.recordedSchema), this build \(fit.schema)"
        guard !fit.migrations.isEmpty else { return route }
        return "\(route): migrates to \(fit.migrations.map { "\($0)" }.joined(separator: ", "))"
    }

    private func print(_ problem: Fit.Problem) {
        var place = problem.action.map { "action \(brief($0))" } ?? (problem.position == nil ? "recording" : "state")
        if let path = problem.path, !path.isRoot { place += " \(brief("\(path)"))" }
        var found = ""
        if let position = problem.position {
            let noun = problem.action == nil ? "state" : "action"
            let first = position.seq == 0 ? "the initial state" : "\(noun) \(position.seq)"
            let isPart = problem.action == nil && !fit.allStates && fit.migrations.isEmpty
            let count =
                isPart
                ? "\(Quantities.grouped(problem.count)) of the decoded states" : Quantities.counted(problem.count, noun)
            found = problem.count == 1 ? " (\(first))" : " (\(count), first \(first))"
        }
        console.print("  \(style.strong(place)): \(brief(problem.reason))\(found)", hanging: 4)
        if let migration = problem.migration { console.print("    \(brief(migration))", hanging: 6) }
    }

    private func text(of field: Fit.Field) -> String {
        brief("\(field.path)") + (field.action.map { " of action \(brief($0))" } ?? "")
    }

    /// A value that today's types read as another one.
    static func text(of conversion: Fit.Conversion) -> String {
        let path = conversion.path.isRoot ? "the state" : brief("\(conversion.path)")
        let values = [conversion.recorded, conversion.read].map { brief($0.plainJSONLine, longest: 60) }
        return "\(path): \(values[0]) as \(values[1])"
    }

    private var reducers: String {
        func names(_ names: [String]) -> String { names.prefix(Self.most).map { brief($0) }.joined(separator: ", ") }
        var parts: [String] = []
        if !fit.reducers.added.isEmpty { parts.append("new: \(names(fit.reducers.added))") }
        if !fit.reducers.removed.isEmpty { parts.append("gone: \(names(fit.reducers.removed))") }
        if !fit.reducers.renamed.isEmpty {
            parts.append("renamed: \(names(fit.reducers.renamed.map { "\($0.recorded) → \($0.today)" }))")
        }
        if !fit.reducers.steps.isEmpty {
            parts.append("run as a whole, with the steps \(names(fit.reducers.steps))")
        }
        if fit.reducers.isReordered { parts.append(parts.isEmpty ? "in another order" : "the others in another order") }
        if !fit.reducers.removed.isEmpty, !fit.reducers.added.isEmpty {
            parts.append("if one has a new name, declare the old one with `formerly:`")
        }
        return parts.joined(separator: "; ")
    }

    private func rows<Element>(_ label: String, _ elements: [Element], _ text: (Element) -> String) {
        for (index, element) in elements.prefix(Self.most).enumerated() {
            row(index == 0 ? label : "", text(element))
        }
        printRest(elements.count, "field")
    }

    private func printRest(_ count: Int, _ noun: String) {
        console.printRest(count - Self.most, noun, margin: "  ", " (--json has all)")
    }

    private func row(_ label: String, _ value: String) {
        if !value.isEmpty { console.row(label, value, gap: "  ") }
    }
}
