/// Actions that answer actions without end, in middleware or in subscribers.
///
/// ```swift
/// let store = Store(initial: AppState(), reducer: appReducer, onLoop: { loop in logger.fault("\(loop)") })
/// ```
///
/// A store stops such a loop by not dispatching the next action once ``limit`` actions have led to it, each in answer
/// to the one before; where each action is answered by several, once ``breadth`` answers to answers have come of one
/// action, and then all other answers are dropped too. It tells its `onLoop`, which stops the program by default. What `onLoop` dispatches at once belongs to the
/// loop, and may be stopped as well.
///
/// Effects answer later, each in a dispatch of its own: a chain of those has no limit.
public struct DispatchLoop: Sendable, CustomStringConvertible {
    /// How many actions may lead to one another.
    public static var limit: Int { 200 }
    /// How many answers to answers may come of one action, at any depth.
    public static var breadth: Int { 100_000 }
    /// How many actions of a loop are shown.
    static var shown: Int { 8 }
    /// How many may lead to one another before that is looked at.
    @usableFromInline static var unlooked: Int { 1 }
    /// How many may lead to one another before the next ones are noted, to be shown as a loop.
    static var unnoted: Int { 2 }

    /// One action of the loop.
    public struct Step: Sendable {
        /// The action, as text.
        public let action: String
        public let origin: Origin
    }

    /// The last actions of the loop, the last one being that which was not dispatched.
    public let steps: [Step]
    /// Whether each action was answered by several, so that they grew ever more.
    let isBroad: Bool

    public var description: String {
        let lines = steps.map { "  \($0.action)  (\($0.origin))" }.joined(separator: "\n")
        let number = isBroad ? "\(Self.breadth) answers to answers" : "\(Self.limit) actions"
        return """
            More than \(number) were dispatched in answer to one \(isBroad ? "action" : "another"), so the last was \
            not reduced:
            \(lines)
            Let a subscriber or middleware dispatch only when what it wants is not so yet.
            """
    }
}

/// Counts what is dispatched in answer to one action, and says where that is a loop.
struct Answers {
    enum Verdict: Equatable {
        case goesOn
        case stops(isTold: Bool)
    }

    /// How many loops are told before the rest are stopped silently.
    static let told = 8

    private var count = 0
    private var loops = 0
    /// Whether ever more answers came, so that no more are taken.
    private(set) var areOver = false

    /// An answer to an answer is to be dispatched.
    ///
    /// - Parameter depth: How many actions led to one another, this one included.
    mutating func admit(depth: Int) -> Verdict {
        if depth > DispatchLoop.limit {
            loops += 1
            return .stops(isTold: loops <= Self.told)
        }
        if areOver || loops >= Self.told { return .stops(isTold: false) }
        count += 1
        return count <= DispatchLoop.breadth ? .goesOn : overflow()
    }

    /// Ever more answers wait: no more are taken.
    mutating func overflow() -> Verdict {
        defer { areOver = true }
        return .stops(isTold: !areOver && loops < Self.told)
    }
}

extension Store {
    /// Whether the innermost action, which answers another one, may go on its way, or is part of a loop. Only answers to
    /// answers count: an action may have any number of answers of its own.
    @usableFromInline
    func admits(_ action: Action?, _ depth: Int) -> Bool {
        if depth <= DispatchLoop.unnoted {
            // In middleware each answer begins anew; those of subscribers are counted together, as they are served.
            if !door.pointee.isServingWaiting { answers = Answers() }
            return !answers.areOver
        }
        door.pointee.passages.note(action)
        switch answers.admit(depth: depth) {
        case .goesOn:
            return true
        case .stops(let isTold):
            if isTold { tellOfLoop(isBroad: depth <= DispatchLoop.limit) }
            return false
        }
    }

    /// Whether one more action may wait in a subscriber.
    func mayWait(_ action: Action, from origin: Origin) -> Bool {
        guard waiting.count >= DispatchLoop.breadth, let innermost = door.pointee.passages.innermost else {
            return true
        }
        if innermost.depth < DispatchLoop.unnoted { return true }
        if case .stops(isTold: true) = answers.overflow() {
            tellOfLoop(isBroad: true, endingIn: DispatchLoop.Step(action: "\(action)", origin: origin))
        }
        return false
    }

    private func tellOfLoop(isBroad: Bool, endingIn last: DispatchLoop.Step? = nil) {
        var steps = last.map { [$0] } ?? []
        var next = door.pointee.passages.innermost
        while let passage = next, steps.count < DispatchLoop.shown {
            let isNoted = passage.depth > DispatchLoop.unnoted
            let action = passage.action.map { "\($0)" } ?? (isNoted ? "time travel" : "an action")
            steps.append(DispatchLoop.Step(action: action, origin: passage.origin))
            next = passage.parent
        }
        onLoop(DispatchLoop(steps: steps.reversed(), isBroad: isBroad))
    }
}
