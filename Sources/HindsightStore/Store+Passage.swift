extension Store {
    /// An action's way through the middleware: what the actions that answer it need to know about it.
    @usableFromInline
    final class Passage {
        @usableFromInline let parent: Passage?
        let action: Action
        let origin: Origin
        /// How many actions led to this one, each in answer to the one before.
        @usableFromInline let depth: Int
        var seq: Int?
        /// Actions that this one's middleware dispatched before letting it through.
        var reducedBefore: [Int] = []

        @usableFromInline
        init(parent: Passage?, action: Action, origin: Origin) {
            self.parent = parent
            self.action = action
            self.origin = origin
            depth = (parent?.depth ?? 0) + 1
        }

        /// The nearest action above this one that has been reduced already.
        var reducedAncestor: Int? {
            var ancestor = parent
            while let candidate = ancestor {
                if let seq = candidate.seq { return seq }
                ancestor = candidate.parent
            }
            return nil
        }
    }

    /// An action that a subscriber dispatched: it runs when the round of notifications is over.
    struct Waiting {
        let action: Action
        let origin: Origin
        let cause: Passage?
    }

    /// Sends an action through the middleware, in answer to another one or to none.
    @inlinable
    func pass(_ action: Action, from origin: Origin, within parent: Passage?) {
        guard let chain else {
            // What a subscriber dispatched is tracked in any case, or a loop would never be seen.
            if parent == nil && !door.pointee.isWatched && !door.pointee.isServingWaiting {
                enterDoor(action)
            } else {
                track(action, from: origin, within: parent) { enterDoor(action) }
            }
            return
        }
        track(action, from: origin, within: parent) { chain(action) }
    }

    @inlinable
    func track(_ action: Action, from origin: Origin, within parent: Passage?, _ body: () -> Void) {
        let passage = Passage(parent: parent, action: action, origin: origin)
        guard passage.depth <= DispatchLoop.limit else { return stopLoop(endingIn: passage) }
        let outer = innermost
        innermost = passage
        defer { innermost = outer }
        body()
    }

    @usableFromInline
    func stopLoop(endingIn passage: Passage) {
        var steps: [DispatchLoop.Step] = []
        var next: Passage? = passage
        while let passage = next, steps.count < DispatchLoop.shown {
            steps.append(DispatchLoop.Step(action: "\(passage.action)", origin: passage.origin))
            next = passage.parent
        }
        onLoop(DispatchLoop(steps: steps.reversed()))
    }

    /// Runs the actions that subscribers have dispatched, first come first served.
    func serveWaiting() {
        if door.pointee.isServingWaiting || waiting.isEmpty { return }
        door.pointee.isServingWaiting = true
        defer { door.pointee.isServingWaiting = false }
        while !waiting.isEmpty {
            let batch = waiting
            waiting.removeAll(keepingCapacity: true)
            for next in batch {
                pass(next.action, from: next.origin, within: next.cause)
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
    public static let limit = 200
    /// How many of them are shown.
    static let shown = 8

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
