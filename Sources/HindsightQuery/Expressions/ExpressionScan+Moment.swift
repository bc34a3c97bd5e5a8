import HindsightRecording
import HindsightSQLite
import HindsightTree

extension ExpressionScan: ExpressionMoment {
    func value(_ slot: Int, at path: NodePath, before: Bool, takingParts takesParts: Bool) throws -> SQLValue? {
        guard before ? isOldKnown : isStateKnown else { return nil }
        // Nothing is before the start.
        if before, previous == nil { return .null }
        try addPaths()
        if before, isStateKnown { return tracker.oldValue(slot, takingParts: takesParts) }
        return tracker.value(slot, takingParts: takesParts)
    }

    func hasChanged(_ slot: Int, at path: NodePath) throws -> Bool? {
        guard isOldKnown, isStateKnown else { return nil }
        if previous == nil { return false }
        try addPaths()
        return tracker.hasChanged(slot)
    }

    func column(_ column: ExpressionColumn) throws -> SQLValue? {
        switch column {
        case .position: return .text(position.description)
        case .seq: return .integer(Int64(position.seq))
        case _ where position.seq <= recording.start.seq: return .null
        case .reducer:
            switch step {
            case nil: return nil
            case PresentStep.none?: return .null
            case .reducer(let number, _)?: return recording.name(ofReducer: number).map { .text($0) } ?? .null
            }
        case .duration:
            switch step {
            case nil: return nil
            case .reducer(_, let duration)?: return .integer(duration)
            case PresentStep.none?: return try row().duration().map { .integer($0) } ?? .null
            }
        case .type: return .text(try row().type())
        case .payload: return try payload(knownAt: NodePath())
        case .origin: return try row().origin().map { .text("\($0.file):\($0.line)") } ?? .null
        case .at: return .integer(try row().at())
        case .thread: return try row().thread().map { .integer(Int64($0.number)) } ?? .null
        case .task: return try row().thread()?.task.map { .text($0) } ?? .null
        }
    }

    func payload(knownAt path: NodePath) throws -> SQLValue? {
        guard position.seq > recording.start.seq else { return .null }
        guard let payload = try row().payload() else { return .null }
        return try isHidden(path, inPayload: payload) ? nil : .text(payload)
    }

    /// The row of the present action.
    private func row() throws(RecordingError) -> ActionCursor {
        try rows.move(to: position.seq)
        return rows
    }

    private func isHidden(_ path: NodePath, inPayload text: String) throws -> Bool {
        guard hidden.areInActions else { return false }
        do {
            return hidden.areIn(payload: try Node(json: text), at: path)
        } catch {
            throw recording.damaged("its action is not valid JSON", seq: position.seq, cause: error)
        }
    }
}

extension ExpressionError {
    /// The same failure, with the position at which it happened.
    func at(_ position: Recording.Position, of expression: RecordingExpression) -> ExpressionError {
        ExpressionError(
            code,
            in: expression.text,
            at: offset,
            "At position \(position): \(reason)",
            suggestion: code == .badPath
                ? expression.translation.tokens.flattenedCall.map { "Write \($0)" } ?? suggestion : suggestion,
            given: given,
            allowed: allowed
        )
    }
}
