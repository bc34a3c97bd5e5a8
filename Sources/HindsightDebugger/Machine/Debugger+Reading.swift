import HindsightQuery
import HindsightTree

extension Debugger {
    /// The state at the position; `nil` if it was not recorded.
    ///
    /// Costs the changes since the last position at which it was asked for.
    ///
    /// - Throws: A `RecordingError` with the code `damaged`, `unreadable` or `empty`.
    package func state() throws(RecordingError) -> Node? { try timeline.state(at: position) }

    /// Why the state at the position was not recorded; `nil` if it was.
    package var absence: Absence? { isComputed ? nil : recording.absence(at: position) }

    /// What led to the position: the changes of a reducer if it is after one, else those of all reducers of the action.
    ///
    /// - Returns: `nil` if they were not recorded. Empty at the start, and before the first reducer of an action.
    /// - Throws: A `RecordingError` with the code `damaged` or `unreadable`.
    package func changes() throws(RecordingError) -> StepChanges? { try timeline.changes(at: position) }

    /// The state before the step that led to the position; `nil` if there is no step, or the state was not recorded.
    ///
    /// - Throws: A `RecordingError` with the code `damaged` or `unreadable`.
    package func stateBefore() throws(RecordingError) -> Node? { try timeline.state(beforeStepAt: position) }

    /// An action, or the state at the position; `nil` if there is none, or it was not recorded.
    ///
    /// - Parameter seq: The number of the action; `nil` for the state.
    /// - Throws: A `RecordingError` with the code `damaged` or `unreadable`.
    package func root(ofAction seq: Int?) throws(RecordingError) -> Node? {
        guard let seq else { return try state() }
        return seq > first.seq ? try recording.action(seq).payload : nil
    }

    /// Some of the members or elements of a value, in their order.
    ///
    /// Costs finding the value, and what it returns.
    ///
    /// - Parameters:
    ///   - seq: The number of the action; `nil` for the state.
    ///   - path: The value in it.
    ///   - range: Which members or elements; it may exceed their number.
    /// - Returns: None if nothing is inside the value; `nil` if there is no value.
    /// - Throws: A `RecordingError` with the code `damaged` or `unreadable`.
    package func variables(
        ofAction seq: Int? = nil,
        at path: NodePath = NodePath(),
        range: Range<Int> = 0..<Int.max
    ) throws(RecordingError) -> [Variable]? {
        guard let node = try root(ofAction: seq)?[path] else { return nil }
        let changed = seq == nil ? try places() : nil
        func variable(_ name: String, _ value: Node) -> Variable {
            let place = path.appending(name)
            return Variable(name: name, path: place, value: value, isChanged: changed?.contain(place) ?? false)
        }
        return switch node {
        case .array(let elements): range.clamped(to: elements.indices).map { variable(String($0), elements[$0]) }
        case .object(let members): members[range.clamped(to: members.indices)].map { variable($0.key, $0.value) }
        default: []
        }
    }

    private func places() throws(RecordingError) -> ChangedPlaces? {
        if let known = changedPlaces, known.branch == branch, known.position == position { return known.places }
        let places = try changes().map { ChangedPlaces($0.operations) }
        changedPlaces = (branch, position, places)
        return places
    }

    /// What the text of a user means at the position.
    package enum Evaluation: Sendable {
        /// A value of the state, and where it is.
        case value(NodePath, Node)
        /// Nothing is at this path of the state.
        case missing(NodePath)
        /// The value of an expression that is no condition: of `/cart/total / 2`.
        case result(Node)
        /// The result of a condition; null, too, if a value that any expression needs does not exist, and unknown if the
        /// state was not recorded, or a value was redacted.
        case truth(RecordingExpression.Truth)

        init(_ result: ExpressionEvaluator.Result) {
            self =
                switch result {
                case .truth(let truth): .truth(truth)
                case .value(let value): .result(value)
                }
        }
    }

