import HindsightFormat
import HindsightStore
import HindsightSupport
import HindsightTree

extension Middleware where State: Codable {
    /// Logs each action with what it changed, as text to read:
    ///
    /// ```
    /// todo.toggle(id: 3)  /items/2/done false → true
    /// ```
    ///
    /// ```swift
    /// let store = Store(initial: AppState(), reducer: appReducer, middleware: [.logging { logger.debug("\($0)") }])
    /// ```
    ///
    /// An action that changed several things has a line for each below its own; long values and long lists are cut, with
    /// a count. Control characters are escaped. Time travel and undo are logged too.
    ///
    /// **Cost.** As ``Recorder``'s search for changes: it follows the change, not the state. The last state is kept, so
    /// the first change that an action makes to a collection copies it. Turned off, with `nil`, it costs nothing.
    ///
    /// `Redacted` fields show as `[redacted]`, and so do the places of states that `redaction` names. Where it names any
    /// of actions, only their names are logged.
    ///
    /// - Parameters:
    ///   - redaction: What is not shown. Each of its patterns must be one; see ``RedactedPath``.
    ///   - log: Takes a text for each action, of one or more lines, before subscribers are told. `nil` turns
    ///     logging off. Prints by default.
    public static func logging(
        redaction: Redaction = Redaction(),
        to log: (@Sendable (String) -> Void)? = { print($0) }
    ) -> Middleware {
        log.map { Middleware(observer: ChangeLogger(redaction: redaction, log: $0)) } ?? .empty
    }
}

/// Logs what actions change.
private final class ChangeLogger<State: Codable & Sendable, Action: Sendable>: ReductionObserver {
    private struct Content {
        let finder: ChangeFinder<State>
        /// The state after the last action; `nil` while no store is there, and when there are two.
        var previous: State?
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

    func storeStarted(initial: State, reducers: [String]) {
        guard redactors != nil else { return }
        let problem: String? = content.withLock { content in
            content.stores += 1
            guard content.stores == 1 else {
                content.previous = nil
                return "Nothing is logged any more: one logging middleware was given to two stores. Make one for each."
            }
            do {
                try content.finder.start(from: initial)
                content.previous = initial
                return nil
            } catch {
                return "Nothing is logged: \(told(error))"
            }
        }
        if let problem { log(problem) }
    }

    func willReduce(_ action: Action, context: ActionContext) {
        let isShown = redactors?.redaction.actions.isEmpty ?? false
        content.withLock { $0.action = isShown ? ChangeText.name(of: action) : ChangeText.bareName(of: action) }
    }

    func didRun(reducer: Int, state: State) {}

    func didReduce(state: State) {
        write(state) { $0.action }
    }

    func didTravel(to seq: Int?, context: ActionContext, state: State) {
        write(state) { _ in seq.map { "travel to \($0)" } ?? "travel" }
    }

    /// An error's text, unless it might tell what is not to be shown.
    private func told(_ error: any Error) -> String {
        redactors?.states.isActive == false ? "\(error)" : "why is not said, since it might tell what is redacted"
    }

    private func write(_ state: State, _ title: (Content) -> String) {
        let text: String? = content.withLock { content in
            guard let previous = content.previous else { return nil }
            content.previous = state
            do {
                return ChangeText.text(title(content), try content.finder.patch(from: previous, to: state))
            } catch {
                return "\(title(content))  what changed cannot be shown: \(told(error))"
            }
        }
        if let text { log(text) }
    }
}
