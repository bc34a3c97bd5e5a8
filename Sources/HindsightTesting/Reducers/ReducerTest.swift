import HindsightRecorder
import HindsightStore
import HindsightSupport
import HindsightTree
import Testing

/// Starts a test of a reducer on a state. See ``ReducerTest``.
///
/// - Parameters:
///   - state: The state before the first action.
///   - reducer: The reducer to test. It needs no store.
public func given<StateValue: Encodable, ActionValue>(
    _ state: StateValue,
    _ reducer: Reducer<StateValue, ActionValue>
) -> ReducerTest<StateValue, ActionValue> {
    ReducerTest(state, reducer)
}

/// Starts a test of an app's reducers on a recorded state. The tool's command `test` writes such tests.
///
/// ```swift
/// try given(CartState.self, from: #"{"items":[],"count":0}"#, CartAction.self, by: cartApp)
///     .when(.add("milk"))
///     .then(changes: #"[{"op":"replace","path":"/count","old":0,"value":1}]"#)
/// ```
///
/// - Parameters:
///   - json: The state before the first action, as `jump --json` shows it.
///   - app: The app with these types of states and actions.
/// - Throws: `TreeError` if the text is no JSON, or the error of decoding it; `ReducerTestError` if the app has other
///   types.
public func given<StateValue: Codable & Sendable, ActionValue: Sendable>(
    _: StateValue.Type,
    from json: String,
    _: ActionValue.Type,
    by app: ReplayableApp
) throws -> ReducerTest<StateValue, ActionValue> {
    typealias Typed = any TypedApp<StateValue, ActionValue>
    guard let typed = app.typed as? Typed else {
        throw ReducerTestError(
            description: "The app \(app.name) has no states of \(StateValue.self) and actions of \(ActionValue.self)."
        )
    }
    let state = try NodeDecoder().decode(StateValue.self, from: Node(json: json))
    return ReducerTest(state, typed.reducer, decode: typed.actions.decode)
}

/// A test of a reducer cannot run.
public struct ReducerTestError: Error, CustomStringConvertible {
    /// What happened, and what to do.
    public let description: String
}

/// A test of a reducer, in which every change must be asserted.
///
/// ```swift
/// @Test func `adding an item counts it`() {
///     given(CartState(), cartReducer)
///         .when(.add("milk")).then {
///             $0.items.append("milk")
///             $0.count = 1
///         }
///         .when(.clear).then { $0 = CartState() }
/// }
/// ```
///
/// The closure of ``then(sourceLocation:_:)`` gets the state before the actions, and makes the changes that the actions
/// should make. If the result differs from what the reducer made, the test fails. The issue names each place, and says
/// whether a change was not asserted, was asserted but not made, or has another value.
///
/// States are compared by what they encode, so that they need not be `Equatable`, and an incomplete `==` hides
/// nothing. Chaining goes on with the state that the reducer made, also after an issue. The state must be a value
/// type; objects in it are shared by the states before and after.
public struct ReducerTest<StateValue: Encodable, ActionValue> {
    /// The state that the reducer has made so far, for other expectations.
    public private(set) var state: StateValue
    private let reducer: Reducer<StateValue, ActionValue>
    /// The state as of the last assertion, and the actions since.
    private var asserted: StateValue
    private var actions: [ActionValue] = []
    /// Reads a recorded action; `nil` if the test knows no app.
    private let decode: ((Node) throws -> ActionValue)?

    init(
        _ state: StateValue,
        _ reducer: Reducer<StateValue, ActionValue>,
        decode: ((Node) throws -> ActionValue)? = nil
    ) {
        (self.state, asserted, self.reducer, self.decode) = (state, state, reducer, decode)
    }

    /// Runs the reducer on an action, or on several.
    public func when(_ actions: ActionValue...) -> Self {
        var copy = self
        for action in actions { reducer.reduce(&copy.state, action) }
        copy.actions += actions
        return copy
    }

    /// Runs the reducer on a recorded action.
    ///
    /// - Parameter json: The action, as `show --json` shows it.
    /// - Throws: `TreeError` if the text is no JSON, or the error of decoding it; `ReducerTestError` if the test was not
    ///   started with an app.
    public func when(json: String) throws -> Self {
        guard let decode else {
            throw ReducerTestError(
                description: "The test does not know how actions were recorded. Start it with given(_:from:_:by:)."
            )
        }
        return when(try decode(Node(json: json)))
    }

