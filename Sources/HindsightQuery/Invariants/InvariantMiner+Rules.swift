import HindsightSupport
import HindsightTree

extension InvariantMiner {
    /// The rules that held, by how often they could have failed.
    package func rules() -> [Rule] {
        let rules = relations.indices.flatMap { number in
            RuleWriter(scopes.scopes, number, relations[number], positions).rules()
        }
        return rules.enumerated()
            .sorted { ($1.element.checked ?? 0, $0.offset) < ($0.element.checked ?? 0, $1.offset) }
            .map(\.element)
    }
}

/// Writes what held in one scope as rules.
private struct RuleWriter {
    let scopes: [InvariantScope]
    let scope: InvariantScope
    let relations: InvariantRelations
    let positions: Int
    /// The first variable that equals another one, by that.
    private let firstEquals: [Int: Int]

    init(_ scopes: [InvariantScope], _ number: Int, _ relations: InvariantRelations, _ positions: Int) {
        (self.scopes, self.relations, self.positions) = (scopes, relations, positions)
        scope = scopes[number]
        var first: [Int: Int] = [:]
        for equal in relations.equals where equal.isAlive && equal.turns > 1 {
            if case .same(let other) = equal.source { first[other] = min(first[other] ?? equal.target, equal.target) }
        }
        firstEquals = first
    }

    func rules() -> [Rule] {
        scope.variables.indices.flatMap(ownRules) + nullRules() + equalRules() + memberRules() + uniqueRules()
    }

    // MARK: One value

    private func ownRules(_ variable: Int) -> [Rule] {
        let (facts, kind) = (relations.facts[variable], scope.variables[variable].kind)
        // What is at the top is no place of its own, unless it is one value or a container.
        guard facts.checks > 0, !facts.hasOther, kind != .object else { return [] }
        let place = text(variable)
        if facts.isConstant, let value = facts.first, let literal = Self.literal(value) {
            let name = "\(place) is \(Self.shown(value, literal))"
            // Each action could have written what is there once.
            let checks = scope.isRoot ? positions : facts.checks
            return [rule(.constant, name, "\(read(variable)) = \(literal)", [variable], checks)]
        }
        var rules: [Rule] = []
        if kind == .leaf, let texts = facts.texts, texts.count > 1, facts.checks >= texts.count * 4 {
            let literals = texts.compactMap(Self.literal)
            let list = literals.dropLast().joined(separator: ", ") + " or " + (literals.last ?? "")
            let that = literals.map { "\(read(variable)) = \($0)" }.joined(separator: " or ")
            rules.append(rule(.oneOf, "\(place) is \(list)", that, [variable], facts.checks))
        } else if kind == .leaf, scope.variables[variable].isText, !facts.hasBeenEmpty {
            rules.append(rule(.nonEmpty, "\(place) is not empty", "\(read(variable)) <> ''", [variable], facts.checks))
        }
        if kind == .container, !facts.hasBeenEmpty {
            let that = "\(read(variable)) is null or \(isEmpty(variable, not: true))"
            rules.append(rule(.nonEmpty, "\(place) is not empty", that, [variable], facts.checks))
        }
        if facts.isNumber { rules += ranges(variable, facts) }
        if scope.isRoot, kind == .container || facts.isNumber, facts.rises + facts.falls > 1,
            facts.rises == 0 || facts.falls == 0
        {
            let grows = facts.falls == 0
            let what = kind == .container ? "the number of \(place)" : place
            let (new, old) = (size(variable), size(variable, old: true))
            let absent = ["", "old"].map { read(variable, old: !$0.isEmpty) + " is null or " }.joined()
            rules.append(
                rule(
                    .monotone,
                    "\(what) never \(grows ? "falls" : "rises")",
                    "\(kind == .container ? absent : "")\(new) \(grows ? ">=" : "<=") \(old)",
                    [variable],
                    facts.rises + facts.falls
                )
            )
        }
        return rules
    }

