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
        let seq = position.seq
        switch column {
        case .position: return .text(position.description)
        case .seq: return .integer(Int64(seq))
        default: break
        }
        guard seq > recording.start.seq else { return .null }
        switch column {
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
            case PresentStep.none?: break
            }
            try rows.move(to: seq)
            return try rows.duration().map { .integer($0) } ?? .null
        case .type:
            try rows.move(to: seq)
            return .text(try rows.type())
        case .payload: return try payload(knownAt: NodePath())
        case .origin:
            try rows.move(to: seq)
            return try rows.origin().map { .text("\($0.file):\($0.line)") } ?? .null
        case .at:
            try rows.move(to: seq)
            return .integer(try rows.at())
        case .thread:
            try rows.move(to: seq)
            return try rows.thread().map { .integer(Int64($0.number)) } ?? .null
        case .task:
            try rows.move(to: seq)
            return try rows.thread()?.task.map { .text($0) } ?? .null
        case .position, .seq: return .null
        }
    }

    func payload(knownAt path: NodePath) throws -> SQLValue? {
        guard position.seq > recording.start.seq else { return .null }
        try rows.move(to: position.seq)
        guard let payload = try rows.payload() else { return .null }
        return try isHidden(path, inPayload: payload) ? nil : .text(payload)
    }
}

extension ExpressionScan {
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
