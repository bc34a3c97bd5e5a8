import HindsightRecording
import HindsightSQLite
import HindsightTree

/// Evaluates an expression on states that are in no recording, such as those of an experiment.
///
/// ```swift
/// let expression = try StateExpression(RecordingExpression("/cart/total < 0"), hiding: recording)
/// print(try expression.truth(of: state, after: before, type: "Pay", payload))
/// ```
///
/// It knows the states after and before an action, the action's type and its payload. An expression that reads anything
/// else of the action has ``unknownColumns``.
package final class StateExpression {
    /// The expression.
    package let expression: RecordingExpression
    private let program: ExpressionProgram
    private let hidden: HiddenValues
    private var state = Node.null
    private var before: Node?
    private var type: String?
    private var payload: Node?

    /// - Parameter recording: The recording whose hidden values are hidden here.
    /// - Throws: An ``ExpressionError``, or a `RecordingError` with the code `damaged`.
    package init(_ expression: RecordingExpression, hiding recording: Recording) throws {
        self.expression = expression
        program = try ExpressionProgram(expression.translation)
        hidden = try HiddenValues(of: recording)
    }

    /// The names of the columns that the expression reads and that are not known here.
    package var unknownColumns: [String] {
        expression.columns.subtracting([.type, .payload]).map(\.rawValue).sorted()
    }

    /// Evaluates the expression.
    ///
    /// - Parameters:
    ///   - state: The state after the action.
    ///   - before: The state before it.
    ///   - type: The action's type.
    ///   - payload: The action; `nil` if it is not known.
    /// - Throws: An ``ExpressionError`` with the code `failed`.
    package func truth(
        of state: Node,
        after before: Node,
        type: String,
        _ payload: Node?
    ) throws -> RecordingExpression.Truth {
        (self.state, self.before, self.type, self.payload) = (state, before, type, payload)
        return try program.evaluate(self)
    }
}

extension StateExpression: ExpressionMoment {
    func value(_ slot: Int, at path: NodePath, before isBefore: Bool, takingParts takesParts: Bool) throws -> SQLValue?
    {
        guard let state = isBefore ? before : state else { return .null }
        let node = state[path]
        return PathTracker.isKnown(hidden.extent(of: node, at: path), takesParts) ? SQLValue(node) : nil
    }

    func hasChanged(_ slot: Int, at path: NodePath) throws -> Bool? {
        guard let before else { return false }
        return hidden.hasChanged(before[path], state[path], at: path)
    }

    func column(_ column: ExpressionColumn) throws -> SQLValue? {
        switch column {
        case .type: type.map { .text($0) }
        case .payload: try payload(knownAt: NodePath())
        default: nil
        }
    }

    func payload(knownAt path: NodePath) throws -> SQLValue? {
        guard let payload else { return .null }
        return hidden.areIn(payload: payload, at: path) ? nil : .text(payload.json)
    }
}
