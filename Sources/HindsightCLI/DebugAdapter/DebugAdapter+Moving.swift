import HindsightDebugger
import HindsightTree

extension DebugAdapter {
    // MARK: Steps

    /// `next`, `stepBack` by action; `stepIn` by reducer; `stepOut` to the end of the action.
    func step(_ request: AdapterRequest) throws -> Node? {
        let debugger = try stopped()
        refresh()
        let byReducer = try request.command == "stepIn" || request.string("granularity") == "instruction"
        let direction: DebuggerDirection = request.command == "stepBack" ? .backward : .forward
        if request.command == "stepOut", let reducer = debugger.position.reducer, reducer > 0 {
            // The action that never finished has no end.
            let end = Recording.Position(seq: debugger.position.seq)
            return try perform(.go(min(end, debugger.crash ?? end)), as: "step")
        }
        return try perform(.step(direction, by: byReducer ? .reducer : .action), as: "step")
    }

    /// `goto`. The number of a target is that of an action.
    func goto(_ request: AdapterRequest) throws -> Node? {
        guard let seq = try request.stringOrInt("targetId").flatMap({ Int($0) }) else {
            throw AdapterFailure("goto needs targetId, an integer.")
        }
        return try perform(.go(Recording.Position(seq: seq)), as: "goto")
    }

    /// Moves, and tells the client after the response.
    @discardableResult
    func perform(_ command: DebuggerCommand, as reason: String) throws -> Node? {
        let debugger = try stopped()
        try computeSteps(for: command, debugger)
        let events = try debugger.perform(command)
        forgetReferences()
        report(events, as: reason)
        return nil
    }

    private func computeSteps(for command: DebuggerCommand, _ debugger: Debugger) throws {
        noteFile()
        let remark = try debugger.computeSteps(for: command, by: tool, unless: openedFile?.lastChange)
        if let remark { say(remark) }
    }

    // MARK: Runs

    func begin(_ direction: DebuggerDirection) throws -> Node? {
        let debugger = try stopped()
        refresh()
        try findDivergences()
        try computeSteps(for: .run(direction), debugger)
        _ = try debugger.perform(.run(direction))
        forgetReferences()
        run = Run(direction: direction)
        return direction == .forward ? ["allThreadsContinued": true] : nil
    }

    func pause() throws -> Node? {
        guard let debugger else { throw AdapterFailure.noRecording }
        report(debugger.interrupt(), as: "pause")
        return nil
    }

    /// `cancel` of a progress stops the run. Other requests are answered before the next one is read.
    func cancel(_ request: AdapterRequest) throws -> Node? {
        if let id = try request.string("progressId"), id == run?.progressID { return try pause() }
        return nil
    }

    /// Does a bounded part of a run, of some ten milliseconds unless an expression is slow.
    ///
    /// - Parameter isInterrupted: Whether to stop the run, because a request to do so waits.
    func advance(isInterrupted: () -> Bool = { false }) {
        guard let debugger, isRunning else { return }
        do {
            let events = try debugger.advance(
                budget: budget,
                isInterrupted: isInterrupted,
                stops: { ids in
                    verify(ids)
                    return try ids.filter(isReasonToStop)
                }
            )
            report(events, as: "step")
            if case .stopped(let stop)? = events.first, stop.reason == .interrupted {
                // The event comes after the response to that request.
                return
            }
        } catch {
            let text = failure(for: error).text
            stopRun()
            say(text)
            sendStop("pause", text)
        }
        sendEvents()
    }

    /// Ends a run without a stop.
    func stopRun() {
        endProgress()
        _ = debugger?.interrupt()
        run = nil
    }

    /// Does something to the breakpoints. A run heeds them from there on.
    func changingBreakpoints(_ body: (Debugger) throws -> Node) throws -> Node {
        guard let debugger else { throw AdapterFailure.noRecording }
        let direction = run?.direction
        if direction != nil {
            for case .stopped(let stop) in debugger.interrupt() { run?.unknownCount += stop.unknownCount }
        }
        do {
            let answer = try body(debugger)
            if let direction {
                try findDivergences()
                _ = try debugger.perform(.run(direction))
            }
            return answer
        } catch {
            if direction != nil {
                stopRun()
                sendStop("pause", failure(for: error).text)
            }
            throw error
        }
    }

