import HindsightDebugger
import HindsightSupport
import HindsightTree

extension DebugSession {
    /// `watch PATH|EXPR [if EXPR]`
    func watch(_ text: String) throws {
        let (rule, condition) = try split(text)
        let isWhole = rule == "''" || rule == "\"\""
        let path = try isWhole ? NodePath() : Debugger.pointer(rule) ?? debugger.path(named: rule)
        let kind = try path.map(Breakpoint.Kind.change) ?? .turn(of: debugger.expression(rule))
        try add(kind, condition, isTemporary: false)
    }

    /// `break P|TYPE|EXPR|reducer NAME|crash|divergence [if EXPR]`
    func setBreakpoint(_ text: String, isTemporary: Bool) throws {
        let (kind, condition) = try breakpoint(text)
        try add(kind, condition, isTemporary: isTemporary)
    }

    /// What a breakpoint of a text looks for.
    func breakpoint(_ text: String) throws -> (kind: Breakpoint.Kind, condition: RecordingExpression?) {
        let (rule, condition) = try split(text)
        if rule == "crash" {
            if debugger.last.reducer != 0 {
                console.print(faint: "The recorded process did not end in an action, so this never hits.")
            }
            return (.crash, condition)
        }
        if rule == "divergence" { return (.divergence, condition) }
        if let name = reducer(in: rule) { return (.reducer(name), condition) }
        if try isPosition(rule) {
            let position = try position(rule)
            _ = try debugger.computeSteps(for: .go(position), by: tool, unless: file.lastChange)
            return (.position(try debugger.reached(position)), condition)
        }
        guard Self.isType(rule) else { return (.expression(try debugger.expression(rule)), condition) }
        try noteUnknown(type: rule)
        return (.action(type: rule), condition)
    }

    /// Whether a rule is a position, as `goto` takes it, and no type of an action or expression. A wrong one is, too,
    /// if it can be nothing else: `-1`.
    private func isPosition(_ rule: String) throws -> Bool {
        if ["start", "end"].contains(rule) || rule.hasPrefix("#") || Recording.Position(rule) != nil { return true }
        if rule.hasSuffix("%"), Double(rule.dropLast()) != nil { return true }
        let isTime = rule.contains(":") || rule.hasPrefix("-") || rule.hasPrefix("+")
        if isTime, rule.contains(where: \.isNumber), rule.allSatisfy({ "+-.:0123456789hms".contains($0) }) {
            return true
        }
        guard try debugger.recording.notes().contains(where: { $0.isNamed(rule) }) else {
            return false
        }
        return !RecordedNames(recording: debugger.recording, start: "").values(of: .actionType).contains(rule)
    }

    /// The name in `reducer cart.totals`; `nil` in an expression that reads the column: `reducer = 'cart.totals'`.
    private func reducer(in rule: String) -> String? {
        guard rule.hasPrefix("reducer ") else { return nil }
        let name = String(rule.dropFirst("reducer ".count)).trimmingSpaces
        let isKnown = debugger.recording.reducers.contains { $0.hasSameScalars(as: name) }
        return isKnown || Self.isType(name) ? name : nil
    }

    private func add(_ kind: Breakpoint.Kind, _ condition: RecordingExpression?, isTemporary: Bool) throws {
        let breakpoint = try debugger.add(kind, if: condition, isTemporary: isTemporary)
        console.print("\(style.strong("\(breakpoint.id)"))  \(brief(breakpoint.text))")
        try remark(on: breakpoint)
    }

    /// Says what a breakpoint names that the recording does not have, or hides.
    func remark(on breakpoint: Breakpoint) throws {
        try remark(on: try debugger.unknownNames(of: breakpoint))
        for path in try debugger.redactedPaths(of: breakpoint) {
            console.print(faint: RedactionText.line(path))
        }
    }

    /// Says what a breakpoint or a displayed value names that the recording does not have.
    func remark(on names: UnknownNames) throws {
        for lines in try names.remarks(in: debugger.recording) {
            console.print(faint: lines.joined(separator: " "))
        }
    }

