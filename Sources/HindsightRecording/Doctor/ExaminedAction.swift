import HindsightFormat
import HindsightSQLite
import HindsightStore
import HindsightTree

/// An action as far as it can be read and believed.
struct ExaminedAction {
    var action: DispatchedAction
    var duration: Int64?
    /// The steps, as text and parsed; `nil` if they were not written.
    var steps: (text: String, read: [TimedPatch])?
    /// Whether the steps are damaged.
    var stepsAreLost = false

    private var isTravel: Bool { action.payload == nil && action.type == Schema.travelType }

    /// Reads a row with the columns of `Schema.action`.
    ///
    /// - Parameters:
    ///   - lastTime: Replaces a time that is lost.
    ///   - reducers: The number of reducers; `nil` if unknown.
    ///   - isSkipped: Whether the action belongs to a run without states. The last action of the run may have the
    ///     changes of the whole run.
    init(
        _ row: borrowing Statement,
        _ names: NameTexts?,
        lastTime: Int64,
        reducers: Int?,
        isSkipped: Bool,
        _ findings: inout Findings
    ) throws {
        let read = try ActionRow(row, names, &findings)
        // The payload contains the case of an enum, and the name of most registered types.
        let type = read.type ?? read.payload.value.flatMap { (try? Node(json: $0))?.caseName } ?? "unknown"
        action = DispatchedAction(seq: read.seq, type: type, payload: read.payload.value, at: read.at ?? lastTime)
        action.parent = read.parent
        action.origin = read.origin
        action.problem = read.problem
        action.thread = ThreadChange(read.thread)
        duration = read.duration
        if let parent = read.parent, !(1...Recording.Position.lastPossibleAction ~= parent) || parent == read.seq {
            findings.add(Finding(.action, at: read.seq, "its parent is no action"))
            action.parent = nil
        }
        switch read.payload {
        case .null where read.problem == nil:
            findings.add(Finding(.action, at: read.seq, "its payload is missing"))
            action.problem = "Its payload was lost to damage."
        case .damaged:
            action.problem = "Its payload was lost to damage."
        case .tooBig:
            action.problem = "Its payload was too big to be saved."
        case .null, .value:
            break
        }
        switch try findings.steps(row, Schema.stepsColumn, at: read.seq) {
        case .null:
            break
        case .damaged, .tooBig:
            stepsAreLost = true
        case .value(let patches):
            if let fault = fault(in: patches, reducers, isSkipped: isSkipped) {
                findings.add(Finding(.steps, at: read.seq, fault))
                stepsAreLost = true
            } else {
                steps = (try row.text(Schema.stepsColumn), patches)
            }
        }
    }

    /// Why steps cannot be those of this action, as a clause.
    private func fault(in steps: [TimedPatch], _ reducers: Int?, isSkipped: Bool) -> String? {
        let isOneWithoutReducer = steps.count == 1 && steps[0].duration == nil
        if isSkipped {
            return isOneWithoutReducer
                ? nil : "its states are said to be left out, and what its reducers did stands there"
        }
        if isTravel {
            return isOneWithoutReducer ? nil : "it is time travel, and what reducers did stands there"
        }
        guard steps.allSatisfy({ $0.duration != nil }) else { return "what one of its reducers did has no duration" }
        guard let reducers, reducers != steps.count else { return nil }
        return "it has what \(steps.count) reducers did, and there are \(reducers)"
    }
}

extension LenientTable {
    /// The changes that lead from the state before an action to the state after it; `nil` if they cannot be read.
    ///
    /// Within a run of actions without states there are none; the last action of the run has all of them.
    func changes(in seq: Int) throws -> [TimedPatch]? {
        try read(seq) { row in
            var ignored = Findings()
            return switch try ignored.steps(row, Schema.stepsColumn, at: seq) {
            case .null: []
            case .value(let steps): steps
            case .damaged, .tooBig: nil
            }
        }
    }

    /// The text of a keyframe; `nil` if it cannot be read.
    func wholeState(at seq: Int) throws -> String? {
        try read(seq) { row in row.withText(1, Findings.text) ?? nil }
    }
}
