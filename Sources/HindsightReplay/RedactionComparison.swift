import HindsightRecording
import HindsightTree

/// Compares recorded and replayed states in what both show.
struct RedactionComparison {
    private let recorded: RecordedRedaction
    /// What hides parts of today's states: it knows fields that hide themselves and did not when it was recorded.
    private let today: Redactor
    private var mask: RedactionMask?
    private var fieldCount = 0

    init(_ recorded: RecordedRedaction, today: Redactor) {
        self.recorded = recorded
        self.today = today
    }

    /// The places of states that are not compared, as patterns.
    var states: [String] {
        recorded.states + today.fieldPatterns.filter { !recorded.states.contains($0) }
    }

    mutating func masked(_ node: Node) throws -> Node { try currentMask()?.masked(node) ?? node }

    /// Whether two patches change the same, apart from what is hidden.
    mutating func isSame(_ left: Patch, _ right: Patch) throws -> Bool {
        guard let mask = try currentMask() else { return false }
        return mask.masked(left) == mask.masked(right)
    }

    /// The redacted places that a reducer may have read: those of the action, or, if it has none, of the state.
    func inputs(of action: RecordedAction) throws -> [String] {
        let places = try action.payload.map { try RedactionMask(recorded.actions).hiddenPaths(in: $0) } ?? []
        return places.isEmpty ? states : places.map { "action " + $0.description }
    }

    private mutating func currentMask() throws -> RedactionMask? {
        if mask == nil || fieldCount < today.fieldCount {
            fieldCount = today.fieldCount
            mask = try RedactionMask(states)
        }
        return today.isActive || !recorded.states.isEmpty ? mask : nil
    }
}