    /// Splits a rule from its condition, at the first word `if` outside of quotes and parentheses.
    private func split(_ text: String) throws -> (rule: String, condition: RecordingExpression?) {
        var (quote, depth) = (Character?.none, 0)
        for index in text.indices {
            let character = text[index]
            if let open = quote {
                if character == open { quote = nil }
            } else if character == "'" || character == "\"" {
                quote = character
            } else if character == "(" {
                depth += 1
            } else if character == ")" {
                depth -= 1
            } else if character == " ", depth <= 0, text[index...].hasPrefix(" if ") {
                let condition = String(text[index...].dropFirst(4)).trimmingSpaces
                return (String(text[..<index]).trimmingSpaces, try debugger.expression(condition))
            }
        }
        return (text, nil)
    }

    /// Whether a text looks like the type of an action: `applyCoupon`, `market.quotes`, `@travel`.
    private static func isType(_ text: String) -> Bool {
        let name = text.hasPrefix("@") ? text.dropFirst() : text[...]
        guard let first = name.first, first.isLetter || first == "_" else { return false }
        return name.allSatisfy { $0.isLetter || $0.isNumber || "._-".contains($0) }
    }

    private func noteUnknown(type: String) throws {
        let known = RecordedNames(recording: debugger.recording, start: "").values(of: .actionType)
        guard !known.contains(type) else { return }
        let isReducer = debugger.recording.reducers.contains { $0.hasSameScalars(as: type) }
        let meant = isReducer ? "break reducer \(type)" : Suggestion.nearest(to: type, in: known)
        let nearest = meant.map { " Did you mean \(escape($0))?" } ?? ""
        console.print(faint: "No action of type \(brief(type)) was found so far.\(nearest)")
    }

    // MARK: Lists

    func printBreakpoints() {
        if debugger.breakpoints.isEmpty { return console.print("There are no breakpoints. watch and break set some.") }
        for breakpoint in debugger.breakpoints {
            let hits = breakpoint.hitCount > 0 ? "hit \(Quantities.counted(breakpoint.hitCount, "time"))" : ""
            let ignored =
                breakpoint.ignoreCount > 0 ? "ignores the next \(Quantities.grouped(breakpoint.ignoreCount))" : ""
            let notes = [breakpoint.isEnabled ? "" : "off", hits, ignored]
            let note = notes.filter { !$0.isEmpty }.joined(separator: ", ")
            let end = note.isEmpty ? "" : "  \(style.faint("(\(note))"))"
            console.print("\(style.strong("\(breakpoint.id)"))  \(brief(breakpoint.text))\(end)")
            for line in commands[breakpoint.id] ?? [] { console.print("     \(brief(line))") }
        }
    }

    /// `ignore N COUNT`
    func ignore(_ rest: String) throws {
        let words = rest.split(separator: " ")
        guard words.count == 2, let id = Int(words[0]), let count = Int(words[1]), count >= 0 else {
            throw Failure(.usage, "ignore needs \(DebugWord.ignore.arguments).", DebugWord.ignore.help)
        }
        try debugger.ignoreHits(count, ofBreakpoint: id)
        printBreakpoints()
    }

    /// `delete`, `enable` or `disable`, for some breakpoints or for all.
    func change(_ word: DebugWord, _ rest: String) throws {
        let ids = try rest.split(whereSeparator: { $0 == " " || $0 == "," }).map { text in
            guard let id = Int(text) else {
                throw Failure(.usage, "\(quote(String(text))) is no number of a breakpoint.", "breakpoints lists them.")
            }
            return id
        }
        for id in ids.isEmpty ? debugger.breakpoints.map(\.id) : ids {
            switch word {
            case .enable: try debugger.setBreakpoint(id, enabled: true)
            case .disable: try debugger.setBreakpoint(id, enabled: false)
            default: try debugger.removeBreakpoint(id)
            }
        }
        printBreakpoints()
    }
}
