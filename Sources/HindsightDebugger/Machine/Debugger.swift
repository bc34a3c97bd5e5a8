import HindsightQuery
import HindsightReplay
import HindsightTree

/// Moves through a recording, forward and backward: the machine behind each debugger's user interface.
///
/// Commands go in, and events come out. It reads the recording, and nothing else: no terminal, no clock, no other file,
/// and no thread of its own. Use it on the thread of its recording.
///
/// ```swift
/// let debugger = Debugger(on: recording)
/// try debugger.add(.change(of: NodePath(["cart", "total"])))
/// var events = try debugger.perform(.run(.backward))
/// while debugger.isRunning { events += try debugger.advance() }
/// print(debugger.position, try debugger.changes()?.operations ?? [])
/// ```
///
/// ## Positions
///
/// It stops after actions, after single reducers, and before the first reducer of the action that never finished.
/// Everywhere, ``Recording/Position`` orders them, so `412.7` after the last reducer comes before `412` after the whole
/// action, although nothing changes between them. A step by reducer stops at `412.7`, and one by action at `412`.
/// A position whose state was not recorded is a position all the same; ``state()`` is `nil` there.
///
/// ## Cost
///
/// Creating one and moving cost nothing that depends on the recording. The state is read when it is asked for, and then
/// costs the changes since the last time. A run is done in pieces: ``perform(_:)`` only begins it, and each call of
/// ``advance(budget:isInterrupted:stops:)`` does a bounded part of it, so that a user interface can show progress and
/// stop it.
///
/// ## Branches
///
/// What would have happened with other actions is another recording, which the app's reducers make. The machine runs no
/// reducers: it collects the changed actions (``edit(_:)``), hands them out (``changedLog()``), and takes the result as
/// a branch (``addBranch(_:named:running:)``).
package final class Debugger {
    /// The position.
    package internal(set) var position: Recording.Position
    /// The number of the present branch; 0 is the recording itself.
    package internal(set) var branch = 0
    /// The recording, and what ran as branches of it, in order.
    package internal(set) var branches: [DebuggerBranch]
    /// The rules that expressions may name.
    package var rules = RuleBook()
    /// The breakpoints, in the order of their numbers.
    package internal(set) var breakpoints: [Breakpoint] = []
    /// The breakpoints that hit at the last stop of a run, with temporary ones, which are removed then.
    package internal(set) var hits: [Breakpoint] = []
    var timelines: [Timeline]
    var search: HitSearch?
    var nextBreakpoint = 1
    /// The positions before the commands that moved, the last one last.
    var past: [(branch: Int, position: Recording.Position)] = []
    /// What changed at the position for which it was asked last.
    var changedPlaces: (branch: Int, position: Recording.Position, places: ChangedPlaces?)?

    /// The most positions that ``DebuggerCommand/undo`` remembers.
    private static let maxPast = 1000

    /// Begins at the last position if the recorded process ended in an action, and otherwise at the first.
    package init(on recording: Recording) {
        let timeline = Timeline(recording)
        timelines = [timeline]
        branches = [DebuggerBranch(id: 0, name: "recording", origin: nil)]
        position = timeline.last.reducer == 0 ? timeline.last : timeline.first
    }

    var timeline: Timeline { timelines[branch] }

    /// The recording of the present branch.
    package var recording: Recording { timeline.recording }
    /// The first position of the present branch.
    package var first: Recording.Position { timeline.first }
    /// The last position of the present branch.
    package var last: Recording.Position { timeline.last }
    /// Whether a run has begun and not stopped yet.
    package var isRunning: Bool { search != nil }
    /// Whether the present branch is being recorded right now.
    package var isLive: Bool { timeline.isLive }

    // MARK: Commands

    /// Does a command; only begins a run.
    ///
    /// After the action in which the process ended, there is no position: ``DebuggerCommand/go(_:)`` stops at the crash.
    ///
    /// - Throws: ``DebuggerError``; or a `RecordingError` with the code `positionOutOfRange`, `damaged` or `unreadable`.
    ///   The position is then the one before.
    package func perform(_ command: DebuggerCommand) throws -> [DebuggerEvent] {
        if isRunning { throw DebuggerError(.running) }
        switch command {
        case .step(let direction, let granularity, let count): return try step(direction, granularity, count)
        case .go(let target):
            // Throws if there is no such position, whether its state is known or not.
            _ = try recording.position(target.description, knownOnly: false)
            move(to: branch, at: try reached(target))
            return [stop(.command)]
        case .checkout(let id):
            guard timelines.indices.contains(id) else {
                throw DebuggerError(.noBranch, given: "\(id)", allowed: branches.map { "\($0.id)" })
            }
            let known = id == branch ? position : past.last { $0.branch == id }?.position
            move(to: id, at: nearest(to: known ?? timelines[id].first, in: timelines[id]))
            return [stop(.command)]
        case .undo:
            if branches[branch].edits.popLast() != nil { return [.editsChanged] }
            guard let (id, position) = past.popLast() else { throw DebuggerError(.nothingToUndo) }
            move(to: id, at: nearest(to: position, in: timelines[id]), remembering: false)
            return [stop(.command)]
        case .run(let direction):
            let known = divergences ?? []
            search = HitSearch(direction, from: position, on: timeline, for: breakpoints, divergences: known)
            return [.running(0)]
        }
    }

    private func step(
        _ direction: DebuggerDirection,
        _ granularity: StateCursor.Granularity,
        _ count: Int
    ) throws -> [DebuggerEvent] {
        var target = position
        var isAtEdge = false
        for _ in 0..<max(0, count) {
            let next =
                direction == .forward
                ? try timeline.next(after: target, by: granularity)
                : try timeline.previous(before: target, by: granularity)
            guard let next else {
                isAtEdge = true
                break
            }
            target = next
        }
        move(to: branch, at: target)
        return [stop(isAtEdge ? edge(direction) : .step)]
    }

    private func edge(_ direction: DebuggerDirection) -> DebuggerStop.Reason {
        direction == .forward ? .end(live: timeline.isLive) : .start
    }

    // MARK: Runs

    /// Goes on with a run.
    ///
    /// - Parameters:
    ///   - budget: About how many actions to look at. The default takes some ten milliseconds, unless an expression is
    ///     slow.
    ///   - isInterrupted: Whether to stop, as ``interrupt()`` does. It is asked after each evaluation of an expression,
    ///     so that a slow one can be stopped, too.
    ///   - stops: Takes the breakpoints that hit at ``position``, and returns those that stop there. If there are none,
    ///     the run goes on, and costs nothing again. It may read, and must not change the debugger.
    /// - Returns: How far it is, or where it stopped; nothing if it does not run.
    /// - Throws: A `RecordingError`, an ``ExpressionError`` or an error of `stops`. The run is then over, at the position
    ///   where it began.
    package func advance(
        budget: Int = 16_384,
        isInterrupted: () -> Bool = { false },
        stops: ([Int]) throws -> [Int] = { $0 }
    ) throws -> [DebuggerEvent] {
        guard var search else { return [] }
        // Not copied while it changes.
        self.search = nil
        let progress: HitSearch.Progress
        do {
            progress = try search.advance(budget, isInterrupted)
        } catch is SearchInterruption {
            self.search = search
            return interrupt()
        }
        switch progress {
        case .running:
            self.search = search
            return [.running(search.fraction)]
        case .found(let found, let ids):
            let stopping = try stopping(count(hitOf: ids), at: found, stops)
            if stopping.isEmpty {
                // No hit stops it, so it goes on from there.
                search.start = found
                self.search = search
                return [.running(search.fraction)]
            }
            noteStop(of: stopping)
            end(search, at: found)
            return [stop(.breakpoints(stopping), search)]
        case .exhausted:
            // Among the computed steps of the action in which the process ended, the way leads on to the crash.
            let target = position > last ? max(position, timeline.lastStep) : last
            end(search, at: search.direction == .forward ? target : first)
            return [stop(edge(search.direction), search)]
        }
    }

    /// Those of some breakpoints that stop at a position, at which the debugger is meanwhile.
    private func stopping(_ ids: [Int], at found: Recording.Position, _ stops: ([Int]) throws -> [Int]) rethrows
        -> [Int]
    {
        if ids.isEmpty { return [] }
        let origin = position
        position = found
        defer { position = origin }
        return try stops(ids)
    }

    /// Stops a run where it is: no breakpoint hits between there and where it began.
    ///
    /// - Returns: The stop; nothing if it does not run.
    package func interrupt() -> [DebuggerEvent] {
        guard let search else { return [] }
        end(search, at: search.reached)
        return [stop(.interrupted, search)]
    }

    private func end(_ search: HitSearch, at target: Recording.Position) {
        self.search = nil
        move(to: branch, at: target)
    }

    // MARK: Growing

    /// Reads what was recorded since, if the recording is live. Costs a few reads.
    ///
    /// A run must stop first.
    ///
    /// - Throws: A `RecordingError` with the code `unreadable` or `damaged`.
    package func refresh() throws -> [DebuggerEvent] {
        guard !isRunning, branch == 0, timeline.isLive else { return [] }
        let before = timeline.last
        try recording.refresh()
        var events: [DebuggerEvent] = []
        if timeline.last > before {
            // The new actions may diverge, too.
            branches[branch].mayDivergeFurther = true
            events.append(.grew(end: timeline.last))
        }
        if !timeline.isLive { events.append(.ended) }
        if position < timeline.first {
            position = timeline.first
            events.append(.dropped)
        }
        return events
    }

    /// Goes on with another opening of the same recording, for example after a note was added to its file.
    ///
    /// The position stays, or moves to the nearest one that the recording has.
    ///
    /// - Parameter isSame: Whether the actions are the same. What was computed from them is then kept.
    package func replaceRecording(with recording: Recording, isSame: Bool = true) {
        search = nil
        let (computed, hasComputed) = (timeline.computed, timeline.hasComputed)
        timelines[branch] = Timeline(recording)
        if isSame {
            (timeline.computed, timeline.hasComputed) = (computed, hasComputed)
        } else {
            branches[branch].divergences = nil
            branches[branch].mayDivergeFurther = false
        }
        position = nearest(to: position, in: timeline)
        changedPlaces = nil
    }

    // MARK: Moving

    /// Moves to a position of a branch.
    ///
    /// - Parameter remembersPast: Whether `undo` leads back, if the position is another one.
    func move(to id: Int, at target: Recording.Position, remembering remembersPast: Bool = true) {
        if remembersPast, (branch, position) != (id, target) {
            past.append((branch, position))
            if past.count > Self.maxPast { past.removeFirst(past.count - Self.maxPast) }
        }
        (branch, position) = (id, target)
    }

    /// The nearest position that a recording has, which may have dropped or lost some meanwhile.
    func nearest(to target: Recording.Position, in timeline: Timeline) -> Recording.Position {
        min(max(target, timeline.first), timeline.lastStep)
    }

    func stop(_ reason: DebuggerStop.Reason, _ search: HitSearch? = nil) -> DebuggerEvent {
        let unknown = search?.unknownCount ?? 0
        return .stopped(DebuggerStop(reason: reason, position: position, unknownCount: unknown))
    }
}
