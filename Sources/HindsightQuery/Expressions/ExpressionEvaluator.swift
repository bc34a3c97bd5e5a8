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
package final class ExpressionEvaluator {
    /// The recording.
    package let recording: Recording
    /// The expression.
    package let expression: RecordingExpression

    private let program: ExpressionProgram
    private let hidden: HiddenValues
    private var position: Recording.Position
    private let after: LazyStateCursor
    private let before: LazyStateCursor
    private let computed: ComputedSteps?
    private var action: RecordedAction?

    /// - Parameter computed: The states after the last recorded one; `nil` if none was computed.
    /// - Throws: An ``ExpressionError``, or a `RecordingError` with the code `damaged`.
    package init(
        of recording: Recording,
        where expression: RecordingExpression,
        computed: ComputedSteps? = nil
    ) throws {
        (self.recording, self.expression, self.computed) = (recording, expression, computed)
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
    package func truth(at position: Recording.Position) throws -> RecordingExpression.Truth {
        try evaluate(at: position) { try program.evaluate(self) }
    }

    /// The result of an expression at a position.
    package enum Result: Sendable, Hashable {
        /// Whether a condition holds. Another expression may be null or unknown, too.
        case truth(RecordingExpression.Truth)
        /// The value of an expression that is no condition.
        case value(Node)
    }

    /// Evaluates the expression at a position: a condition to its truth, another one to its value.
    ///
    /// ```swift
    /// let evaluator = try ExpressionEvaluator(of: recording, where: RecordingExpression("/cart/total / 2"))
    /// print(try evaluator.result(at: recording.end))
    /// ```
    ///
    /// An expression that names one place of the state, such as `old(/cart)`, gives the value that is there. The result
    /// of anything else is a value of SQLite, as ``RecordingExpression`` describes them, in which truth is 1 and 0.
    ///
    /// - Throws: The errors of ``truth(at:)``.
    package func result(at position: Recording.Position) throws -> Result {
        try evaluate(at: position) {
            switch expression.form {
            case .condition: return .truth(try program.evaluate(self))
            case .state(let path, let isOld):
                guard let state = try state(before: isOld) else {
                    return .truth(isOld && previous == nil ? .null : .unknown)
                }
                guard let node = state[path] else { return .truth(.null) }
                return hidden.extent(of: node, at: path) == .nothing ? .value(node) : .truth(.unknown)
            case .payload where position.seq > recording.start.seq:
                guard let payload = try readAction().payload else { return .truth(.null) }
                return hidden.areIn(payload: payload, at: NodePath()) ? .truth(.unknown) : .value(payload)
            case .payload: return .truth(.null)
            case .value:
                guard let value = try program.value(self) else { return .truth(.unknown) }
                return value == .null ? .truth(.null) : .value(try Node(value))
            }
        }
    }

    private func evaluate<Value>(at position: Recording.Position, _ body: () throws -> Value) throws -> Value {
        self.position = position
        action = nil
        do {
            return try body()
        } catch let error as ExpressionError {
            throw error.at(position, of: expression)
        }
    }

    /// The position before the action or the reducer; `nil` at the start.
    private var previous: Recording.Position? { position > recording.start ? position.before : nil }

    /// The state after the action or the reducer, or before it; `nil` if it is not known, or there is none before.
    private func state(before isBefore: Bool) throws -> Node? {
        guard let wanted = isBefore ? previous : position else { return nil }
        if let state = computed?.state(at: wanted) { return state }
        return try (isBefore ? before : after).knownState(at: wanted)
    }

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
        guard let found = try state(before: isBefore) else { return nil }
        let node = found[path]
        return PathTracker.isKnown(hidden.extent(of: node, at: path), takesParts) ? SQLValue(node) : nil
    }

    func hasChanged(_ slot: Int, at path: NodePath) throws -> Bool? {
        if previous == nil { return false }
        guard let new = try state(before: false), let old = try state(before: true) else { return nil }
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
