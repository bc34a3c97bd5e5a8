import Foundation
import HindsightRecording
import HindsightSupport
import HindsightTree

/// Runs the calls of tools, and lays their answers out in pages.
final class ModelContextCalls {
    let tools: [ModelContextTool]
    private let tool: Tool
    private let places: ModelContextPlaces
    /// The seconds that a process of its own may run.
    private let seconds: Double
    /// The answers of the last processes, for the pages after the first.
    private var kept: [(words: [String], result: ModelContextChild.Result)] = []
    private static let mostKept = 4

    init(_ tool: Tool, _ places: ModelContextPlaces, seconds: Double, allowsWrites: Bool) {
        (self.tool, self.places, self.seconds) = (tool, places, seconds)
        tools = ModelContextTool.all(allowingWrites: allowsWrites)
    }

    /// The result of a call: its content, and whether it failed.
    ///
    /// - Throws: ``ModelContextChild/ClientGone`` alone.
    func result(of called: ModelContextTool, _ arguments: Node) throws -> Node {
        let (text, isError) = try answer(of: called, arguments)
        return ["content": [["type": "text", "text": .string(text)]], "isError": .bool(isError)]
    }

    private func answer(of called: ModelContextTool, _ arguments: Node) throws -> (String, isError: Bool) {
        do {
            try called.check(arguments)
            let cursor = try cursor(in: arguments)
            if called.name == "info", arguments["file"] ?? .null == .null { return list(from: cursor) }
            let file = try places.path(of: try name(in: arguments))
            var words = try called.words(arguments, file: file)
            if called.name == "log", cursor.index > 0 {
                // After the last action, only remarks were left.
                guard cursor.index <= (try Recording(at: URL(filePath: file)).actionCount) else {
                    return (text(called, outcome: "ok", .lines([]), nil, []), false)
                }
                words.removeAll { $0.hasPrefix("--from=") }
                words.insert("--from=\(cursor.index)", at: 0)
            }
            switch called.work {
            case .state:
                return run(called, cursor) { try self.printState(in: $0, file, arguments, from: cursor) }
            case .apart where tool.isProcess:
                return try runApart(called, words, cursor)
            case .command, .apart:
                return run(called, cursor) { $0.run([called.name, "--json"] + words) }
            }
        } catch let gone as ModelContextChild.ClientGone {
            throw gone
        } catch {
            let failure = Messages.failure(for: error, tool: tool.name)
            return (text(called, outcome: outcome(failure.code), nil, nil, failure.lines), true)
        }
    }

    private func name(in arguments: Node) throws(Failure) -> String? {
        switch arguments["file"] ?? .null {
        case .null: return nil
        case .string(let name): return name
        default: throw Failure(.usage, "file must be a text.")
        }
    }

    private func cursor(in arguments: Node) throws(Failure) -> ModelContextCursor {
        switch arguments["cursor"] ?? .null {
        case .null: return ModelContextCursor()
        case .string(let text):
            if let cursor = ModelContextCursor(text) { return cursor }
        default: break
        }
        throw Failure(.usage, "cursor is not one that this server gave.", "Take next of the last answer as it is.")
    }

    // MARK: Running

    private func run(
        _ called: ModelContextTool,
        _ cursor: ModelContextCursor,
        _ work: (Tool) throws -> ExitCode
    ) -> (String, isError: Bool) {
        let capture = ModelContextCapture(from: cursor.offset)
        let captured = capture.tool(like: tool)
        var code: ExitCode
        do {
            code = try work(captured)
        } catch {
            code = captured.report(Messages.failure(for: error, tool: tool.name))
        }
        captured.console.finish()
        if capture.isCut { code = .fine }
        return page(called, cursor, (capture.bytes, capture.isCut), outcome(code), capture.errors)
    }

    /// Runs a command in a process of its own.
    private func runApart(
        _ called: ModelContextTool,
        _ words: [String],
        _ cursor: ModelContextCursor
    ) throws -> (String, isError: Bool) {
        var all = [called.name, "--json"] + words
        if ["whatif", "verify"].contains(called.name) { all.insert("--timeout=\(seconds)", at: 1) }
        let result: ModelContextChild.Result
        if cursor != ModelContextCursor(), let known = kept.last(where: { $0.words == all }) {
            result = known.result
        } else {
            result = try ModelContextChild.run(all, of: tool, seconds: seconds)
            kept.removeAll { $0.words == all }
            kept.append((all, result))
            if kept.count > Self.mostKept { kept.removeFirst() }
        }
        let rest = result.output.dropFirst(cursor.offset)
        let part = Array(rest.prefix(ModelContextCapture.most))
        let ending = result.isTimedOut ? "timed out" : outcome(result.code)
        return page(called, cursor, (part, rest.count > part.count), ending, result.errors)
    }

    // MARK: Pages

