import HindsightRecording
import HindsightSQLite
import HindsightTree

/// Evaluates an expression at single positions of a recording, in any order: for breakpoints and for a binary search.
///
/// ```swift
/// let evaluator = try ExpressionEvaluator(of: recording, where: RecordingExpression("/cart/total = 0"))
/// print(try evaluator.truth(at: recording.end))
/// ```
///
/// To evaluate it at many positions in order, use an ``ExpressionScan``.
public final class ExpressionEvaluator {
    /// The recording.
    public let recording: Recording
    /// The expression.
    public let expression: RecordingExpression

    private let program: ExpressionProgram
    private let hidden: HiddenValues
    private var position: Recording.Position
    private let after: LazyStateCursor
    private let before: LazyStateCursor
    private var action: RecordedAction?

    /// - Throws: An ``ExpressionError``, or a `RecordingError` with the code `damaged`.
    public init(of recording: Recording, where expression: RecordingExpression) throws {
        (self.recording, self.expression) = (recording, expression)
        (after, before) = (LazyStateCursor(on: recording), LazyStateCursor(on: recording))
        hidden = try HiddenValues(of: recording)
        program = try ExpressionProgram(expression.translation)
        position = recording.start
    }

    /// Evaluates the expression at a position.
    ///
    /// `old` and `changed` refer to the action if the position is after a whole one, and to the reducer if it is after
    /// one. Costs a jump to the position, less if the last one was near.
    ///
    /// - Throws: A `RecordingError` with the code `positionOutOfRange`, `damaged` or `unreadable`, or an
    ///   ``ExpressionError`` with the code `failed`.
    public func truth(at position: Recording.Position) throws -> RecordingExpression.Truth {
        self.position = position
        action = nil
        do {
            return try program.evaluate(self)
        } catch let error as ExpressionError {
            throw error.at(position, of: expression)
        }
    }

    /// The position before the action or the reducer; `nil` at the start.
    private var previous: Recording.Position? { position > recording.start ? position.before : nil }

    private func readAction() throws -> RecordedAction {
        if let action { return action }
        let action = try recording.action(position.seq)
        self.action = action
        return action
    }
}

extension ExpressionEvaluator: ExpressionMoment {
    func value(_ slot: Int, at path: NodePath, before isBefore: Bool, takingParts takesParts: Bool) throws -> SQLValue?
    {
        if isBefore, previous == nil { return .null }
        let found =
            if isBefore, let previous { try before.knownState(at: previous) } else {
                try after.knownState(at: position)
            }
        guard let found else { return nil }
        let node = found[path]
        return PathTracker.isKnown(hidden.extent(of: node, at: path), takesParts) ? SQLValue(node) : nil
    }

    func hasChanged(_ slot: Int, at path: NodePath) throws -> Bool? {
        guard let previous else { return false }
        guard let new = try after.knownState(at: position), let old = try before.knownState(at: previous) else {
            return nil
        }
        return hidden.hasChanged(old[path], new[path], at: path)
    }

    func column(_ column: ExpressionColumn) throws -> SQLValue? {
        switch column {
        case .position: return .text(position.description)
        case .seq: return .integer(Int64(position.seq))
        default: break
        }
        guard position.seq > recording.start.seq else { return .null }
        let action = try readAction()
        switch column {
        case .type: return .text(action.type)
        case .payload: return try payload(knownAt: NodePath())
        case .origin: return action.origin.map { .text($0) } ?? .null
        case .at: return .integer(action.nanosecondsSinceEpoch)
        case .thread: return action.thread.map { .integer(Int64($0.number)) } ?? .null
        case .task: return action.thread?.task.map { .text($0) } ?? .null
        case .reducer:
            guard let reducer = position.reducer, reducer > 0 else { return .null }
            return recording.name(ofReducer: reducer).map { .text($0) } ?? .null
        case .duration:
            guard let reducer = position.reducer else {
                return action.durationInNanoseconds.map { .integer($0) } ?? .null
            }
            guard recording.absence(ofChangesIn: position.seq) == nil else { return nil }
            let steps = try recording.steps(of: position.seq)
            return reducer > 0 && reducer <= steps.count ? .integer(steps[reducer - 1].durationInNanoseconds) : .null
        case .position, .seq: return .null
        }
    }

    func payload(knownAt path: NodePath) throws -> SQLValue? {
        guard position.seq > recording.start.seq, let payload = try readAction().payload else { return .null }
        return hidden.areIn(payload: payload, at: path) ? nil : .text(payload.json)
    }
}