    /// A bound counts as one if the value came to it three times, or if it is a natural one.
    private func ranges(_ variable: Int, _ facts: InvariantFacts) -> [Rule] {
        // A value that is absent at times, and otherwise always the same, has no bounds.
        guard facts.least != facts.greatest else { return [] }
        let (isLow, isHigh) = (facts.leastCount > 2, facts.greatestCount > 2)
        let least: Double? = isLow ? facts.least : facts.least >= 1 ? 1 : facts.least >= 0 ? 0 : nil
        let greatest: Double? = isHigh ? facts.greatest : facts.greatest <= -1 ? -1 : facts.greatest <= 0 ? 0 : nil
        let value = read(variable)
        let (bounds, that): (String, String)
        switch (least.map(Self.text), greatest.map(Self.text)) {
        case (let least?, let greatest?):
            (bounds, that) = ("from \(least) to \(greatest)", "\(value) >= \(least) and \(value) <= \(greatest)")
        case (let least?, nil): (bounds, that) = ("at least \(least)", "\(value) >= \(least)")
        case (nil, let greatest?): (bounds, that) = ("at most \(greatest)", "\(value) <= \(greatest)")
        case (nil, nil): return []
        }
        return [rule(.range, "\(text(variable)) is \(bounds)", that, [variable], facts.checks)]
    }

    // MARK: Several values

    private func nullRules() -> [Rule] {
        relations.nulls.compactMap { null -> Rule? in
            // With one turn, everything that has changed since the start seems to go with it.
            guard let kind = null.conditions.first, null.turns > 1 else { return nil }
            let other = read(null.other)
            let (state, condition): (String, String)
            switch kind {
            case .null: (state, condition) = ("null", "\(other) is null")
            case .present: (state, condition) = ("not null", "\(other) is not null")
            case .isTrue: (state, condition) = ("true", "\(other) is 1")
            case .isFalse: (state, condition) = ("false", "\(other) is 0")
            case .empty: (state, condition) = ("empty", isEmpty(null.other, not: false))
            case .filled: (state, condition) = ("not empty", isEmpty(null.other, not: true))
            case .text:
                guard let literal = null.absentTexts.first.flatMap({ Self.literal($0) }) else { return nil }
                (state, condition) = (literal, "\(other) is \(literal)")
            case .otherText:
                guard let literal = null.presentTexts.first.flatMap({ Self.literal($0) }) else { return nil }
                (state, condition) = ("not \(literal)", "\(other) is not \(literal)")
            }
            let name = "\(text(null.optional)) is null exactly if \(text(null.other)) is \(state)"
            let that = "(\(read(null.optional)) is null) = (\(condition))"
            return rule(.null, name, that, [null.optional, null.other], null.turns)
        }
    }

    private func equalRules() -> [Rule] {
        relations.equals.compactMap { equal -> Rule? in
            guard equal.isAlive, equal.turns > 1 else { return nil }
            let (x, value) = (text(equal.target), read(equal.target))
            switch equal.source {
            case .same(let other):
                // One rule a place is enough for several that are equal.
                guard equal.target == representative(of: other) else { return nil }
                let that = "\(value) = \(read(other))"
                return rule(.equal, "\(x) equals \(text(other))", that, [equal.target, other], equal.turns)
            case .total(let left, let right):
                // Where one of the two is always 0, the other one equals the target.
                guard !relations.facts[left].isConstant, !relations.facts[right].isConstant else { return nil }
                let all = [equal.target, left, right]
                guard all.allSatisfy({ representative(of: $0) == $0 }) else { return nil }
                let name = "\(x) is \(text(left)) + \(text(right))"
                let that = near(value, "\(read(left)) + \(read(right))")
                return rule(.sum, name, that, [equal.target, left, right], equal.turns)
            case .sum(let container, let field):
                let rows = rows(container)
                let that = near(value, "(select total(\(element(container, field))) \(rows))")
                let place = text(container, field)
                return rule(.sum, "\(x) is the sum of \(place)", that, [equal.target], equal.turns, place: place)
            case .number(let container):
                let that = "\(value) = (select count(*) \(rows(container)))"
                let name = "\(x) is the number of \(text(container))/*"
                return rule(.count, name, that, [equal.target, container], equal.turns)
            case .numberWhere(let container, let field, let wanted):
                let condition = "\(element(container, field)) = \(wanted ? 1 : 0)"
                let that = "\(value) = (select count(*) \(rows(container)) where \(condition))"
                let place = text(container, field)
                let name = "\(x) is how often \(place) is \(wanted)"
                return rule(.count, name, that, [equal.target], equal.turns, place: place)
            }
        }
    }

