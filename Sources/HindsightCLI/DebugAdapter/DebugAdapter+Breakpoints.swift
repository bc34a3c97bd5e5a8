import HindsightDebugger
import HindsightSupport
import HindsightTree

/// What set a breakpoint. Each request replaces those of its kind; those on lines, of its file.
enum BreakpointSource: Hashable {
    case data, function, exception
    case lines(file: String)
}

extension DebugAdapter {
    /// What to look for, and what to tell the client about it.
    private struct Target {
        let kind: Breakpoint.Kind
        /// Why it may never hit, or where it moved.
        var note: String?
        /// The line to which it moved.
        var line: Int?
    }

    /// Replaces the breakpoints of a request. One that cannot be set is answered with the reason.
    private func replace(
        _ source: BreakpointSource,
        with wanted: [Node],
        of request: AdapterRequest,
        _ target: (AdapterRequest, Debugger) throws -> Target
    ) throws -> Node {
        try changingBreakpoints { debugger in
            let old = Set(breakpointIDs[source] ?? [])
            // Clients send all of a kind again, those that count hits included.
            var counts: [String: Int] = [:]
            for id in old {
                if let rule = breakpointRules.removeValue(forKey: id) { counts[rule.text] = rule.count }
            }
            if !old.isEmpty { debugger.removeBreakpoints { old.contains($0.id) } }
            breakpointIDs[source] = nil
            unverifiedBreakpoints.subtract(old)
            var ids: [Int] = []
            let answers = wanted.map { node -> Node in
                do {
                    let one = AdapterRequest(request.command, node)
                    var condition: RecordingExpression?
                    if let text = try one.string("condition"), !text.isEmpty {
                        condition = try debugger.expression(text)
                    }
                    let rule = try BreakpointRule(of: one)
                    let target = try target(one, debugger)
                    let breakpoint = try debugger.add(target.kind, if: condition)
                    ids.append(breakpoint.id)
                    if var rule {
                        rule.text += breakpoint.text
                        rule.count = counts[rule.text] ?? 0
                        breakpointRules[breakpoint.id] = rule
                    }
                    let names = try debugger.unknownNames(of: breakpoint)
                    let remarks = try names.remarks(in: debugger.recording)
                    let redacted = try debugger.redactedPaths(of: breakpoint).first
                    let note =
                        target.note ?? remarks.first?.joined(separator: " ")
                        ?? redacted.map(RedactionText.line)
                    let isVerified = target.note == nil && names.isEmpty || target.line != nil
                    if !isVerified { unverifiedBreakpoints.insert(breakpoint.id) }
                    return .members([
                        "id": .int(breakpoint.id), "verified": .bool(isVerified),
                        "message": note.map(Node.string), "line": target.line.map(Node.int) ?? node["line"],
                    ])
                } catch {
                    return .members([
                        "verified": false, "message": .string(failure(for: error).text), "line": node["line"],
                    ])
                }
            }
            if !ids.isEmpty { breakpointIDs[source] = ids }
            return ["breakpoints": .array(answers)]
        }
    }

    /// Replaces the rules that expressions may name, and tells the client which breakpoints name one that is gone, or is
    /// back.
    func replaceRules(of debugger: Debugger, by rules: RuleBook) {
        for (id, error) in debugger.replaceRules(by: rules) {
            guard let error else {
                verify([id])
                continue
            }
            unverifiedBreakpoints.insert(id)
            let message = Node.string(failure(for: error).text)
            send(
                "breakpoint",
                [
                    "reason": "changed", "breakpoint": ["id": .int(id), "verified": false, "message": message],
                ]
            )
        }
    }

    /// Tells the client which of some breakpoints that hit were not verified before.
    func verify(_ ids: [Int]) {
        for id in ids where unverifiedBreakpoints.remove(id) != nil {
            send("breakpoint", ["reason": "changed", "breakpoint": ["id": .int(id), "verified": true]])
        }
    }

    // MARK: Functions

    /// `setFunctionBreakpoints`: names of reducers and types of actions, which `reducer NAME` and `action TYPE` tell
    /// apart.
    func setFunctionBreakpoints(_ request: AdapterRequest) throws -> Node {
        var types: Set<String>?
        return try replace(.function, with: request.list("breakpoints"), of: request) { one, debugger in
            let text = (try one.string("name") ?? "").trimmingSpaces
            if text.hasPrefix("reducer ") {
                return Target(kind: .reducer(String(text.dropFirst("reducer ".count)).trimmingSpaces))
            }
            if debugger.recording.reducers.contains(where: { $0.hasSameScalars(as: text) }) {
                return Target(kind: .reducer(text))
            }
            let type = text.hasPrefix("action ") ? String(text.dropFirst("action ".count)).trimmingSpaces : text
            guard !type.isEmpty else {
                throw AdapterFailure("A name of a reducer, or a type of an action, is missing.")
            }
            let known =
                types ?? Set(RecordedNames(recording: debugger.recording, start: "").values(of: .actionType))
            types = known
            if known.contains(type) || type.contains(".") { return Target(kind: .action(type: type)) }
            let question = Suggestion.question(type, in: debugger.recording.reducers + known.sorted())
            let note = ["No action of type \(brief(type)) was found so far."] + question
            return Target(kind: .action(type: type), note: note.joined(separator: " "))
        }
    }

    // MARK: Lines

    /// The farthest line to which a breakpoint moves: a call that dispatches may have several lines.
    private static let maxMove = 10