    /// Expects that the actions have made exactly the given changes since the last assertion.
    ///
    /// Costs as much as encoding the state three times.
    ///
    /// - Parameters:
    ///   - sourceLocation: Where an issue is shown; the caller's line by default.
    ///   - changes: Makes the expected changes on the state before the actions.
    /// - Returns: A test that goes on with the state that the reducer made.
    /// - Throws: The errors of `changes`.
    @discardableResult
    public func then(
        sourceLocation: SourceLocation = #_sourceLocation,
        _ changes: (inout StateValue) throws -> Void
    ) rethrows -> Self {
        var expected = asserted
        try changes(&expected)
        return expect(sourceLocation) { _ in try NodeEncoder().encode(expected) }
    }

    /// Expects that the actions have made exactly these changes since the last assertion.
    ///
    /// Costs as much as encoding the state twice.
    ///
    /// - Parameters:
    ///   - json: A patch of the state before the actions, as the member `patch` of `diff --json` has it.
    ///   - sourceLocation: Where an issue is shown; the caller's line by default. It is an issue, too, if the text is no
    ///     patch, or the patch does not fit the state.
    /// - Returns: A test that goes on with the state that the reducer made.
    @discardableResult
    public func then(changes json: String, sourceLocation: SourceLocation = #_sourceLocation) -> Self {
        expect(sourceLocation) { before in
            var expected = before
            try Patch(json: json).apply(to: &expected)
            return expected
        }
    }

    /// - Parameter expected: Returns the expected state for the one before the actions.
    private func expect(_ sourceLocation: SourceLocation, _ expected: (Node) throws -> Node) -> Self {
        do {
            let before = try NodeEncoder().encode(asserted)
            let comparison = AssertedChanges(
                before: before,
                expected: try expected(before),
                actual: try NodeEncoder().encode(state)
            )
            if let text = comparison.text {
                Issue.record("\(subject), the state is not as asserted.\n\(text)", sourceLocation: sourceLocation)
            }
        } catch {
            Issue.record("The states cannot be compared: \(error)", sourceLocation: sourceLocation)
        }
        var copy = self
        (copy.asserted, copy.actions) = (state, [])
        return copy
    }

    /// Expects that the actions have changed nothing since the last assertion.
    @discardableResult
    public func then(sourceLocation: SourceLocation = #_sourceLocation) -> Self {
        then(sourceLocation: sourceLocation) { _ in }
    }

    private var subject: String {
        guard !actions.isEmpty else { return "Without an action" }
        let names = actions.map { escape(String(String(describing: $0).prefix(100))) }
        return "After \(names.joined(separator: ", "))"
    }
}

/// Compares the changes that a reducer made with those that a test asserts.
struct AssertedChanges {
    let before: Node
    let expected: Node
    let actual: Node

    private enum Kind: String, CaseIterable {
        case unasserted = "Changed, but not asserted (-: before, +: now):"
        case unmade = "Asserted, but not changed (-: asserted, +: now):"
        case other = "Changed to another value (-: asserted, +: now):"
    }

    /// Each difference by its path; `nil` if there is none.
    var text: String? {
        if expected.isEquivalent(to: actual) { return nil }
        let patch = Patch(from: expected, to: actual, ignoringMemberOrder: true)
        var operations: [Kind: [Patch.Operation]] = [:]
        // The operations after a splice count its array's elements otherwise than the three states do.
        var spliced: NodePath?
        for operation in patch.operations {
            var place = operation.path
            if let spliced, spliced.contains(place) {
                place = spliced
            } else if case .splice = operation {
                spliced = place
            }
            operations[kind(at: place), default: []].append(operation)
        }
        return Kind.allCases.compactMap { kind in
            operations[kind].map { "\(kind.rawValue)\n\(PatchLines().text(of: Patch($0)))" }
        }.joined(separator: "\n")
    }

    private func kind(at path: NodePath) -> Kind {
        if Self.isSame(before[path], expected[path]) { return .unasserted }
        return Self.isSame(before[path], actual[path]) ? .unmade : .other
    }

    private static func isSame(_ left: Node?, _ right: Node?) -> Bool {
        guard let left, let right else { return left == nil && right == nil }
        return left.isEquivalent(to: right)
    }
}
