import HindsightTree

/// A tool of the server: one of the commands, with named arguments and a schema.
struct ModelContextTool: Sendable {
    /// What a parameter takes, and the words of the command line that it becomes.
    struct Parameter: Sendable {
        enum Form: Sendable {
            /// A recording.
            case file
            /// A list of recordings; without it, all that the server may read.
            case recordings
            case positional
            case option(String)
            /// `--name` if true.
            case flag(String)
            /// One of some words, each of which is a flag.
            case oneFlag([String])
            /// A number from 1.
            case count(String)
            /// A list, of which each text is a value of the option.
            case options(String)
            /// The name of a file to write, in a directory that the server may read.
            case newFile(String)
            /// A list of `{position, KEY}`, of which each is `--name=position=KEY`.
            case changes(String, key: String)
            /// Whether long values are not shortened.
            case whole
        }

        let name: String
        let form: Form
        let isRequired: Bool
        let help: String

        init(_ name: String, _ form: Form, required: Bool = false, _ help: String) {
            (self.name, self.form, isRequired, self.help) = (name, form, required, help)
        }
    }

    let name: String
    let title: String
    let description: String
    /// The command that answers; `nil` for the one of the same name.
    var command: String?
    var writes = false
    /// The words before the recording, which the client does not choose.
    var leading: [String] = []
    /// Whether the command runs an app's reducers, which may give another answer each time.
    var runsReducers = false
    /// Whether the command lists actions, maybe very many: it runs until a page is full, and begins there for the next.
    var isList = false
    /// The member of the command's object that names the action in which the recorded process ended, if the command
    /// does not run that action.
    var notRun: String?
    let parameters: [Parameter]

    /// What `tools/list` says of it.
    var node: Node {
        let syntax = Tool.syntaxes.first { $0.name == command ?? name }
        let shape = syntax.map { " Answers with \($0.jsonShape.replacing("\n", with: " "))." } ?? ""
        return [
            "name": .string(name),
            "title": .string(title),
            "description": .string(description + shape),
            "inputSchema": schema,
            "annotations": [
                "title": .string(title), "readOnlyHint": .bool(!writes), "destructiveHint": false,
                "idempotentHint": .bool(!writes), "openWorldHint": false,
            ],
        ]
    }

    private var schema: Node {
        let help = "next of the last answer, for the page after it, with the same arguments."
        let cursor = Node.Member("cursor", ["type": "string", "description": .string(help)])
        let members = parameters.map { Node.Member($0.name, $0.schema) } + [cursor]
        return [
            "type": "object",
            "properties": .object(members),
            "required": .array(parameters.filter(\.isRequired).map { .string($0.name) }),
            "additionalProperties": false,
        ]
    }

    /// The words of the command line, after the command's name.
    ///
    /// - Parameters:
    ///   - arguments: The arguments that the client gave.
    ///   - path: Checks the name of a recording, and returns its path.
    ///   - newPath: The same for a file to write.
    ///   - all: The names of all recordings.
    /// - Throws: ``Failure`` that names the parameter, or the error of `path` or `newPath`.
    func words(
        _ arguments: Node,
        all: () -> [String],
        path: (_ name: String?) throws -> String,
        newPath: (_ name: String) throws -> String
    ) throws -> [String] {
        var (options, positionals): ([String], [String]) = ([], [])
        for parameter in parameters {
            let value = arguments[parameter.name] ?? .null
            switch parameter.form {
            case .file: positionals.append(try path(try parameter.fileName(value)))
            case .recordings:
                for element in try parameter.elements(value == .null ? .array(all().map(Node.string)) : value) {
                    positionals.append(try path(try parameter.fileName(element)))
                }
            case _ where value == .null: break
            case .newFile(let option):
                options.append("--\(option)=\(try newPath(try parameter.fileName(value) ?? ""))")
            case .positional: positionals.append(try parameter.text(value))
            default: options += try parameter.options(value)
            }
        }
        return options + ["--"] + leading + positionals
    }

    /// Whether long values of the answer are shortened.
    func shortens(_ arguments: Node) -> Bool {
        parameters.contains { parameter in
            if case .whole = parameter.form { arguments[parameter.name] ?? .null != true } else { false }
        }
    }

