import HindsightSupport
import HindsightTree

/// What a client wants of a breakpoint beside what the machine looks for: to stop at some hits only, or to log.
struct BreakpointRule {
    let hits: HitCondition?
    let message: LogMessage?
    /// What it is, so that its count stays if the client sends it again.
    var text: String
    /// How often the breakpoint hit.
    var count = 0

    /// - Returns: `nil` if the client wants nothing of the kind.
    init?(of request: AdapterRequest) throws(AdapterFailure) {
        let hits = try request.string("hitCondition")?.trimmingSpaces ?? ""
        let message = try request.string("logMessage") ?? ""
        if hits.isEmpty && message.isEmpty { return nil }
        self.hits = hits.isEmpty ? nil : try HitCondition(hits)
        self.message = message.isEmpty ? nil : try LogMessage(message)
        text = "\(hits) \(message) "
    }
}

/// The hits at which a breakpoint stops: `5` or `= 5`, `>= 5`, `> 5`, `<= 5`, `< 5`, or `% 5` for each fifth.
struct HitCondition {
    /// The signs, and what they ask of a count and the number. A sign comes after those that begin with it; without
    /// one, both are equal.
    private static let signs: [(text: String, isMet: @Sendable (Int, Int) -> Bool)] = [
        (">=", { $0 >= $1 }), ("<=", { $0 <= $1 }), ("==", { $0 == $1 }), ("=", { $0 == $1 }), (">", { $0 > $1 }),
        ("<", { $0 < $1 }), ("%", { $0.isMultiple(of: $1) }), ("", { $0 == $1 }),
    ]

    private let comparison: @Sendable (Int, Int) -> Bool
    private let number: Int

    init(_ text: String) throws(AdapterFailure) {
        guard let sign = Self.signs.first(where: { text.hasPrefix($0.text) }),
            let number = Int(String(text.dropFirst(sign.text.count)).trimmingSpaces), number >= 0,
            sign.text != "%" || number > 0
        else {
            throw AdapterFailure("\(quote(text)) is no count of hits. Write 5, >= 5, > 5, <= 5, < 5, or % 5.")
        }
        (comparison, self.number) = (sign.isMet, number)
    }

    func isMet(by count: Int) -> Bool { comparison(count, number) }
}

/// A text to log, with expressions in braces: `{type} makes it {/cart/total}`. A backslash keeps a brace.
struct LogMessage: Equatable {
    enum Part: Equatable {
        case text(String)
        case expression(String)
    }

    private(set) var parts: [Part] = []

    init(_ message: String) throws(AdapterFailure) {
        var text = ""
        var rest = message[...]
        while let character = rest.popFirst() {
            if character == "\\", let next = rest.first, "{}\\".contains(next) {
                text.append(rest.removeFirst())
            } else if character == "{" {
                if !text.isEmpty { parts.append(.text(text)) }
                text = ""
                parts.append(.expression(try Self.expression(&rest, of: message)))
            } else {
                text.append(character)
            }
        }
        if !text.isEmpty { parts.append(.text(text)) }
    }

    /// Takes an expression and the brace after it. Braces in its texts do not end it.
    private static func expression(_ rest: inout Substring, of message: String) throws(AdapterFailure) -> String {
        var expression = ""
        var depth = 1
        var isText = false
        while let character = rest.popFirst() {
            if character == "'" { isText.toggle() }
            if !isText, character == "{" { depth += 1 }
            if !isText, character == "}" { depth -= 1 }
            if depth == 0 {
                guard !expression.trimmingSpaces.isEmpty else {
                    throw AdapterFailure("There is no expression in the braces of \(quote(message)).")
                }
                return expression.trimmingSpaces
            }
            expression.append(character)
        }
        throw AdapterFailure("A brace of \(quote(message)) is not closed. Write \\{ for a brace of the text.")
    }
}

extension DebugAdapter {
    /// Counts a hit of a breakpoint and logs its message.
    ///
    /// - Returns: Whether it is a reason to stop.
    func isReasonToStop(_ id: Int) throws -> Bool {
        guard breakpointRules[id] != nil else { return true }
        breakpointRules[id]?.count += 1
        guard let rule = breakpointRules[id], rule.hits?.isMet(by: rule.count) ?? true else { return false }
        guard let message = rule.message else { return true }
        try log(message)
        return false
    }

    private func log(_ message: LogMessage) throws {
        // Values are read as at a stop.
        let present = run
        run = nil
        defer {
            run = present
            forgetReferences()
        }
        let frame = try frame(references.firstFrame).frame
        let texts = message.parts.map { part -> String in
            switch part {
            case .text(let text): return escape(text)
            case .expression(let expression):
                do {
                    return try evaluate(expression, in: frame, "watch")["result"]?.stringValue ?? ""
                } catch {
                    return "(\(failure(for: error).text))"
                }
            }
        }
        let source = frame?.action.dispatchingLine
        send(
            "output",
            .members([
                "category": "console", "output": .string(texts.joined() + "\n"),
                "source": source.map { sources.source(of: $0.file) }, "line": source.map { .int(shown(line: $0.line)) },
            ])
        )
    }
}
