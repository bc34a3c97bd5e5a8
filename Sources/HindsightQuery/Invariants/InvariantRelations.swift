import HindsightTree

/// The rules about the values of one scope that have held so far.
final class InvariantRelations {
    private let scopes: [InvariantScope]
    private let scope: InvariantScope
    private(set) var facts: [InvariantFacts]
    private(set) var nulls: [NullRule] = []
    private(set) var equals: [EqualRule] = []
    private(set) var members: [MemberRule] = []
    private(set) var uniques: [UniqueRule] = []

    private enum Reference { case null(Int), equal(Int), member(Int), unique(Int) }
    /// The rules that depend on each variable.
    private var dependents: [[Reference]]
    /// When each rule was last looked at, so that one position counts once.
    private var (nullRounds, equalRounds): ([Int], [Int]) = ([], [])
    private var round = 0
    /// The variables of elements that were written in a container, if that is all that happened to it.
    private var written: [Int: Set<Int>] = [:]

    /// The most numbers of one object of which sums of two are looked for.
    private static let mostAddends = 24
    /// The most rules of a kind.
    private static let mostRules = 200_000
    /// The number of rules beyond ``mostRules``.
    private(set) var leftOut = 0

    init(_ number: Int, of scopes: [InvariantScope]) {
        (self.scopes, scope) = (scopes, scopes[number])
        facts = Array(repeating: InvariantFacts(), count: scope.variables.count)
        dependents = Array(repeating: [], count: scope.variables.count)
        propose()
        nullRounds = Array(repeating: 0, count: nulls.count)
        equalRounds = Array(repeating: 0, count: equals.count)
    }

    // MARK: Proposing

    private func propose() {
        let variables = scope.variables
        let indices = variables.indices
        for optional in indices where variables[optional].isOptional {
            for other in indices { if let rule = NullRule(optional, other, of: variables) { propose(rule) } }
        }
        let numbers = indices.filter { variables[$0].isNumber }
        for alike in [numbers, indices.filter { variables[$0].isText }] {
            for (place, left) in alike.enumerated() {
                for right in alike[(place + 1)...] { propose(EqualRule(left, .same(right))) }
            }
        }
        let siblings = Dictionary(grouping: numbers) { variables[$0].path.components.dropLast() }
        for (_, group) in siblings.sorted(by: { $0.value[0] < $1.value[0] }) where group.count <= Self.mostAddends {
            for target in group {
                for (place, left) in group.enumerated() where left != target {
                    for right in group[(place + 1)...] where right != target {
                        propose(EqualRule(target, .total(left, right)))
                    }
                }
            }
        }
        for container in indices where variables[container].kind == .container { propose(container, numbers) }
        for value in indices where variables[value].isText || variables[value].isNumber {
            for owner in scope.isRoot ? [scope] : [scopes[0], scope] {
                for container in owner.variables.indices { proposeMembers(value, of: container, in: owner) }
            }
        }
    }

    private func propose(_ rule: NullRule) {
        guard nulls.count < Self.mostRules else {
            leftOut += 1
            return
        }
        dependents[rule.optional].append(.null(nulls.count))
        dependents[rule.other].append(.null(nulls.count))
        nulls.append(rule)
    }

    private func propose(_ rule: EqualRule) {
        guard equals.count < Self.mostRules else {
            leftOut += 1
            return
        }
        for variable in rule.variables { dependents[variable].append(.equal(equals.count)) }
        equals.append(rule)
    }

    /// What a container may be counted or added up to, and what of its elements may be unique.
    private func propose(_ container: Int, _ numbers: [Int]) {
        guard let elements = scope.variables[container].elements else { return }
        let fields = scopes[elements].variables
        for target in numbers {
            propose(EqualRule(target, .number(of: container)))
            for field in fields.indices where fields[field].isNumber {
                propose(EqualRule(target, .sum(container: container, field: field)))
            }
            for field in fields.indices where fields[field].isBool {
                propose(EqualRule(target, .numberWhere(container: container, field: field, true)))
                propose(EqualRule(target, .numberWhere(container: container, field: field, false)))
            }
        }
        for field in fields.indices where fields[field].isText || fields[field].isNumber {
            dependents[container].append(.unique(uniques.count))
            uniques.append(UniqueRule(container: container, field: field))
        }
    }

    private func proposeMembers(_ value: Int, of container: Int, in owner: InvariantScope) {
        let variable = owner.variables[container]
        guard let elements = variable.elements else { return }
        let own = scope.variables[value]
        let fields = scopes[elements].variables
        var places: [Int?] = variable.isDictionary && (own.isText || own.isNumber) ? [nil] : []
        for field in fields.indices where fields[field].isText == own.isText && fields[field].isNumber == own.isNumber {
            // A value is always among itself.
            if scopes[elements] !== scope || field != value { places.append(field) }
        }
        for field in places {
            dependents[value].append(.member(members.count))
            if owner === scope { dependents[container].append(.member(members.count)) }
            members.append(MemberRule(value, in: container, isInRoot: owner.isRoot, field: field))
        }
    }

    // MARK: Checking

    /// Checks the rules that depend on some values of an object.
    ///
    /// - Parameters:
    ///   - changed: The variables that were written.
    ///   - values: The values of all variables.
    ///   - old: The values before, of the same object; `nil` if they are not known.
    ///   - fields: The variables of the elements that were written in a container that has the same elements.
    func check(
        _ changed: some Sequence<Int>,
        _ values: [InvariantValue],
        after old: [InvariantValue]?,
        writing fields: [Int: Set<Int>] = [:],
        of object: Node,
        in root: Node
    ) {
        round += 1
        written = fields
        for variable in changed {
            facts[variable].take(values[variable], after: old?[variable])
            if dependents[variable].isEmpty { continue }
            // A rule that does not hold leaves the list.
            dependents[variable].removeAll { !check($0, variable, values, object, root) }
        }
    }

