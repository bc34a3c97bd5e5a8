import HindsightDebugger
import HindsightSupport
import HindsightTree

extension DebugAdapter {
    /// The most variables in one answer.
    private static let maxVariables = 10_000
    /// An object with more members is listed like an array, so that clients read it in pages.
    private static let maxNamed = 300
    private static let usualText = ValueText(budget: 120, maxStringLength: 200)
    private static let longText = ValueText(budget: 4_000, maxStringLength: 20_000)
    private static let maxCopyLength = 1 << 20
    /// The changes beside which a name is looked for.
    private static let maxScopes = 100

    // MARK: Scopes

    func scopes(_ request: AdapterRequest) throws -> Node? {
        let debugger = try stopped()
        let (frame, isPresent) = try frame(try request.requireInt("frameId"))
        var scopes: [Node] = []
        if isPresent {
            scopes.append(scope("State", .state(NodePath()), try debugger.state(), hint: "locals"))
            let count = try debugger.changes()?.operations.count ?? 1
            scopes.append([
                "name": "Changes", "variablesReference": .int(references.reference(to: .changes)),
                "indexedVariables": .int(count), "namedVariables": 0, "expensive": false,
            ])
        }
        if let action = frame?.action {
            let container = ReferenceTable.Container.action(action.seq, NodePath())
            scopes.append(scope("Action", container, action.payload, hint: "arguments"))
        }
        return ["scopes": .array(scopes)]
    }

    private func scope(
        _ name: String,
        _ container: ReferenceTable.Container,
        _ value: Node?,
        hint: String
    ) -> Node {
        let base: [Node.Member] = [
            Node.Member("name", .string(name)), Node.Member("presentationHint", .string(hint)),
            Node.Member("variablesReference", .int(references.reference(to: container))),
            Node.Member("expensive", false),
        ]
        return .object(base + Self.counts(of: value ?? .null))
    }

    /// The numbers of children that clients need to read them in pages.
    private static func counts(of value: Node) -> [Node.Member] {
        switch value {
        case .array(let elements):
            [Node.Member("indexedVariables", .int(elements.count)), Node.Member("namedVariables", 0)]
        case .object(let members) where members.count > maxNamed:
            [Node.Member("indexedVariables", .int(members.count)), Node.Member("namedVariables", 0)]
        case .object(let members):
            [Node.Member("namedVariables", .int(members.count)), Node.Member("indexedVariables", 0)]
        default: []
        }
    }

    // MARK: Variables

    func variables(_ request: AdapterRequest) throws -> Node? {
        let debugger = try stopped()
        let container = try references.container(try request.requireInt("variablesReference"))
        let start = max(0, try request.int("start") ?? 0)
        let count = max(0, try request.int("count") ?? 0)
        let end = start &+ min(count == 0 ? Self.maxVariables : count, Self.maxVariables)
        let range = start..<max(start, end)
        let filter = try request.string("filter")
        switch container {
        case .changes: return ["variables": .array(filter == "named" ? [] : try changes(in: range))]
        case .state(let path), .action(_, let path):
            return ["variables": .array(try children(of: container, at: path, in: debugger, range, filter))]
        }
    }

    private func children(
        of container: ReferenceTable.Container,
        at path: NodePath,
        in debugger: Debugger,
        _ range: Range<Int>,
        _ filter: String?
    ) throws -> [Node] {
        var seq: Int?
        if case .action(let number, _) = container { seq = number }
        guard let root = try debugger.root(ofAction: seq), let value = root[path] else {
            let isTravel = try seq.map { try debugger.recording.action($0).isTravel } ?? false
            let what =
                seq == nil
                ? "The state here was not recorded."
                : isTravel ? "Time travel is no action of the app." : "The action could not be recorded."
            return [["name": "(unknown)", "value": .string(what), "variablesReference": 0]]
        }
        let isIndexed = Self.counts(of: value).first?.key == "indexedVariables"
        if let filter, (filter == "indexed") != isIndexed { return [] }
        if path.isRoot, Self.counts(of: value).isEmpty {
            // A state that is a single value.
            return [variable("value", value, container, isChanged: false)]
        }
        let variables = try debugger.variables(ofAction: seq, at: path, range: range) ?? []
        return variables.map { child in
            let inner: ReferenceTable.Container = seq.map { .action($0, child.path) } ?? .state(child.path)
            return variable(child.name, child.value, inner, isChanged: child.isChanged)
        }
    }