    /// `setBreakpoints`: stops after the actions that a line dispatched.
    func setBreakpoints(_ request: AdapterRequest) throws -> Node {
        let path = try path(of: request)
        let name = brief(FileSystem.name(of: path))
        let lines = try readDispatchedLines()
        let files = sources.files(lines.files, at: path)
        return try replace(.lines(file: path), with: request.list("breakpoints"), of: request) { one, _ in
            let line = try one.requireInt("line") &+ 1 &- firstLine
            if let found = lines.nearest(to: line, in: files) {
                if found == line { return Target(kind: try Self.dispatches(at: line, in: files)) }
                // A live recording may dispatch at the line itself later.
                if !isLive, (found &- line).magnitude <= Self.maxMove {
                    let note = "No action was dispatched at \(name):\(line). Line \(found) is the nearest that did."
                    return Target(kind: try Self.dispatches(at: found, in: files), note: note, line: shown(line: found))
                }
                let note = "No action was dispatched at \(name):\(line) so far. The nearest line that did is \(found)."
                guard isLive else { throw AdapterFailure(note) }
                return Target(kind: try Self.dispatches(at: line, in: files), note: note)
            }
            let note = "No action was dispatched in \(name) so far."
            guard isLive else { throw AdapterFailure(note) }
            return Target(kind: try Self.dispatches(at: line, in: sources.possibleFiles(at: path)), note: note)
        }
    }

    /// The path of the source of a request.
    func path(of request: AdapterRequest) throws -> String {
        let source = AdapterRequest(request.command, request.arguments["source"] ?? [:])
        guard let path = try source.string("path") ?? source.string("name"), path.contains(where: { $0 != "/" }) else {
            throw AdapterFailure("\(request.command) needs a source with a path.")
        }
        return path
    }

    /// The actions that a line of a file, by the names that the recording may have for it, dispatched.
    private static func dispatches(at line: Int, in files: [String]) throws -> Breakpoint.Kind {
        let origins = files.map { "origin = \(RecordingExpression.literal("\($0):\(line)"))" }
        return .expression(try RecordingExpression(origins.joined(separator: " or ")))
    }

    // MARK: Exceptions

    func setExceptionBreakpoints(_ request: AdapterRequest) throws -> Node {
        let plain = try request.list("filters").map { filter -> Node in ["filterId": filter] }
        let wanted = plain + (try request.list("filterOptions"))
        return try replace(.exception, with: wanted, of: request) { one, _ in
            switch try one.string("filterId") {
            case "crash": return Target(kind: .crash)
            case "divergence": return Target(kind: .divergence)
            default: throw AdapterFailure("There is no such filter: crash and divergence are possible.")
            }
        }
    }

    // MARK: Data

    /// What stands before an expression in the number of a data breakpoint. A path has none.
    private static let expressionMark = "="
    /// The number of the whole state: an empty text means nothing to some clients.
    private static let wholeState = "''"

    /// The path of a child that the editor names as it was shown: escaped, and cut if it is long.
    func child(_ name: String, of path: NodePath, inAction seq: Int? = nil, _ debugger: Debugger) throws -> NodePath {
        let children = try debugger.variables(ofAction: seq, at: path) ?? []
        let found = children.first { $0.name.hasSameScalars(as: name) } ?? children.first { brief($0.name) == name }
        return found?.path ?? path.appending(name)
    }

    func dataBreakpointInfo(_ request: AdapterRequest) throws -> Node? {
        let debugger = try stopped()
        let name = try request.require("name")
        if let reference = try request.int("variablesReference"), reference > 0 {
            guard case .state(let path) = try references.container(reference) else {
                return ["dataId": .null, "description": "Only the state changes. Watch a value of the state."]
            }
            return info(try child(name, of: path, debugger))
        }
        if name == Self.wholeState { return info(NodePath()) }
        let frame = try frame(of: request).frame
        if let (container, _) = try value(named: name, in: frame), case .state(let path) = container {
            return info(path)
        }
        if let path = Debugger.pointer(name) { return info(path) }
        if try debugger.path(named: name) == nil, Self.isName(name) {
            return ["dataId": .null, "description": .string("There is no \(brief(name)) here.")]
        }
        let expression = try debugger.expression(name)
        return [
            "dataId": .string(Self.expressionMark + expression.text), "accessTypes": ["write"], "canPersist": true,
            "description": .string(
                brief(expression.text) + (expression.isCondition ? " becomes true, or stops being true" : " changes")
            ),
        ]
    }

    /// Whether a text is a name such as `cart.lines[0]`, or a number.
    static func isName(_ text: String) -> Bool {
        text.allSatisfy { $0.isLetter || $0.isNumber || "._[]".contains($0) }
    }

    private func info(_ path: NodePath) -> Node {
        let text = path.isRoot ? Self.wholeState : path.description
        return [
            "dataId": .string(text), "description": .string("\(brief(text)) changes"), "accessTypes": ["write"],
            "canPersist": true,
        ]
    }

    func setDataBreakpoints(_ request: AdapterRequest) throws -> Node {
        try replace(.data, with: request.list("breakpoints"), of: request) { one, debugger in
            let id = try one.require("dataId")
            if id.hasPrefix(Self.expressionMark) {
                return Target(kind: .turn(of: try debugger.expression(String(id.dropFirst()))))
            }
            if id == Self.wholeState { return Target(kind: .change(of: NodePath())) }
            guard let path = NodePath(id), !path.isRoot else {
                throw AdapterFailure("\(quote(id)) is no path. dataBreakpointInfo gives what may stand here.")
            }
            return Target(kind: .change(of: path))
        }
    }
}
