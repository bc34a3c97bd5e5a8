/// Actions that answer one another without end, in middleware or in subscribers.
///
/// ```swift
/// let store = Store(initial: AppState(), reducer: appReducer, onLoop: { loop in logger.fault("\(loop)") })
/// ```
///
/// A store stops such a loop: it drops the next action after ``maxDepth`` actions, each dispatched in answer to the one
/// before. If every action has several answers, the store drops all further ones after ``maxAnswers``. It then calls
/// its `onLoop`, which by default stops the program. Actions that `onLoop` dispatches at once belong to the loop, and
/// the store may drop them as well.
///
/// Actions that middleware dispatches are nested, and each needs some of the thread's stack. If the stack has no room
/// for one more before ``maxDepth``, the store drops that one. A chain of two actions is never dropped.
///
/// Effects answer later, each in a dispatch of its own. A chain of effects has no limit.
public struct DispatchLoop: Sendable, CustomStringConvertible {
    /// The greatest length of a chain of answers.
    package static var maxDepth: Int { 200 }
    /// The greatest number of answers to answers that one action may cause, at any depth.
    package static var maxAnswers: Int { 100_000 }
    /// The number of actions in a report.
    static var reportedSteps: Int { 8 }
    /// The depth up to which a dispatch skips the check.
    @usableFromInline static var uncheckedDepth: Int { 1 }
    /// The depth up to which the store does not keep actions for a report.
    static var untracedDepth: Int { 2 }

    /// One action of the loop.
    public struct Step: Sendable {
        /// The action as text.
        public let action: String
        public let origin: Origin
    }

    /// The last actions of the loop. The last one is the action that the store dropped.
    public let steps: [Step]
    /// Whether the number of answers exceeded the limit, instead of their depth.
    let isBroad: Bool
    /// The length of the chain if the thread's stack had no room for one more answer.
    var stackDepth: Int?

    public var description: String {
        let lines = steps.map { "  \($0.action)  (\($0.origin))" }.joined(separator: "\n")
        let number = isBroad ? "\(Self.maxAnswers) answers to answers" : "\(stackDepth ?? Self.maxDepth) actions"
        let reason = stackDepth == nil ? "" : " and the thread's stack has no room for more"
        return """
            More than \(number) were dispatched in answer to one \(isBroad ? "action" : "another")\(reason), so the \
            last was not reduced:
            \(lines)
            Let subscribers and middleware dispatch only if the state still needs the change.
            """
    }
}

/// Counts the answers to one action, and decides if they are a loop.
struct LoopDetector {
    enum Verdict: Equatable {
        case proceed
        case drop(isReported: Bool)
    }

    /// The number of loops to report. The store drops the actions of further ones silently.
    static let maxReports = 8

    private var answers = 0
    private var loops = 0
    /// Whether the number of answers exceeded the limit.
    private(set) var isExhausted = false

    /// Decides whether the store may dispatch an answer to an answer.
    ///
    /// - Parameters:
    ///   - depth: The length of the chain of answers, this one included.
    ///   - hasStack: Whether the thread's stack has room for the answer.
    mutating func admit(depth: Int, hasStack: Bool = true) -> Verdict {
        if depth > DispatchLoop.maxDepth || !hasStack {
            loops += 1
            return .drop(isReported: loops <= Self.maxReports)
        }
        if isExhausted || loops >= Self.maxReports { return .drop(isReported: false) }
        answers += 1
        return answers <= DispatchLoop.maxAnswers ? .proceed : exhaust()
    }

    /// Drops this answer and all that follow.
    mutating func exhaust() -> Verdict {
        defer { isExhausted = true }
        return .drop(isReported: !isExhausted && loops < Self.maxReports)
    }
}
