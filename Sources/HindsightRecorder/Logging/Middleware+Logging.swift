import HindsightFormat
import HindsightStore
import HindsightSupport
import HindsightTree

extension Middleware where StateValue: Codable {
    /// Logs each action and its changes as text:
    ///
    /// ```
    /// todo.toggle(id: 3)  /items/2/done false → true
    /// ```
    ///
    /// ```swift
    /// let store = Store(initial: AppState(), reducer: appReducer, middleware: [.logging { logger.debug("\($0)") }])
    /// ```
    ///
    /// If an action changed several things, each has a line below the action. Long values and long lists are truncated,
    /// with a count. Control characters are escaped. Time travel and undo are logged too.
    ///
    /// **Cost.** Finding the changes, as in ``Recorder``: the cost follows the change, not the state. The middleware
    /// keeps the last state, so the first change that an action makes to a collection copies it. With `nil`, there is
    /// no cost.
    ///
    /// `Redacted` fields and the places of `redaction` in the state are logged as `[redacted]`. If `redaction` has
    /// places in actions, only the names of actions are logged.
    ///
    /// - Parameters:
    ///   - redaction: The values to hide. Each pattern must be valid; see `RedactedPath`.
    ///   - log: Receives a text of one or more lines for each action, before subscribers are notified. `nil` turns
    ///     logging off. Prints by default.
    public static func logging(
        redaction: Redaction = Redaction(),
        to log: (@Sendable (String) -> Void)? = { print($0) }
    ) -> Middleware {
        log.map { Middleware(observer: ChangeLogger(redaction: redaction, log: $0)) } ?? .empty
    }
}

/// Logs the changes of actions.
private final class ChangeLogger<StateValue: Codable & Sendable, ActionValue: Sendable>: ReductionObserver {
    private struct Content {
        let finder: ChangeFinder<StateValue>
        /// The state after the last action; `nil` without a store, or with two.
        var previous: StateValue?
        var stores = 0
        var action = ""
    }

    private let content: Locked<Content>
    private let redactors: Redactors?
    private let log: @Sendable (String) -> Void

    init(redaction: Redaction, log: @escaping @Sendable (String) -> Void) {
        do {
            redactors = try Redactors(redaction)
        } catch {
            redactors = nil
            log("Nothing is logged: \(error)")
        }
        content = Locked(Content(finder: ChangeFinder(redactor: redactors?.states)))
        self.log = log
    }

    func storeStarted(initial: StateValue, reducers: [String]) {
        guard redactors != nil else { return }
        let problem: String? = content.withLock { content in
            content.stores += 1
            guard content.stores == 1 else {
                content.previous = nil
                return "Logging stopped: two stores share one logging middleware. Create one for each store."
            }
            do {
                try content.finder.start(from: initial)
                content.previous = initial
                return nil
            } catch {
                return "Nothing is logged: \(description(of: error))"
            }
        }
        if let problem { log(problem) }
    }

    func willReduce(_ action: ActionValue, context: ActionContext) {
        let isShown = redactors?.redaction.actions.isEmpty ?? false
        content.withLock { $0.action = isShown ? ChangeText.name(of: action) : ChangeText.bareName(of: action) }
    }

    func didRun(reducer: Int, state: StateValue) {}

    func didReduce(state: StateValue) {
        write(state) { $0.action }
    }

    func didTravel(to seq: Int?, context: ActionContext, state: StateValue) {
        write(state) { _ in seq.map { "travel to \($0)" } ?? "travel" }
    }

    /// The text of an error, unless it may contain a redacted value.
    private func description(of error: any Error) -> String {
        if redactors?.states.isActive == false { return ChangeText.escaped("\(error)") }
        return "the details are withheld, since they could reveal a redacted value"
    }

    private func write(_ state: StateValue, _ title: (Content) -> String) {
        let text: String? = content.withLock { content in
            guard let previous = content.previous else { return nil }
            content.previous = state
            do {
                return ChangeText.text(title(content), try content.finder.patch(from: previous, to: state))
            } catch {
                return "\(title(content))  its changes cannot be shown: \(description(of: error))"
            }
        }
        if let text { log(text) }
    }
}