    private func variable(
        _ name: String,
        _ value: Node,
        _ container: ReferenceTable.Container,
        isChanged: Bool
    ) -> Node {
        var attributes: [Node] = isChanged ? ["changed"] : []
        var evaluateName: Node?
        if case .state(let path) = container {
            attributes.append("readOnly")
            evaluateName = .string(path.isRoot ? "" : path.description)
        }
        let type = Self.type(of: value) + (isChanged ? ", changed" : "") + mark(of: container)
        let first = Node.members([
            "name": .string(brief(name)), "value": .string(Self.usualText.text(of: value)), "type": .string(type),
            "evaluateName": evaluateName,
            "presentationHint": attributes.isEmpty ? nil : ["attributes": .array(attributes)],
        ])
        return expandable(first, value, container)
    }

    /// Adds what a client needs to expand a value.
    private func expandable(_ node: Node, _ value: Node, _ container: ReferenceTable.Container) -> Node {
        guard case .object(let members) = node else { return node }
        let counts = Self.counts(of: value)
        let isEmpty = counts.allSatisfy { $0.value.intValue == 0 }
        let reference = isEmpty ? 0 : references.reference(to: container)
        return .object(members + [Node.Member("variablesReference", .int(reference))] + counts)
    }

    /// What follows the type of a value that was computed, and not recorded, or that is doubtful.
    private func mark(of container: ReferenceTable.Container?) -> String {
        if case .action = container { return "" }
        guard let debugger else { return "" }
        if debugger.isComputed { return ", computed" }
        return debugger.recording.doubtfulStates(at: debugger.position) == nil ? "" : ", doubtful"
    }

    private static func type(of value: Node) -> String {
        switch value {
        case .null: "null"
        case .bool: "boolean"
        case .int: "integer"
        case .number: "number"
        case .string: "string"
        case .data: "data"
        case .array: "array"
        case .object: "object"
        }
    }

    // MARK: Changes

    private func changes(in range: Range<Int>) throws -> [Node] {
        let debugger = try stopped()
        guard let changes = try debugger.changes() else {
            return [["name": "(unknown)", "value": "What it changed was not recorded.", "variablesReference": 0]]
        }
        let all = changes.steps.flatMap { step in (step.patch?.operations ?? []).map { (step.reducer, $0) } }
        return range.clamped(to: all.indices).map { index in
            let (number, operation) = all[index]
            let reducer = number == 0 ? "" : debugger.recording.name(ofReducer: number) ?? "?"
            let path = operation.path.description
            return [
                "name": .string("\(index)  \(brief(path.isEmpty ? "(whole)" : path))"),
                "value": .string(Self.text(of: operation)), "type": .string(brief(reducer)),
                "evaluateName": .string(path), "variablesReference": 0,
            ]
        }
    }

    private static func text(of operation: Patch.Operation) -> String {
        let text = ValueText(budget: 80, maxStringLength: 100)
        switch operation {
        case .add(_, let value, _): return "added \(text.text(of: value))"
        case .remove(_, let old, _): return "removed \(text.text(of: old))"
        case .replace(_, let old, let new):
            let (left, right) = text.texts(of: old, new)
            return "\(left) → \(right)"
        case .splice(_, let at, let remove, let insert):
            return "at \(at): \(text.text(of: .array(remove))) → \(text.text(of: .array(insert)))"
        case .edit(_, let at, let remove, let insert):
            return "at byte \(at): \(text.text(of: remove)) → \(text.text(of: insert))"
        }
    }