    /// Evaluates a path such as `/cart/total`, a name such as `total` or `lines[0].sku`, or an expression as `find`
    /// takes it, at the position.
    ///
    /// An expression gives its value: `/cart/total / 2` a number, `type` a text. Only a condition, such as
    /// `/cart/total < 0`, gives a truth.
    ///
    /// - Parameter text: The text. An empty one is the whole state.
    /// - Throws: An ``ExpressionError``; a `RecordingError` with the code `damaged` or `unreadable`.
    package func evaluate(_ text: String) throws -> Evaluation {
        if let path = Self.pointer(text) {
            guard let state = try state() else { return .truth(.unknown) }
            return state[path].map { .value(path, $0) } ?? .missing(path)
        }
        if let path = try path(named: text), let node = try state()?[path] { return .value(path, node) }
        let expression = try expression(text)
        let evaluator = try ExpressionEvaluator(of: recording, where: expression, computed: timeline.computed)
        return Evaluation(try evaluator.result(at: position))
    }

    /// An expression that may name the ``rules``.
    package func expression(_ text: String) throws(ExpressionError) -> RecordingExpression {
        try RecordingExpression(text, rules: rules)
    }

    /// The path that a text is; `nil` if it is a name or an expression.
    package static func pointer(_ text: String) -> NodePath? {
        text.contains(where: { " =<>()'|+*".contains($0) }) ? nil : NodePath(text)
    }

    /// What a watch looks at: before the step that led to the position, and after it.
    ///
    /// - Returns: `nil` if the breakpoint is no watch, or no step led to the position.
    /// - Throws: An ``ExpressionError``; a `RecordingError` with the code `damaged` or `unreadable`.
    package func values(of breakpoint: Breakpoint) throws -> (old: Evaluation, new: Evaluation)? {
        guard let origin = timeline.origin(of: position) else { return nil }
        switch breakpoint.kind {
        case .change(let path):
            func value(in state: Node?) -> Evaluation {
                state.map { $0[path].map { .value(path, $0) } ?? .missing(path) } ?? .truth(.unknown)
            }
            return (value(in: try stateBefore()), value(in: try state()))
        case .turn(let expression):
            let evaluator = try ExpressionEvaluator(of: recording, where: expression, computed: timeline.computed)
            return (Evaluation(try evaluator.result(at: origin)), Evaluation(try evaluator.result(at: position)))
        case .action, .reducer, .expression, .position, .crash, .divergence: return nil
        }
    }

    /// The path of the value that a name such as `total` or `lines[0].sku` means at the position; `nil` if there is
    /// none.
    ///
    /// - Parameter scope: The value in which names are looked for first; then they are in the state as a whole.
    /// - Throws: A `RecordingError` with the code `damaged` or `unreadable`.
    package func path(named text: String, in scope: NodePath = NodePath()) throws(RecordingError) -> NodePath? {
        guard let names = Self.names(text), let state = try state() else { return nil }
        return [NodePath(scope.components + names), NodePath(names)].first { state[$0] != nil }
    }

    /// Whether the key of a member can stand in a name such as `lines[0].sku`.
    package static func isName(_ key: String) -> Bool { names(key)?.count == 1 && !key.contains("[") }

    /// The components of `cart.lines[0].sku`; `nil` if the text is no such name.
    package static func names(_ text: String) -> [String]? {
        var names: [String] = []
        for part in text.split(separator: ".", omittingEmptySubsequences: false) {
            var pieces = part.split(separator: "[", omittingEmptySubsequences: false)
            let name = pieces.removeFirst()
            guard let first = name.first, first.isLetter || first == "_",
                name.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "_" || $0 == "-" })
            else { return nil }
            names.append(String(name))
            for piece in pieces {
                guard piece.last == "]", let index = Int(piece.dropLast()), index >= 0 else { return nil }
                names.append(String(index))
            }
        }
        return names.isEmpty ? nil : names
    }
}

/// A member or an element of a value, as a debugger lists it.
package struct Variable: Sendable {
    /// The member's name, or the element's index.
    package let name: String
    /// Where it is.
    package let path: NodePath
    /// The value, with everything in it. Copying it costs nothing.
    package let value: Node
    /// Whether the step that led to the present position changed it, or something in it.
    package let isChanged: Bool
}
