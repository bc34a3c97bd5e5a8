/// One action on its way through the middleware: what the actions dispatched in answer to it need to know.
@usableFromInline
final class DispatchFrame: @unchecked Sendable {
    // Sound: the mutable properties are touched only while the store's lock is held. Exclusivity needs no check: no
    // change to them calls other code.
    fileprivate(set) var parent: DispatchFrame?
    fileprivate(set) var origin: Origin
    /// The action that this one answers after that action's own frame was popped.
    fileprivate(set) var answered: Int?
    /// The number of frames from the outermost one to this one.
    fileprivate(set) var depth = 0
    /// The action's number, once it has one.
    var seq: Int?
    /// The actions that this one's middleware dispatched before it passed this one on.
    var reducedBefore: [Int] = []
    /// The action, if the frame is deep enough to be part of a loop; `nil` for time travel.
    fileprivate(set) var action: Any?

    fileprivate init(_ origin: Origin) { self.origin = origin }

    /// The nearest enclosing action that was reduced already.
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

/// The frames of the dispatches that are under way in a store, and a free list of frames to reuse.
///
/// Allocating a frame would cost more than the rest of a dispatch. Few actions leave a reference to their frame behind,
/// so the next action can reuse it.
@usableFromInline
struct DispatchStack {
    /// The top of the stack. Each frame links to the one below it.
    @usableFromInline private(set) var innermost: DispatchFrame?
    /// The depth below the bottom frame: 1 while answers run to an action that had no frame, otherwise 0.
    var baseDepth = 0
    /// The free list, linked by `parent`.
    private var spare: DispatchFrame?

    /// Pushes a frame.
    ///
    /// - Returns: The frame's depth.
    @usableFromInline
    mutating func push(from origin: Origin, answering seq: Int?) -> Int {
        let frame = takeSpare(origin)
        let depth = (innermost?.depth ?? baseDepth) + 1
        frame.parent = innermost.take()
        frame.depth = depth
        frame.answered = seq
        innermost = frame
        return depth
    }

    /// Pops the innermost frame.
    ///
    /// - Returns: A frame to release after this call: releasing an action may run any code.
    @usableFromInline
    mutating func pop() -> DispatchFrame? {
        guard var frame = innermost.take() else { return nil }
        // An effect, a bound dispatcher or queued work may still refer to the frame.
        guard isKnownUniquelyReferenced(&frame), frame.depth <= DispatchLoop.untracedDepth else {
            innermost = frame.parent
            return frame
        }
        innermost = frame.parent.take()
        frame.seq = nil
        if !frame.reducedBefore.isEmpty { frame.reducedBefore = [] }
        frame.parent = spare.take()
        spare = frame
        return nil
    }

    /// Keeps the innermost frame's action, in case a loop must be reported.
    func trace(_ action: Any?) {
        innermost?.action = action
    }

    /// Continues on top of another frame.
    ///
    /// - Returns: The innermost frame until now.
    mutating func resume(_ frame: DispatchFrame?) -> DispatchFrame? {
        defer { innermost = frame }
        return innermost
    }

    private mutating func takeSpare(_ origin: Origin) -> DispatchFrame {
        guard let frame = spare.take() else { return DispatchFrame(origin) }
        spare = frame.parent.take()
        frame.origin = origin
        return frame
    }
}
