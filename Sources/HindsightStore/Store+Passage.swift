extension Store {
    /// What a subscriber wanted done: it is done when the round of notifications is over.
    struct Waiting {
        enum Work {
            case action(Action, answering: Int?)
            case travel(() -> Void)
        }

        let work: Work
        let origin: Origin
        let cause: Passage?
    }

    /// Sends an action through the middleware, in answer to the one that is under way, if there is one.
    @inlinable
    func pass(_ action: Action, from origin: Origin, answering seq: Int? = nil) {
        if let chain {
            track(action, from: origin, answering: seq) { chain.start(action) }
        } else if door.pointee.isBeingPassed || door.pointee.isWatched || door.pointee.isServingWaiting {
            // What a subscriber dispatched is tracked in any case, or a loop would never be seen.
            track(action, from: origin, answering: seq) { enterDoor(action) }
        } else {
            enterDoor(action)
        }
    }

    @inlinable
    func track(_ action: Action?, from origin: Origin, answering seq: Int? = nil, _ body: () -> Void) {
        let depth = door.pointee.beginPassage(from: origin, answering: seq)
        if depth <= DispatchLoop.unnoted || isNoLoop(action, depth) { body() }
        _ = door.pointee.endPassage()
    }

    /// Notes an action that so many have led to that it may have to be shown, and stops it where they are too many.
    @usableFromInline
    func isNoLoop(_ action: Action?, _ depth: Int) -> Bool {
        door.pointee.passages.note(action)
        if depth <= DispatchLoop.limit { return true }
        var steps: [DispatchLoop.Step] = []
        var next = door.pointee.passages.innermost
        while let passage = next, steps.count < DispatchLoop.shown {
            let action = passage.action.map { "\($0)" } ?? "time travel"
            steps.append(DispatchLoop.Step(action: action, origin: passage.origin))
            next = passage.parent
        }
        onLoop(DispatchLoop(steps: steps.reversed()))
        return false
    }

    /// Does what subscribers wanted done, first come first served.
    func serveWaiting() {
        if door.pointee.isServingWaiting || waiting.isEmpty { return }
        door.pointee.isServingWaiting = true
        defer { door.pointee.isServingWaiting = false }
        while !waiting.isEmpty {
            let batch = waiting
            waiting.removeAll(keepingCapacity: true)
            for next in batch {
                let outer = door.pointee.passages.resume(next.cause)
                switch next.work {
                case .action(let action, let seq): pass(action, from: next.origin, answering: seq)
                case .travel(let travel): track(nil, from: next.origin, travel)
                }
                _ = door.pointee.passages.resume(outer)
            }
        }
    }
}

/// Actions that answer actions without end, in middleware or in subscribers.
///
/// A store stops such a loop by not dispatching the next action once ``limit`` actions have led to it, each in answer
/// to the one before, and tells its `onLoop`.
public struct DispatchLoop: Sendable, CustomStringConvertible {
    /// How many actions may lead to one another.
    public static var limit: Int { 200 }
    /// How many of them are shown.
    static var shown: Int { 8 }
    /// How many lead to one another before it looks like a loop.
    @usableFromInline static var unnoted: Int { limit - shown }

    /// One action of the loop.
    public struct Step: Sendable {
        /// The action, as text.
        public let action: String
        public let origin: Origin
    }

    /// The last actions of the loop, the last one being that which was not dispatched.
    public let steps: [Step]

    public var description: String {
        let lines = steps.map { "  \($0.action)  (\($0.origin))" }.joined(separator: "\n")
        return """
            More than \(Self.limit) actions were dispatched in answer to one another, so the last was not reduced:
            \(lines)
            Let a subscriber or middleware dispatch only when what it wants is not so yet.
            """
    }
}
