import HindsightRecording
import HindsightTree

/// Compares recorded and replayed states, except for redacted values.
struct RedactionComparison {
    private let recorded: RecordedRedaction
    /// Redacts today's states, including `Redacted` fields that are newer than the recording.
    private let today: Redactor
    private var mask: RedactionMask?
    private var fieldCount = 0

    init(_ recorded: RecordedRedaction, today: Redactor) {
        self.recorded = recorded
        self.today = today
    }

    /// The redacted places of states, as patterns. They are not compared.
    var states: [String] {
        recorded.states + today.fieldPatterns.filter { !recorded.states.contains($0) }
    }

    mutating func masked(_ node: Node) throws -> Node { try currentMask()?.masked(node) ?? node }

    /// Whether two patches are the same except for redacted values.
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