    /// The first of the variables that equal one.
    private func representative(of variable: Int) -> Int { firstEquals[variable] ?? variable }

    private func memberRules() -> [Rule] {
        relations.members.compactMap { member -> Rule? in
            guard member.isAlive, member.values.count > 1 else { return nil }
            let owner = member.isInRoot ? RuleWriter(scopes, 0, relations, positions) : self
            // In the rows of a container, value and key are its own columns.
            let (noun, place, inner): (String, String, String)
            if let field = member.field {
                // Elements differ in what identifies them.
                guard isIdentity(member.container, field, inRoot: member.isInRoot) else { return nil }
                (noun, place) = ("one", owner.text(member.container, field))
                inner = owner.element(member.container, field, alias: "m")
            } else {
                // Keys are texts. That of a number, 3 or 3.0, is the text of a whole one.
                let isNumber = scope.variables[member.value].isNumber
                (noun, place) = ("a key", owner.text(member.container))
                inner = isNumber ? "cast(m.key as real)" : "m.key"
            }
            let (value, rows) = (read(member.value), owner.rows(member.container, alias: "m"))
            let that = "\(value) is null or \(value) in (select \(inner) \(rows))"
            let name = "\(text(member.value)) is \(noun) of \(place)"
            return rule(.member, name, that, [member.value], member.checks, place: place)
        }
    }

    private func isIdentity(_ container: Int, _ field: Int, inRoot: Bool) -> Bool {
        guard let elements = (inRoot ? scopes[0] : scope).variables[container].elements else { return false }
        let variable = scopes[elements].variables[field]
        return variable.path.isRoot || variable.path.components.last.map { $0.lowercased().hasSuffix("id") } ?? false
            || variable.isText
    }

    private func uniqueRules() -> [Rule] {
        relations.uniques.compactMap { unique -> Rule? in
            guard unique.isAlive, unique.checks > 0 else { return nil }
            let (inner, rows) = (element(unique.container, unique.field), rows(unique.container))
            let that = "(select count(\(inner)) \(rows)) = (select count(distinct \(inner)) \(rows))"
            let place = text(unique.container, unique.field)
            return rule(.unique, "\(place) is unique", that, [], unique.checks, place: place)
        }
    }

    // MARK: Text

    /// The place of a variable, as people read it.
    private func text(_ variable: Int) -> String {
        let place = scope.place(variable)
        return place.isRoot ? "the state" : place.description
    }

    private func text(_ container: Int, _ field: Int) -> String {
        guard let elements = scope.variables[container].elements else { return text(container) + "/*" }
        return scopes[elements].place(field).description
    }

    private func rule(
        _ kind: Rule.Kind,
        _ name: String,
        _ condition: String,
        _ variables: [Int],
        _ checked: Int,
        place: String? = nil
    ) -> Rule {
        var places = variables.map(text)
        if let place { places.append(place) }
        // A name is written as it is shown.
        return Rule(name: escape(name), that: everywhere(condition), kind: kind, places: places, checked: checked)
    }

    /// A condition on the object of the scope as one on the state: it holds in each object.
    private func everywhere(_ condition: String) -> String {
        if scope.isRoot { return condition }
        var (tables, path): ([String], [String]) = ([], [])
        for component in scope.pattern.components {
            if component == "*" {
                let alias = "e\(tables.count)"
                tables.append(Self.table(path, in: tables.isEmpty ? nil : "e\(tables.count - 1)") + " as \(alias)")
                path = []
            } else {
                path.append(component)
            }
        }
        return "not exists (select 1 from \(tables.joined(separator: ", ")) where not (\(condition)))"
    }

