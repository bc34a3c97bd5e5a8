extension Store {
    /// An action's way through the middleware: what the actions that answer it need to know about it.
    @usableFromInline
    final class Passage: @unchecked Sendable {
        // Sound: what is mutable here is touched only while the store's lock is held.
        @usableFromInline let parent: Passage?
        /// `nil` for time travel.
        @usableFromInline let action: Action?
        @usableFromInline let origin: Origin
        /// The action that this one answers from later on, when that one's own passage is over.
        @usableFromInline let answered: Int?
        /// How many actions led to this one, each in answer to the one before.
        @usableFromInline let depth: Int
        @usableFromInline var seq: Int?
        /// Actions that this one's middleware dispatched before letting it through.
        @usableFromInline var reducedBefore: [Int] = []

        @inlinable
        init(parent: Passage?, action: Action?, origin: Origin, answering answered: Int?) {
            self.parent = parent
            self.action = action
            self.origin = origin
            self.answered = answered
            depth = (parent?.depth ?? 0) + 1
        }

        /// The nearest action above this one that has been reduced already.
        var reducedAncestor: Int? {
            if let answered { return answered }
            var ancestor = parent
            while let candidate = ancestor {
                if let seq = candidate.seq ?? candidate.answered { return seq }
                ancestor = candidate.parent
            }
            return nil
        }
    }

    /// What a subscriber wanted done: it is done when the round of notifications is over.
    struct Waiting {
        enum Work {
            case action(Action, answering: Int?, unless: (() -> Bool)?)
            case travel(() -> Void)
        }

        let work: Work
        let origin: Origin
        let cause: Passage?
    }

    /// Sends an action through the middleware, in answer to another one or to none.
    @inlinable
    func pass(_ action: Action, from origin: Origin, within parent: Passage?, answering seq: Int? = nil) {
        guard let chain else {
            // What a subscriber dispatched is tracked in any case, or a loop would never be seen.
            if parent == nil && !door.pointee.isWatched && !door.pointee.isServingWaiting {
                enterDoor(action)
            } else {
                track(action, from: origin, within: parent, answering: seq) { enterDoor(action) }
            }
            return
        }
        track(action, from: origin, within: parent, answering: seq) { chain(action) }
    }

    @inlinable
    func track(
        _ action: Action?,
        from origin: Origin,
        within parent: Passage?,
        answering seq: Int? = nil,
        _ body: () -> Void
    ) {
        let passage = Passage(parent: parent, action: action, origin: origin, answering: seq)
        guard passage.depth == 1 || admits(passage) else { return }
        let outer = innermost
        innermost = passage
        defer { innermost = outer }
        body()
    }

    /// Does what subscribers wanted done, first come first served.
    func serveWaiting() {
        if door.pointee.isServingWaiting || waiting.isEmpty { return }
        door.pointee.isServingWaiting = true
        if (innermost?.depth ?? 1) == 1 { answers = Answers() }
        defer { door.pointee.isServingWaiting = false }
        while !waiting.isEmpty {
            let batch = waiting
            waiting.removeAll(keepingCapacity: true)
            for next in batch {
                switch next.work {
                case .action(let action, let seq, let isCancelled):
                    if isCancelled?() == true { continue }
                    pass(action, from: next.origin, within: next.cause, answering: seq)
                case .travel(let travel):
                    track(nil, from: next.origin, within: next.cause, travel)
                }
            }
        }
    }
}
