import HindsightDebugger
import HindsightSupport
import HindsightTree

/// What set a breakpoint. Each request replaces those of its kind; those on lines, of its file.
enum BreakpointSource: Hashable {
    case data, function, exception
    case lines(file: String)
}

extension DebugAdapter {
    /// Replaces the breakpoints of a request. One that cannot be set is answered with the reason.
    private func replace(
        _ source: BreakpointSource,
        with wanted: [Node],
        _ kind: (Node, Debugger) throws -> (kind: Breakpoint.Kind, note: String?)
    ) throws -> Node {
        try changingBreakpoints { debugger in
            let old = Set(breakpointIDs[source] ?? [])
            if !old.isEmpty { debugger.removeBreakpoints { old.contains($0.id) } }
            breakpointIDs[source] = nil
            var ids: [Int] = []
            let answers = wanted.map { one -> Node in
                do {
                    var condition: RecordingExpression?
                    if let text = one["condition"]?.stringValue, !text.isEmpty {
                        condition = try RecordingExpression(text)
                    }
                    var (kind, note) = try kind(one, debugger)
                    let breakpoint = try debugger.add(kind, if: condition)
                    ids.append(breakpoint.id)
                    let names = try debugger.unknownNames(of: breakpoint)
                    let remarks = try UnknownNamesText(names: names, recording: debugger.recording).remarks
                    note = note ?? remarks.first?.joined(separator: " ")
                    return .members([
                        "id": .int(breakpoint.id), "verified": .bool(note == nil), "message": note.map(Node.string),
                        "line": one["line"],
                    ])
                } catch {
                    return .members([
                        "verified": false, "message": .string(failure(for: error).text), "line": one["line"],
                    ])
                }
            }
            if !ids.isEmpty { breakpointIDs[source] = ids }
            return ["breakpoints": .array(answers)]
        }
    }

    // MARK: Functions

    /// `setFunctionBreakpoints`: names of reducers and types of actions, which `reducer NAME` and `action TYPE` tell
    /// apart.
    func setFunctionBreakpoints(_ request: AdapterRequest) throws -> Node {
        var types: Set<String>?
        return try replace(.function, with: request.list("breakpoints")) { one, debugger in
            let text = (one["name"]?.stringValue ?? "").trimmingSpaces
            if text.hasPrefix("reducer ") {
                return (.reducer(String(text.dropFirst("reducer ".count)).trimmingSpaces), nil)
            }
            if debugger.recording.reducers.contains(where: { $0.hasSameScalars(as: text) }) {
                return (.reducer(text), nil)
            }
            let type = text.hasPrefix("action ") ? String(text.dropFirst("action ".count)).trimmingSpaces : text
            guard !type.isEmpty else {
                throw AdapterFailure("A name of a reducer, or a type of an action, is missing.")
            }
            let known =
                types ?? Set(RecordedNames(of: debugger.recording, startingWith: "").values(of: .actionType).words)
            types = known
            if known.contains(type) || type.contains(".") { return (.action(type: type), nil) }
            let nearest = Suggestion.nearest(to: type, in: debugger.recording.reducers + known.sorted())
            let question = nearest.map { " Did you mean \(escape($0))?" } ?? ""
            return (.action(type: type), "No action of type \(brief(type)) was found so far.\(question)")
        }
    }

    // MARK: Lines

    /// `setBreakpoints`: stops after the actions that a line dispatched.
    func setBreakpoints(_ request: AdapterRequest) throws -> Node {
        let source = request.arguments["source"]
        guard let path = source?["path"]?.stringValue ?? source?["name"]?.stringValue,
            let name = path.split(separator: "/").last
        else { throw AdapterFailure("setBreakpoints needs a source with a path.") }
        return try replace(.lines(file: path), with: request.list("breakpoints")) { one, _ in
            guard let line = one["line"]?.intValue else { throw AdapterFailure("A breakpoint needs a line.") }
            // The folder of a recorded file is that of a module, and not the one on this machine.
            let end = "\(name):\(line &+ 1 &- firstLine)"
            let count = end.unicodeScalars.count + 1
            let text =
                "origin = \(Self.literal(end)) or substr(origin, -\(count)) = \(Self.literal("/" + end))"
            return (.expression(try RecordingExpression(text)), nil)
        }
    }

    private static func literal(_ text: String) -> String {
        var literal = String.UnicodeScalarView("'".unicodeScalars)
        for scalar in text.unicodeScalars {
            if scalar == "'" { literal.append(scalar) }
            literal.append(scalar)
        }
        literal.append("'")
        return String(literal)
    }

    // MARK: Exceptions

    func setExceptionBreakpoints(_ request: AdapterRequest) throws -> Node {
        let plain = request.list("filters").map { filter -> Node in ["filterId": filter] }
        let wanted = plain + request.list("filterOptions")
        return try replace(.exception, with: wanted) { one, _ in
            switch one["filterId"]?.stringValue {
            case "crash": return (.crash, nil)
            case "divergence": return (.divergence, nil)
            default: throw AdapterFailure("There is no such filter: crash and divergence are possible.")
            }
        }
    }

    // MARK: Data

    /// What stands before an expression in the number of a data breakpoint. A path has none.
    private static let expressionMark = "="
    /// The number of the whole state: an empty text means nothing to some clients.
    private static let wholeState = "''"

    func dataBreakpointInfo(_ request: AdapterRequest) throws -> Node? {
        let debugger = try stopped()
        let name = try request.require("name")
        if let reference = request.int("variablesReference"), reference > 0 {
            guard case .state(let path) = try references.container(reference) else {
                return ["dataId": .null, "description": "Only the state changes. Watch a value of the state."]
            }
            return info(path.appending(name))
        }
        if name == Self.wholeState { return info(NodePath()) }
        var frame = (try presentFrames()).first ?? nil
        if let id = request.int("frameId") { frame = try self.frame(id).frame }
        if let (container, _) = try value(named: name, in: frame), case .state(let path) = container {
            return info(path)
        }
        if let path = NodePath(name), !name.contains(where: { " =<>()'|+*".contains($0) }) { return info(path) }
        if try debugger.path(named: name) == nil, Self.isName(name) {
            return ["dataId": .null, "description": .string("There is no \(brief(name)) here.")]
        }
        let expression = try RecordingExpression(name)
        return [
            "dataId": .string(Self.expressionMark + expression.text), "accessTypes": ["write"], "canPersist": true,
            "description": .string("\(brief(expression.text)) becomes true, or stops being true"),
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
        try replace(.data, with: request.list("breakpoints")) { one, _ in
            guard let id = one["dataId"]?.stringValue else { throw AdapterFailure("A data breakpoint needs dataId.") }
            if id.hasPrefix(Self.expressionMark) {
                return (.turn(of: try RecordingExpression(String(id.dropFirst()))), nil)
            }
            if id == Self.wholeState { return (.change(of: NodePath()), nil) }
            guard let path = NodePath(id), !path.isRoot else {
                throw AdapterFailure("\(quote(id)) is no path. dataBreakpointInfo gives what may stand here.")
            }
            return (.change(of: path), nil)
        }
    }
}