    /// The row of the object of the scope; `nil` for the whole state.
    private var alias: String? {
        scope.isRoot ? nil : "e\(scope.pattern.components.count { $0 == "*" } - 1)"
    }

    /// The value of a variable in SQL.
    private func read(_ variable: Int, old: Bool = false) -> String {
        Self.read(scope.variables[variable].path.components, in: alias, old: old)
    }

    private func size(_ variable: Int, old: Bool = false) -> String {
        guard scope.variables[variable].kind == .container else { return read(variable, old: old) }
        let value = read(variable, old: old)
        return scope.variables[variable].isDictionary
            ? "(select count(*) from json_each(\(value)))" : "json_array_length(\(value))"
    }

    private func isEmpty(_ variable: Int, not isNot: Bool) -> String {
        let rows = "(select 1 \(rows(variable)))"
        return isNot ? "exists \(rows)" : "\(read(variable)) is not null and not exists \(rows)"
    }

    /// The rows of a container.
    private func rows(_ container: Int, alias inner: String? = nil) -> String {
        "from " + Self.table(scope.variables[container].path.components, in: alias) + (inner.map { " as \($0)" } ?? "")
    }

    /// A variable of the elements of a container, in its rows.
    private func element(_ container: Int, _ field: Int, alias inner: String? = nil) -> String {
        guard let elements = scope.variables[container].elements else { return "value" }
        let column = inner.map { "\($0).value" } ?? "value"
        let path = scopes[elements].variables[field].path.components
        return path.isEmpty ? column : "\(column) ->> \(Self.label(path))"
    }

    private static func table(_ path: [String], in alias: String?) -> String {
        guard let alias else { return "json_each(\(pointer(path)))" }
        return path.isEmpty ? "json_each(\(alias).value)" : "json_each(\(alias).value, \(jsonPath(path)))"
    }

    private static func read(_ path: [String], in alias: String?, old: Bool) -> String {
        guard let alias else { return pointer(path, old: old) }
        return path.isEmpty ? "\(alias).value" : "(\(alias).value ->> \(label(path)))"
    }

    /// A pointer, or the call that takes one with any characters.
    private static func pointer(_ path: [String], old: Bool = false) -> String {
        let text = NodePath(path).description
        let isPlain = text.utf8.allSatisfy { $0 == UInt8(ascii: "/") || $0.isNameByte || $0.isDigit }
        let operand = isPlain && !text.isEmpty ? text : RecordingExpression.literal(text)
        return old ? "old(\(operand))" : operand == text ? text : "value(\(operand))"
    }

    private static func label(_ path: [String]) -> String {
        if path.count == 1, let first = path[0].utf8.first, first | 0x20 >= UInt8(ascii: "a"), isName(path[0]) {
            return RecordingExpression.literal(path[0])
        }
        return jsonPath(path)
    }

    private static func jsonPath(_ path: [String]) -> String {
        RecordingExpression.literal("$" + path.map { isName($0) ? ".\($0)" : ".\"\($0)\"" }.joined())
    }

    private static func isName(_ text: String) -> Bool { !text.isEmpty && text.utf8.allSatisfy(\.isWordByte) }

    /// Two numbers are equal, apart from what binary fractions lose.
    private func near(_ value: String, _ other: String) -> String {
        "abs(\(value) - (\(other))) <= \(EqualRule.tolerance) * abs(\(value))"
    }

    /// A value as SQL writes it; `nil` if that is long, or nothing to compare with.
    private static func literal(_ value: InvariantValue) -> String? {
        switch value {
        case .none, .other, .count: nil
        case .bool(let value): value ? "1" : "0"
        case .number(let value): text(value)
        case .text(let text): text.key.utf8.count <= 60 ? RecordingExpression.literal(text.key) : nil
        }
    }

    private static func shown(_ value: InvariantValue, _ literal: String) -> String {
        if case .bool(let value) = value { value ? "true" : "false" } else { literal }
    }

    private static func text(_ number: Double) -> String {
        Int(exactly: number).map { "\($0)" } ?? "\(number)"
    }
}