    // MARK: Events

    func report(_ events: [DebuggerEvent], as reason: String) {
        for event in events {
            switch event {
            case .running(let part): reportProgress(part)
            case .stopped(var stop):
                endProgress()
                stop.unknownCount += run?.unknownCount ?? 0
                run = nil
                if let unknown = stop.unknown { say(unknown) }
                report(stop, as: reason)
            case .grew, .ended, .dropped, .editsChanged: break
            }
        }
    }

    private func report(_ stop: DebuggerStop, as reason: String) {
        switch stop.reason {
        case .step, .command: sendStop(reason, "Position \(stop.position)\(computedMark)")
        case .interrupted: sendStop("pause", "Paused at \(stop.position)")
        case .start, .end: sendStop("step", stop.reason.edge ?? "")
        case .breakpoints(let ids):
            let hit = debugger?.hits ?? []
            let text = hit.prefix(3).map { brief($0.text) }.joined(separator: "; ")
            sendStop(hit.first.map(Self.reason) ?? "breakpoint", text, hit: ids)
        }
    }

    private static func reason(of breakpoint: Breakpoint) -> String {
        switch breakpoint.kind {
        case .action, .reducer: "function breakpoint"
        case .change, .turn: "data breakpoint"
        case .crash, .divergence: "exception"
        case .expression, .position: "breakpoint"
        }
    }

    func sendStop(_ reason: String, _ text: String, hit: [Int] = []) {
        send(
            "stopped",
            .members([
                "reason": .string(reason), "description": .string(text), "threadId": .int(presentThread),
                "allThreadsStopped": true,
                "text": reason == "exception" ? .string(text) : nil,
                "hitBreakpointIds": hit.isEmpty ? nil : .array(hit.prefix(100).map(Node.int)),
            ])
        )
    }

    private func reportProgress(_ part: Double) {
        guard reportsProgress, var present = run else { return }
        let now = ContinuousClock.now
        let percentage = Node.int(Int(min(max(part, 0), 1) * 100))
        if let id = present.progressID {
            guard now - present.lastReport >= min(progressDelay, .milliseconds(200)) else { return }
            send("progressUpdate", ["progressId": .string(id), "percentage": percentage])
        } else {
            guard now - present.lastReport >= progressDelay else { return }
            shownRuns += 1
            let id = "run \(shownRuns)"
            present.progressID = id
            let title = present.direction == .forward ? "Running on" : "Running back"
            send(
                "progressStart",
                ["progressId": .string(id), "title": .string(title), "cancellable": true, "percentage": percentage]
            )
        }
        present.lastReport = now
        run = present
    }

    func endProgress() {
        guard let id = run?.progressID else { return }
        send("progressEnd", ["progressId": .string(id)])
        run?.progressID = nil
    }

    // MARK: Crashes

    var isAtCrash: Bool { debugger?.isAtCrash ?? false }

    /// What follows the name of a position or a frame that was computed.
    var computedMark: String {
        guard let debugger, debugger.isComputed else { return "" }
        return ", " + ActionLine.computedNote(for: debugger.recording)
    }

    var crashText: String {
        guard let recording = debugger?.recording else { return "" }
        return EndingText(recording: recording, style: Style(isOn: false)).crash ?? "The process ended in this action."
    }

    func exceptionInfo() throws -> Node? {
        let debugger = try stopped()
        if isAtCrash {
            return ["exceptionId": "crash", "description": .string(crashText), "breakMode": "unhandled"]
        }
        guard debugger.divergences?.contains(where: { $0.seq == debugger.position.seq }) ?? false else {
            throw AdapterFailure("There is no exception at \(debugger.position).")
        }
        let text = "Today's reducers do something else in action \(debugger.position.seq) than was recorded."
        return ["exceptionId": "divergence", "description": .string(text), "breakMode": "always"]
    }
}