    private func page(
        _ called: ModelContextTool,
        _ cursor: ModelContextCursor,
        _ output: (bytes: [UInt8], isCut: Bool),
        _ outcome: String,
        _ errors: [UInt8]
    ) -> (String, isError: Bool) {
        let page = ModelContextPage(output.bytes, isCut: output.isCut, isInside: cursor.isInside)
        let next = page.next(after: cursor) { lines, cursor in
            switch called.name {
            case "log":
                // Lines about the whole list have no number.
                guard case .int(let seq)? = lines.last?["seq"] else { return nil }
                return seq + 1
            case "state":
                return cursor.offset == 0 ? cursor.index + lines.count : nil
            default:
                return nil
            }
        }
        let messages = String(decoding: errors, as: UTF8.self).split(separator: "\n").map { line in
            line.hasPrefix("error: ") ? String(line.dropFirst("error: ".count)) : String(line)
        }
        let isError = !["ok", "differs", "crashed"].contains(outcome)
        return (text(called, outcome: outcome, page.content, next, messages), isError)
    }

    private func text(
        _ called: ModelContextTool,
        outcome: String,
        _ content: ModelContextPage.Content?,
        _ next: ModelContextCursor?,
        _ messages: [String]
    ) -> String {
        var members: [Node.Member] = [
            .init(
                "hindsight",
                [
                    "tool": .string(called.name), "outcome": .string(outcome),
                    "next": .optional(next.map { .string("\($0)") }),
                ]
            )
        ]
        switch content {
        case .lines(let lines)?: members.append(.init("recorded", .array(lines)))
        case .fragment(let text)?: members.append(.init("fragment", .string(text)))
        case nil: break
        }
        if !messages.isEmpty { members.append(.init("messages", .array(messages.map { .string(brief($0)) }))) }
        return printable(.object(members))
    }

    private func outcome(_ code: ExitCode) -> String {
        switch code {
        case .fine: "ok"
        case .difference: "differs"
        case .usage: "bad request"
        case .badFile: "unreadable"
        case .doesNotFit: "needs the app"
        case .crash: "crashed"
        case .nothingCompared: "nothing compared"
        default: "failed"
        }
    }

    // MARK: Answers that no command has

    /// Lists the recordings of the places.
    private func list(from cursor: ModelContextCursor) -> (String, isError: Bool) {
        run(ModelContextTool.info, cursor) { captured in
            for path in places.recordings() where captured.console.isOpen {
                let bytes = Node.int(Int(FileSystem.size(of: path)))
                captured.console.print(printable(["file": .string(places.name(of: path)), "bytes": bytes]))
            }
            return .fine
        }
    }

    /// Prints a state, or its members if it is long.
    private func printState(
        in captured: Tool,
        _ file: String,
        _ arguments: Node,
        from cursor: ModelContextCursor
    ) throws -> ExitCode {
        // The command's own syntax reads the arguments.
        let words = try ModelContextTool.state.words(arguments, file: file)
        let parsed = try Parser(syntax: JumpCommand.syntax).parse(words + (words.last == file ? ["end"] : []))
        let reader = StateReader(of: try captured.open(file), captured)
        let text = try parsed.require(JumpCommand.position)
        let position = try reader.position(text)
        reader.noteEarlyEnd(at: text)
        let answer = try reader.state(at: position)
        if answer.isComputed { reader.noteComputed(position.description) } else { reader.noteDoubt(at: position) }
        let path = try parsed[SharedArguments.path] ?? NodePath()
        let outline = StateOutline(path: path, node: try captured.part(of: answer.state, at: path, text))
        outline.print(from: cursor.index, to: captured.console)
        return .fine
    }
}

/// A state that is printed by member if it is long.
struct StateOutline {
    let path: NodePath
    let node: Node

    /// The longest value of a member that is printed, in bytes.
    private static let longest = 500
    private static let longestWhole = ModelContextCapture.most - 200

    /// - Parameter first: The member to begin with.
    func print(from first: Int, to console: Console) {
        let whole = node.json
        if whole.utf8.count <= Self.longestWhole { return line(path, [.init("value", node)], console) }
        switch node {
        case .array(let elements):
            if first == 0 { console.note("This array has \(Quantities.counted(elements.count, "element")).") }
            for index in elements.indices.dropFirst(first) where console.isOpen {
                member("\(index)", elements[index], console)
            }
        case .object(let members):
            if first == 0 { console.note("This object has \(Quantities.counted(members.count, "member")).") }
            for member in members.dropFirst(first) where console.isOpen {
                self.member(member.key, member.value, console)
            }
        default:
            line(path, [.init("value", node)], console)
        }
    }

    private func member(_ key: String, _ value: Node, _ console: Console) {
        // The members of a part at an open path are whole paths.
        let isOpen = path.components.contains { $0.contains("*") }
        let place = isOpen ? NodePath(key) ?? path : path.appending(key)
        let json = value.json
        guard json.utf8.count > Self.longest else { return line(place, [.init("value", value)], console) }
        let (kind, count): (String, Int) =
            switch value {
            case .array(let elements): ("array", elements.count)
            case .object(let members): ("object", members.count)
            case .string(let text): ("string", text.utf8.count)
            case .data(let bytes): ("data", bytes.count)
            default: ("number", json.utf8.count)
            }
        line(
            place,
            [.init("kind", .string(kind)), .init("count", .int(count)), .init("bytes", .int(json.utf8.count))],
            console
        )
    }

    private func line(_ path: NodePath, _ members: [Node.Member], _ console: Console) {
        console.print(printable(.object([.init("path", .string(path.description))] + members)))
    }
}
