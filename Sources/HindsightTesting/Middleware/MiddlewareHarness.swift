import HindsightStore
import HindsightSupport

/// Runs middleware without a store, and notes what it passes on and what it dispatches.
///
/// ```swift
/// @Test func `an empty name is dropped`() {
///     let harness = MiddlewareHarness(checking, state: AppState())
///     harness.send(.rename(""))
///     #expect(harness.passed.isEmpty)
///     #expect(harness.dispatched == [.refused])
/// }
/// ```
///
/// The middleware reads ``state``. `next` notes the action and, if you give a reducer, applies it to the state.
/// Dispatched actions are noted, and go nowhere.
///
/// Effects run in tasks. ``waitForEffects()`` waits for them. You may use a harness from any thread.
public final class MiddlewareHarness<StateValue: Sendable, ActionValue: Sendable>: Sendable {
    private struct Content {
        var state: StateValue
        var passed: [ActionValue] = []
        var dispatched: [ActionValue] = []
    }

    private let content: Locked<Content>
    private let runner: EffectRunner<ActionValue>
    private let handle: Middleware<StateValue, ActionValue>.Next

    /// Creates a harness.
    ///
    /// - Parameters:
    ///   - middleware: The middleware to run. Its observers are not called.
    ///   - state: What `getState` returns.
    ///   - reducer: Applied to the state by `next`; by default, `next` leaves the state as it is.
    public init(
        _ middleware: Middleware<StateValue, ActionValue>,
        state: StateValue,
        reducer: Reducer<StateValue, ActionValue>? = nil
    ) {
        let content = Locked(Content(state: state))
        runner = EffectRunner { action, _ in content.withLock { $0.dispatched.append(action) } }
        let curried = middleware({ content.withLock { $0.state } }, runner.dispatcher)
        handle = curried { action in
            content.withLock { content in
                content.passed.append(action)
                reducer?.reduce(&content.state, action)
            }
        }
        self.content = content
    }

    /// Hands an action to the middleware.
    public func send(_ action: ActionValue) { handle(action) }

    /// What the middleware reads. Set it to test another case.
    public var state: StateValue {
        get { content.withLock { $0.state } }
        set { content.withLock { $0.state = newValue } }
    }

    /// The actions that the middleware has passed on to `next`, in order.
    public var passed: [ActionValue] { content.withLock { $0.passed } }

    /// The actions that the middleware and its effects have dispatched, in order.
    public var dispatched: [ActionValue] { content.withLock { $0.dispatched } }

    /// Waits until no effect of the middleware runs. Returns early if the waiting task is cancelled.
    public func waitForEffects() async { await runner.waitForEffects() }
}