    // MARK: Evaluation

    func evaluate(_ request: AdapterRequest) throws -> Node? {
        _ = try stopped()
        let text = try request.require("expression").trimmingSpaces
        let context = try request.string("context") ?? ""
        if context == "repl", let result = try perform(console: text) {
            return ["result": .string(result), "variablesReference": 0]
        }
        let (frame, isPresent) = try frame(of: request)
        guard isPresent else {
            throw AdapterFailure("Values are known at the top frames. Use goto to be at this action.")
        }
        return try evaluate(text, in: frame, context)
    }

    /// The commands of the console, beside what can be evaluated.
    static let consoleCommands = ["goto ", "checkout "] + ExperimentWord.allCases.map { $0.rawValue + " " }

    /// The seconds that an experiment may take: an editor waits for the answer.
    private static let experimentSeconds = 20

    /// `goto P`, `checkout N`, which goes to a branch, 0 being the recording itself, and the experiments.
    ///
    /// - Returns: Where it is, or what an experiment has found; `nil` if the text is no command.
    private func perform(console text: String) throws -> String? {
        let words = text.split(separator: " ", maxSplits: 1).map(String.init)
        // A member of the state that has the name of an experiment is shown.
        let isName = try words.count == 1 && value(named: text, in: nil, isHover: false) != nil
        if !isName, let word = words.first.flatMap(ExperimentWord.init) {
            return try experiment(word, words.count > 1 ? words[1].trimmingSpaces : "")
        }
        guard let command = Self.consoleCommands.first(where: text.hasPrefix) else { return nil }
        let debugger = try stopped()
        let name = String(text.dropFirst(command.count)).trimmingSpaces
        if command == "goto " {
            try perform(.go(try debugger.position(named: name)), as: "goto")
            return "\(debugger.position)"
        }
        guard let branch = debugger.branches.first(where: { name == "\($0.id)" || name.hasSameScalars(as: $0.name) })
        else {
            let known = debugger.branches.map { "\($0.id) (\(brief($0.name)))" }
            throw AdapterFailure("There is no branch \(quote(name)). There are \(known.joined(separator: ", ")).")
        }
        try perform(.checkout(branch: branch.id), as: "goto")
        return "\(brief(branch.name)), at \(debugger.position)"
    }

    private func experiment(_ word: ExperimentWord, _ rest: String) throws -> String {
        if rest.isEmpty, let needed = word.needs { throw AdapterFailure("\(word.rawValue) needs \(needed).") }
        let debugger = try stopped()
        noteFile()
        try openedFile?.check(for: debugger)
        let command = try word.command(rest, at: debugger.position, of: debugger.recording, in: tool)
        let options = ["--color=never"] + (word.hasBudget ? ["--budget=\(Self.experimentSeconds)"] : [])
        let words: [String] = [command[0]] + options + command.dropFirst()
        let (code, lines, notes) = try tool.lines(of: words, "Running", isStopped: isStopped)
        guard !lines.isEmpty else { throw AdapterFailure(Tool.failure(code, notes).lines.joined(separator: " ")) }
        return lines.joined(separator: "\n")
    }

    /// The body of the answer to `evaluate`.
    func evaluate(_ text: String, in frame: StackFrame?, _ context: String) throws -> Node {
        let debugger = try stopped()
        if let (container, value) = try value(named: text, in: frame, isHover: context == "hover") {
            return answer(value, container, context)
        }
        // Moving the mouse over a word starts no process.
        if context != "hover" {
            let reader = StateReader(of: debugger.recording, tool)
            let change = openedFile?.lastChange
            if let (path, state, isComputed) = try debugger.computedPlace(text, by: reader, unless: change) {
                guard let value = state[path] else { throw Self.nothing(at: path) }
                return answer(value, nil, context, isComputed: isComputed)
            }
        }
        // Other names would be columns of an expression: the type of an action, for a property of the same name.
        if context == "hover", Self.isName(text) { throw AdapterFailure("There is no \(brief(text)) here.") }
        switch try debugger.evaluate(text) {
        case .value(let path, let value): return answer(value, .state(path), context)
        case .missing(let path): throw Self.nothing(at: path)
        case .result(let value): return answer(value, nil, context)
        case .truth(let truth):
            let type: Node? = truth == .yes || truth == .no ? .string("boolean\(mark(of: nil))") : nil
            return .members(["result": .string(truth.answer), "type": type, "variablesReference": 0])
        }
    }