    private func check(
        _ reference: Reference,
        _ variable: Int,
        _ values: [InvariantValue],
        _ object: Node,
        _ root: Node
    ) -> Bool {
        switch reference {
        case .null(let index):
            if nulls[index].isAlive, nullRounds[index] != round {
                nullRounds[index] = round
                nulls[index].check(values)
            }
            return nulls[index].isAlive
        case .equal(let index):
            if case .sum(variable, let field) = equals[index].source, isUntouched(field, in: variable) { return true }
            if case .numberWhere(variable, let field, _) = equals[index].source, isUntouched(field, in: variable) {
                return true
            }
            if equals[index].isAlive, equalRounds[index] != round {
                equalRounds[index] = round
                let rule = equals[index]
                equals[index].check(values[rule.target], expected(rule.source, values, object))
            }
            return equals[index].isAlive
        case .member(let index):
            if members[index].isAlive { checkMember(index, values[members[index].value], object, root, counting: true) }
            return members[index].isAlive
        case .unique(let index):
            if uniques[index].isAlive, !isUntouched(uniques[index].field, in: variable) { checkUnique(index, object) }
            return uniques[index].isAlive
        }
    }

    private func isUntouched(_ field: Int, in container: Int) -> Bool {
        written[container].map { !$0.contains(field) } ?? false
    }

    private func expected(_ source: EqualRule.Source, _ values: [InvariantValue], _ object: Node) -> InvariantValue {
        switch source {
        case .same(let other): return values[other]
        case .total(let left, let right):
            if values[left] == .other || values[right] == .other { return .other }
            guard let left = values[left].number, let right = values[right].number else { return .none }
            return .number(left + right)
        case .number(let container):
            guard case .count(let count) = values[container] else { return .none }
            return .number(Double(count))
        case .sum(let container, let field):
            guard !values[container].isNone else { return .none }
            var (sum, isKnown) = (0.0, true)
            forEachValue(of: field, in: scope.variables[container], object) { value in
                sum += value.number ?? 0
                if value == .other { isKnown = false }
            }
            return isKnown ? .number(sum) : .other
        case .numberWhere(let container, let field, let wanted):
            guard !values[container].isNone else { return .none }
            var count = 0.0
            forEachValue(of: field, in: scope.variables[container], object) { if $0 == .bool(wanted) { count += 1 } }
            return .number(count)
        }
    }

    private func forEachValue(
        of field: Int,
        in container: InvariantScope.Variable,
        _ object: Node,
        _ body: (InvariantValue) -> Void
    ) {
        guard let elements = container.elements else { return }
        let path = scopes[elements].variables[field].path
        for value in object[container.path]?.values ?? [] { body(InvariantValue(value[path])) }
    }

    /// The values of containers of the whole state, as long as it does not change.
    private var rootValues: [MemberPlace: Set<InvariantValue>] = [:]

    private struct MemberPlace: Hashable {
        let container: Int
        let field: Int?
    }

    /// Forgets what was read of the last state.
    func beginState() { if !rootValues.isEmpty { rootValues = [:] } }

    private func values(of rule: MemberRule, _ object: Node, _ root: Node) -> Set<InvariantValue> {
        let place = MemberPlace(container: rule.container, field: rule.field)
        if rule.isInRoot, let known = rootValues[place] { return known }
        let container = rule.isInRoot ? scopes[0].variables[rule.container] : scope.variables[rule.container]
        let owner = rule.isInRoot ? root : object
        var values: Set<InvariantValue> = []
        if let field = rule.field {
            forEachValue(of: field, in: container, owner) { values.insert($0) }
        } else if case .object(let members)? = owner[container.path] {
            for member in members { values.insert(InvariantValue(.string(member.key))) }
        }
        if rule.isInRoot { rootValues[place] = values }
        return values
    }

    private func checkMember(_ index: Int, _ value: InvariantValue, _ object: Node, _ root: Node, counting: Bool) {
        if value.isNone { return }
        let member = members[index].field == nil ? value.asKey : value
        if member != .other, values(of: members[index], object, root).contains(member) {
            if counting { members[index].note(value) }
        } else {
            members[index].isAlive = false
        }
    }

    private func checkUnique(_ index: Int, _ object: Node) {
        let rule = uniques[index]
        var (seen, isUnique): (Set<InvariantValue>, Bool) = ([], true)
        forEachValue(of: rule.field, in: scope.variables[rule.container], object) { value in
            if value == .other { isUnique = false }
            if value.isText || value.number != nil { isUnique = seen.insert(value).inserted && isUnique }
        }
        if isUnique { uniques[index].note(seen) } else { uniques[index].isAlive = false }
    }

    /// The variables whose values must be in a container of the whole state that may have lost elements.
    ///
    /// - Parameter fields: The variables of its elements that were written; `nil` if elements went.
    func members(ofRootContainer container: Int, writing fields: Set<Int>?) -> [Int] {
        members.indices.filter { index in
            let rule = members[index]
            guard rule.isAlive, rule.isInRoot, rule.container == container else { return false }
            return fields.map { fields in rule.field.map(fields.contains) ?? false } ?? true
        }
    }

    /// Checks a rule about members in one object.
    func checkMember(_ index: Int, of object: Node, in root: Node) {
        guard members[index].isAlive else { return }
        let value = InvariantValue(object[scope.variables[members[index].value].path])
        checkMember(index, value, object, root, counting: false)
    }
}
