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

    func reducer() -> SQLValue? {
        switch step {
        case nil: nil
        case PresentStep.none?: .null
        case .reducer(let number, _)?: recording.name(ofReducer: number).map { .text($0) } ?? .null
        }
    }

    func duration() throws -> SQLValue? {
        switch step {
        case nil: nil
        case .reducer(_, let duration)?: .integer(duration)
        case PresentStep.none?: try actionDuration()
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