    /// Refuses arguments that the tool does not have, and names those that are missing.
    func check(_ arguments: Node) throws(Failure) {
        guard case .object(let members) = arguments else { throw Failure(.usage, "arguments must be an object.") }
        let known = parameters.map(\.name) + ["cursor"]
        for member in members where !known.contains(member.key) {
            throw Failure(
                .usage,
                "\(name) has no argument \(quote(String(member.key.prefix(80)))).",
                "It has \(known.joined(separator: ", "))."
            )
        }
        for parameter in parameters where parameter.isRequired && arguments[parameter.name] ?? .null == .null {
            throw Failure(.usage, "\(parameter.name) is missing: \(parameter.help)")
        }
    }
}

extension ModelContextTool.Parameter {
    fileprivate var schema: Node {
        let help = Node.string(help)
        switch form {
        case .file, .newFile: return ["type": "string", "description": help]
        case .positional, .option: return ["type": ["string", "integer"], "description": help]
        case .flag, .whole: return ["type": "boolean", "description": help]
        case .oneFlag(let words):
            return ["type": "string", "enum": .array(words.map(Node.string)), "description": help]
        case .count: return ["type": "integer", "minimum": 1, "description": help]
        case .options, .recordings:
            let item: Node = if case .recordings = form { ["type": "string"] } else { ["type": ["string", "integer"]] }
            return ["type": "array", "items": item, "maxItems": .int(Self.maxElements), "description": help]
        case .changes(_, let key):
            // An action is any JSON.
            let item: Node = [
                "type": "object",
                "properties": .object([.init("position", ["type": ["string", "integer"]]), .init(key, [:])]),
                "required": ["position", .string(key)],
            ]
            return ["type": "array", "items": item, "maxItems": .int(Self.maxElements), "description": help]
        }
    }

    /// The options of the command line.
    fileprivate func options(_ value: Node) throws -> [String] {
        switch form {
        case .file, .recordings, .newFile, .positional: return []
        case .whole:
            guard case .bool = value else { throw wrong("true or false") }
            return []
        case .option(let option): return ["--\(option)=\(try text(value))"]
        case .flag(let flag):
            guard case .bool(let isSet) = value else { throw wrong("true or false") }
            return isSet ? ["--\(flag)"] : []
        case .oneFlag(let words):
            guard case .string(let word) = value, words.contains(word) else {
                throw wrong(words.joined(separator: " or "))
            }
            return ["--\(word)"]
        case .count(let option):
            guard case .int(let number) = value, number > 0 else { throw wrong("a number from 1") }
            return ["--\(option)=\(number)"]
        case .options(let option):
            return try elements(value).map { "--\(option)=\(try text($0))" }
        case .changes(let option, let key):
            return try elements(value).map { element in
                guard let position = element["position"], let change = element[key] else {
                    throw wrong("a list of objects with position and \(key)")
                }
                // Another position is text, as the command has it; an action is JSON.
                let isAction = key == "action"
                // The command would take what follows for the path of a file.
                let place = try text(position)
                if isAction, place.contains("=@") { throw wrong("at positions without =@") }
                return "--\(option)=\(place)=\(isAction ? change.json : try text(change))"
            }
        }
    }

    /// The name of a recording; `nil` if there is none.
    fileprivate func fileName(_ value: Node) throws(Failure) -> String? {
        switch value {
        case .null: return nil
        case .string(let name): return name
        default: throw wrong("a text")
        }
    }

    private static let maxElements = 1_000

    /// A list; one value stands for a list of it.
    fileprivate func elements(_ value: Node) throws(Failure) -> [Node] {
        guard case .array(let elements) = value else { return [value] }
        guard elements.count <= Self.maxElements else { throw wrong("a list of at most 1,000 values") }
        return elements
    }

    fileprivate func text(_ value: Node) throws(Failure) -> String {
        switch value {
        case .string(let text) where !text.utf8.contains(0): return text
        case .int(let number): return "\(number)"
        case .number(let number): return number
        case .string: throw wrong("a text without the character U+0000")
        default: throw wrong("a text")
        }
    }

    private func wrong(_ expected: String) -> Failure {
        Failure(.usage, "\(name) must be \(expected).", help)
    }
}
