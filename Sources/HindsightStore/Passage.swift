/// An action's way through the middleware: what the actions that answer it need to know about it.
@usableFromInline
final class Passage: @unchecked Sendable {
    // Sound: what is mutable here is touched only while the store's lock is held. That nobody else touches something while
    // it changes need not be checked at each change: none of them calls anything of ours.
    @exclusivity(unchecked) fileprivate(set) var parent: Passage?
    fileprivate(set) var origin: Origin
    /// The action that this one answers from later on, when that one's own passage is over.
    fileprivate(set) var answered: Int?
    /// How many actions led to this one, each in answer to the one before.
    fileprivate(set) var depth = 0
    var seq: Int?
    /// Actions that this one's middleware dispatched before letting it through.
    @exclusivity(unchecked) var reducedBefore: [Int] = []
    /// The action, where it is deep enough to be part of a loop; `nil` for time travel.
    fileprivate(set) var action: Any?

    fileprivate init(_ origin: Origin) { self.origin = origin }

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

/// The passages that are under way at a store, and those that are over and can be used again.
///
/// Most actions leave nobody behind who knows their passage, so that the next one can have it: making an object for
/// each would cost more than all the rest of its way.
@usableFromInline
struct Passages {
    /// The innermost one that is under way; its parents are the others.
    @usableFromInline private(set) var innermost: Passage?
    /// Those that can be used again, each the parent of the one before.
    private var spare: Passage?

    /// Begins a passage in answer to the innermost one.
    ///
    /// - Returns: How deep it is.
    mutating func begin(from origin: Origin, answering seq: Int?) -> Int {
        let passage = takeSpare(origin)
        let depth = (innermost?.depth ?? 0) + 1
        passage.parent = innermost.take()
        passage.depth = depth
        passage.answered = seq
        innermost = passage
        return depth
    }

    /// Ends the innermost passage.
    ///
    /// - Returns: What is to be let go of once nothing is being changed here: an action may do anything as it goes.
    mutating func end() -> Passage? {
        guard var passage = innermost.take() else { return nil }
        // Where it is not unique, an effect, a bound dispatch or an action that waits still asks about it.
        guard isKnownUniquelyReferenced(&passage), passage.depth <= DispatchLoop.unnoted else {
            innermost = passage.parent
            return passage
        }
        innermost = passage.parent.take()
        passage.seq = nil
        if !passage.reducedBefore.isEmpty { passage.reducedBefore = [] }
        passage.parent = spare.take()
        spare = passage
        return nil
    }

    /// Notes the innermost passage's action, should a loop have to be shown.
    func note(_ action: Any?) {
        innermost?.action = action
    }

    /// Goes on as the answer to another passage.
    ///
    /// - Returns: The innermost one before.
    mutating func resume(_ passage: Passage?) -> Passage? {
        defer { innermost = passage }
        return innermost
    }

    private mutating func takeSpare(_ origin: Origin) -> Passage {
        guard let passage = spare.take() else { return Passage(origin) }
        spare = passage.parent.take()
        passage.origin = origin
        return passage
    }
}