    private static func nothing(at path: NodePath) -> AdapterFailure {
        AdapterFailure("There is nothing at \(escape(path.description)) here.")
    }

    /// - Parameters:
    ///   - container: Where the value is; `nil` for the result of an expression, or for a computed state.
    ///   - isComputed: Whether the value was computed for this answer.
    private func answer(
        _ value: Node,
        _ container: ReferenceTable.Container?,
        _ context: String,
        isComputed: Bool = false
    ) -> Node {
        if context == "clipboard" {
            let json = escapeLines(value.prettyJSON())
            let text = json.cut(to: Self.maxCopyLength).map { "\($0.start)…" } ?? json
            return ["result": .string(text), "variablesReference": 0]
        }
        let text = (context == "watch" ? Self.usualText : Self.longText).text(of: value)
        let type = Self.type(of: value) + (isComputed ? ", computed" : mark(of: container))
        guard let container else {
            return ["result": .string(text), "type": .string(type), "variablesReference": 0]
        }
        return expandable(["result": .string(text), "type": .string(type)], value, container)
    }

    /// The value that a path or a name means in a frame; `nil` if there is none.
    ///
    /// Names are looked for at the path that the reducer's name is (`cart.totals`), around it, in the state as a whole,
    /// beside what the step changed, and in the action, in this order. In a hover, the first parts of a Swift
    /// expression may stand for the state: `store.state.cart`.
    func value(named text: String, in frame: StackFrame?, isHover: Bool = false) throws -> (
        ReferenceTable.Container, Node
    )? {
        let debugger = try stopped()
        let state = try debugger.state()
        if let path = NodePath(text), let value = state?[path] { return (.state(path), value) }
        var name = text
        while true {
            if let found = try member(name, in: frame, state) { return found }
            guard isHover, let dot = name.firstIndex(of: ".") else { return nil }
            name = String(name[name.index(after: dot)...])
        }
    }

    private func member(_ name: String, in frame: StackFrame?, _ state: Node?) throws -> (
        ReferenceTable.Container, Node
    )? {
        let debugger = try stopped()
        if let state {
            for scope in try scopes(of: frame, state) {
                if let path = try debugger.path(named: name, in: scope), scope.contains(path), let value = state[path] {
                    return (.state(path), value)
                }
            }
        }
        guard let action = frame?.action, let payload = action.payload else { return nil }
        let names = name.split(separator: ".").map(String.init)
        var bases = [NodePath()]
        // The payload of an enum's case is one level down.
        if case .object(let members) = payload, members.count == 1 { bases.append(NodePath([members[0].key])) }
        for base in bases {
            let path = NodePath(base.components + names)
            if !names.isEmpty, let value = payload[path] { return (.action(action.seq, path), value) }
        }
        return nil
    }

    /// The values in which a name is looked for, in order.
    func scopes(of frame: StackFrame?, _ state: Node) throws -> [NodePath] {
        var scopes: [NodePath] = []
        if let frame, case .reducer(_, let name) = frame.kind {
            let parts = name.split(separator: ".").map(String.init)
            for count in stride(from: parts.count, to: 0, by: -1) {
                let path = NodePath(Array(parts.prefix(count)))
                if state[path] != nil { scopes.append(path) }
            }
        }
        scopes.append(NodePath())
        for operation in (try debugger?.changes()?.operations ?? []).prefix(Self.maxScopes) {
            let around = NodePath(operation.path.components.dropLast())
            if scopes.last != around { scopes.append(around) }
        }
        return scopes
    }
}
