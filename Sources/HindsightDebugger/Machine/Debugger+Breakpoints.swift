import HindsightQuery
import HindsightTree

extension Debugger {
    /// The most breakpoints.
    package static let maxBreakpoints = 100_000

    /// Adds a breakpoint. A run that has begun does not heed it.
    ///
    /// ```swift
    /// try debugger.add(.action(type: "applyCoupon"), if: RecordingExpression("/cart/total < 0"))
    /// ```
    ///
    /// Breakpoints on types, reducers and paths cost a run little, however many there are; each expression and each
    /// condition costs it a pass over the recorded changes.
    ///
    /// - Parameters:
    ///   - kind: What it looks for.
    ///   - condition: What must be true, too.
    ///   - isTemporary: Whether it is removed once it has stopped the debugger.
    /// - Returns: The breakpoint, with its number.
    /// - Throws: ``DebuggerError`` with the code `noReducer` or `tooManyBreakpoints`.
    @discardableResult
    package func add(_ kind: Breakpoint.Kind, if condition: RecordingExpression? = nil, isTemporary: Bool = false)
        throws(DebuggerError)
        -> Breakpoint
    {
        guard breakpoints.count < Self.maxBreakpoints else {
            throw DebuggerError(.tooManyBreakpoints, given: "\(breakpoints.count)")
        }
        if case .reducer(let name) = kind, !recording.reducers.contains(where: { $0.hasSameScalars(as: name) }) {
            throw DebuggerError(.noReducer, given: name, allowed: recording.reducers)
        }
        let breakpoint = Breakpoint(id: nextBreakpoint, kind: kind, condition: condition, isTemporary: isTemporary)
        nextBreakpoint += 1
        breakpoints.append(breakpoint)
        return breakpoint
    }

    /// Removes a breakpoint.
    ///
    /// - Throws: ``DebuggerError`` with the code `noBreakpoint`.
    package func removeBreakpoint(_ id: Int) throws(DebuggerError) {
        breakpoints.remove(at: try index(ofBreakpoint: id))
    }

    /// Removes the breakpoints that a condition selects.
    package func removeBreakpoints(where isUnwanted: (Breakpoint) -> Bool) {
        breakpoints.removeAll(where: isUnwanted)
    }

    /// Turns a breakpoint on or off.
    ///
    /// - Throws: ``DebuggerError`` with the code `noBreakpoint`.
    package func setBreakpoint(_ id: Int, enabled: Bool) throws(DebuggerError) {
        breakpoints[try index(ofBreakpoint: id)].isEnabled = enabled
    }

    /// Replaces the rules that expressions may name, those of breakpoints included.
    ///
    /// - Returns: The breakpoints that name a rule that is not known any more, with the error, and those whose rule is
    ///   known again. The former are off until then.
    package func replaceRules(by rules: RuleBook) -> [(id: Int, error: ExpressionError?)] {
        self.rules = rules
        var changed: [(id: Int, error: ExpressionError?)] = []
        for index in breakpoints.indices where breakpoints[index].expressions.contains(where: { $0.ruleFile != nil }) {
            do throws(ExpressionError) {
                try breakpoints[index].compile(by: rules)
                if !breakpoints[index].isEnabled { changed.append((breakpoints[index].id, nil)) }
                breakpoints[index].isEnabled = true
            } catch {
                breakpoints[index].isEnabled = false
                changed.append((breakpoints[index].id, error))
            }
        }
        return changed
    }

    /// Lets a breakpoint not stop the debugger at its next hits.
    ///
    /// - Throws: ``DebuggerError`` with the code `noBreakpoint`.
    package func ignoreHits(_ count: Int, ofBreakpoint id: Int) throws(DebuggerError) {
        breakpoints[try index(ofBreakpoint: id)].ignoreCount = max(0, count)
    }

    /// Counts a hit of breakpoints.
    ///
    /// - Returns: Those whose hit is not to be ignored.
    func count(hitOf ids: [Int]) -> [Int] {
        let ids = Set(ids)
        var heeded: [Int] = []
        for index in breakpoints.indices where ids.contains(breakpoints[index].id) {
            breakpoints[index].hitCount += 1
            if breakpoints[index].ignoreCount > 0 {
                breakpoints[index].ignoreCount -= 1
            } else {
                heeded.append(breakpoints[index].id)
            }
        }
        return heeded
    }

    /// Keeps the breakpoints that stop the debugger as ``hits``, and removes the temporary ones.
    func noteStop(of ids: [Int]) {
        let ids = Set(ids)
        hits = breakpoints.filter { ids.contains($0.id) }
        breakpoints.removeAll { $0.isTemporary && ids.contains($0.id) }
    }

    private func index(ofBreakpoint id: Int) throws(DebuggerError) -> Int {
        // They are in the order of their numbers.
        let index = breakpoints.partitioningIndex { $0.id >= id }
        guard index < breakpoints.count, breakpoints[index].id == id else {
            let known = breakpoints.count <= 20 ? breakpoints.map { "\($0.id)" } : []
            throw DebuggerError(.noBreakpoint, given: "\(id)", allowed: known)
        }
        return index
    }

    /// Where today's reducers do something else than was recorded, on the present branch; `nil` if that is not known.
    package var divergences: [Recording.Position]? { branches[branch].divergences }

    /// Whether a run would need ``divergences`` that are not known, or not to the end. Verify the recording, and supply them.
    package var needsDivergences: Bool {
        (divergences == nil || branches[branch].mayDivergeFurther)
            && breakpoints.contains { if case .divergence = $0.kind { $0.isEnabled } else { false } }
    }

    /// Says where today's reducers do something else than was recorded, on the present branch.
    package func supply(divergences: [Recording.Position]) {
        branches[branch].divergences = divergences.sorted()
        branches[branch].mayDivergeFurther = false
    }

    /// What a breakpoint's expressions and paths name that the recording does not have.
    ///
    /// Costs two whole states, and the history of each path that is in neither.
    ///
    /// - Throws: A `RecordingError` with the code `damaged` or `unreadable`.
    package func unknownNames(of breakpoint: Breakpoint) throws(RecordingError) -> UnknownNames {
        var unknown = UnknownNames()
        if case .change(let path) = breakpoint.kind, try !recording.has(path) { unknown.paths.append(path) }
        for expression in breakpoint.expressions { unknown.add(try expression.unknownNames(in: recording)) }
        return unknown
    }

    /// The paths of a breakpoint at which the recording hides values, so that it may not hit where they change.
    ///
    /// - Throws: A `RecordingError` with the code `damaged` or `unreadable`.
    package func redactedPaths(of breakpoint: Breakpoint) throws(RecordingError) -> [NodePath] {
        var paths = breakpoint.expressions.flatMap(\.paths)
        if case .change(let path) = breakpoint.kind { paths.append(path) }
        return paths.isEmpty ? [] : try recording.redacted(paths)
    }

    /// What a text that ``evaluate(_:)`` takes names, and the recording does not have.
    ///
    /// Costs what ``unknownNames(of:)`` costs.
    ///
    /// - Throws: An ``ExpressionError``; a `RecordingError` with the code `damaged` or `unreadable`.
    package func unknownNames(in text: String) throws -> UnknownNames {
        let kind = try Self.pointer(text).map(Breakpoint.Kind.change) ?? .turn(of: expression(text))
        return try unknownNames(of: Breakpoint(id: 0, kind: kind, condition: nil, isTemporary: false))
    }
}
