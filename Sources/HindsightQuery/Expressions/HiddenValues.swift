import HindsightRecording
import HindsightTree

/// Finds the values that a recording hides: it has placeholders in their place, so what depends on them is not known.
struct HiddenValues {
    /// How much of a value is hidden.
    enum Extent { case nothing, parts, all }

    private let states: RedactionMask?
    private let actions: RedactionMask?

    /// - Throws: A `RecordingError` with the code `damaged`.
    init(of recording: Recording) throws(RecordingError) {
        states = try recording.redactionMask()
        actions = try recording.redactionMask(of: recording.redaction.actions)
    }

    /// How much is hidden of the value at a path of a state. Costs a walk over the value, if something may be.
    func extent(of node: Node?, at path: NodePath) -> Extent {
        guard let states, let node else { return .nothing }
        if states.hides(path) { return .all }
        return states.hiddenPaths(in: node, at: path).isEmpty ? .nothing : .parts
    }

    /// A value at a path of a state, with null in place of what is hidden.
    func blanked(_ node: Node, at path: NodePath) -> Node { states?.blanked(node, at: path) ?? node }

    /// Whether what is at a path changed; `nil` if both values are hidden.
    func hasChanged(_ old: Node?, _ new: Node?, at path: NodePath) -> Bool? {
        if let states, old != nil, new != nil, states.hides(path) { return nil }
        return old != new
    }

    /// Whether actions may have hidden values.
    var areInActions: Bool { actions != nil }

    /// Whether the payload of an action has hidden values at a path, inside it or around it. Costs a walk over the value.
    func areIn(payload: Node, at path: NodePath) -> Bool {
        guard let actions else { return false }
        if let value = payload[path] { return !actions.hiddenPaths(in: value, at: path).isEmpty }
        // A placeholder may stand where there was more.
        return path.ancestors.contains { payload[$0] != nil && actions.hides($0) }
    }

    /// Whether the payloads of actions may have hidden values at a path, inside it or around it.
    func mayBeInPayloads(at path: NodePath) -> Bool { actions?.mayHide(at: path) ?? false }
}

extension RecordingExpression {
    /// Whether it reads `payload`, and the recording may hide values of actions there.
    package func readsRedactedPayload(in recording: Recording) -> Bool {
        guard columns.contains(.payload), !recording.redaction.actions.isEmpty else { return false }
        if translation.readsWholePayload { return true }
        // What cannot be read may hide anything.
        guard let hidden = try? HiddenValues(of: recording) else { return true }
        return translation.payloadPaths.contains(where: hidden.mayBeInPayloads)
    }
}
