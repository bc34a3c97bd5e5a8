import HindsightRecording
import HindsightTree

/// Finds what held in all recorded states of some recordings.
///
/// It proposes all rules that the shape of the states allows, and drops each at the first state in which it does not
/// hold, as the Daikon detector does (Ernst et al., "Dynamically Discovering Likely Program Invariants", 1999). A rule is
/// looked at only where a value that it reads was written.
///
/// Add each recording first with ``addShape(of:)``, then with ``mine(_:)``.
package final class InvariantMiner {
    private let shape = StateShape()
    private var masks: [RedactionMask] = []
    private(set) var scopes = InvariantScopes(StateShape()) { _ in false }
    private(set) var relations: [InvariantRelations] = []

    /// The number of positions whose states were looked at.
    package private(set) var positions = 0
    /// The number of places that were not looked at because there are too many.
    package var placesLeftOut: Int { scopes.leftOut }
    /// The number of rules that were not looked at because there are too many.
    package var rulesLeftOut: Int { relations.reduce(0) { $0 + $1.leftOut } }

    // Of the present recording:
    private var values: [InvariantValue] = []

    package init() {}

    /// Learns what the states of a recording look like. Costs a pass over its changes.
    ///
    /// - Throws: A `RecordingError` with the code `damaged` or `unreadable`.
    package func addShape(of recording: Recording) throws {
        if let mask = try recording.redactionMask() { masks.append(mask) }
        try recording.forEachState { state, operations in
            guard let operations else { return shape.add(state) }
            for operation in operations { shape.add(operation) }
        }
    }

    /// Looks at the states of a recording. Costs a pass over its changes, and a look at each rule whose values change.
    ///
    /// - Throws: A `RecordingError` with the code `damaged` or `unreadable`.
    package func mine(_ recording: Recording) throws {
        begin()
        try recording.forEachState { state, operations in
            positions += 1
            for relations in relations { relations.beginState() }
            if let operations { take(operations, state) } else { takeWhole(state) }
        }
    }

    private func begin() {
        guard relations.isEmpty else { return }
        shape.finish()
        let masks = masks
        scopes = InvariantScopes(shape) { path in masks.contains { $0.hides(path) } }
        relations = scopes.scopes.indices.map { InvariantRelations($0, of: scopes.scopes) }
    }

    // MARK: Whole states

    private func takeWhole(_ state: Node) {
        let variables = scopes.scopes[0].variables
        values = variables.map { InvariantValue(state[$0.path]) }
        relations[0].check(variables.indices, values, after: nil, of: state, in: state)
        takeElements(at: scopes.root, state, in: state)
    }

    /// Looks at all objects inside a value, but not at the one that it belongs to.
    private func takeElements(at place: InvariantScopes.Place, _ node: Node, in root: Node) {
        if let elements = place.elements {
            for value in node.values { takeObject(value, at: elements.place, in: root) }
            return
        }
        guard case .object(let members) = node else { return }
        for member in members {
            if let field = place.fields[ScalarKey(member.key)] { takeElements(at: field, member.value, in: root) }
        }
    }

    private func takeObject(_ node: Node, at place: InvariantScopes.Place, in root: Node) {
        check(node, in: place.scope, scopes.scopes[place.scope].variables.indices, root)
        takeElements(at: place, node, in: root)
    }

    private func check(_ node: Node, in scope: Int, _ changed: some Sequence<Int>, _ root: Node) {
        let values = scopes.scopes[scope].variables.map { InvariantValue(node[$0.path]) }
        relations[scope].check(changed, values, after: nil, of: node, in: root)
    }

    // MARK: Changes

    /// An object in the state of which something was written.
    private struct Mark: Hashable {
        var path: [String]
        let scope: Int
    }

    /// What an action has written.
    private struct Marks {
        /// The variables by object.
        var variables: [Mark: Set<Int>] = [:]
        /// The values that are new as a whole, with the objects in them.
        var whole: [(path: [String], place: InvariantScopes.Place)] = []
        /// The containers of the whole state that may have lost elements.
        var reduced: Set<Int> = []
        /// The containers of the whole state to which elements came.
        var extended: Set<Int> = []
        /// The variables of elements of containers of the whole state that were written.
        var rewritten: [Int: Set<Int>] = [:]

        /// Follows the elements of an array that move.
        mutating func move(_ array: [String], at: Int, removed: Int, inserted: Int) {
            func moved(_ path: [String]) -> [String]? {
                guard path.count > array.count, path.starts(with: array), let index = NodePath.index(path[array.count])
                else { return path }
                if index < at { return path }
                if index < at + removed { return nil }
                var path = path
                path[array.count] = String(index - removed + inserted)
                return path
            }
            guard removed > 0 || inserted > 0, !variables.isEmpty || !whole.isEmpty else { return }
            variables = Dictionary(
                variables.compactMap { mark, changed in
                    moved(mark.path).map { (Mark(path: $0, scope: mark.scope), changed) }
                }
            ) { $0.union($1) }
            whole = whole.compactMap { entry in moved(entry.path).map { ($0, entry.place) } }
        }
    }

    private func take(_ operations: [Patch.Operation], _ state: Node) {
        if operations.isEmpty { return }
        var marks = Marks()
        for operation in operations { mark(operation, in: &marks) }
        let rootMark = Mark(path: [], scope: 0)
        if let changed = marks.variables.removeValue(forKey: rootMark) {
            let old = values
            let variables = scopes.scopes[0].variables
            for variable in changed { values[variable] = InvariantValue(state[variables[variable].path]) }
            relations[0].check(
                changed.sorted(),
                values,
                after: old,
                writing: marks.rewritten.filter {
                    !marks.reduced.contains($0.key) && !marks.extended.contains($0.key)
                },
                of: state,
                in: state
            )
        }
        for (mark, changed) in marks.variables.sorted(by: { $0.key.path.lexicographicallyPrecedes($1.key.path) }) {
            guard let node = state[NodePath(mark.path)] else { continue }
            check(node, in: mark.scope, changed, state)
        }
        for (path, place) in marks.whole {
            if let node = state[NodePath(path)] { takeElements(at: place, node, in: state) }
        }
        for container in marks.reduced.sorted() { sweep(container, writing: nil, state) }
        for (container, fields) in marks.rewritten where !marks.reduced.contains(container) {
            sweep(container, writing: fields, state)
        }
    }

    private func mark(_ operation: Patch.Operation, in marks: inout Marks) {
        var place = scopes.root
        var object = Mark(path: [], scope: 0)
        let components = operation.path.components
        func touch(_ variables: [Int]) { marks.variables[object, default: []].formUnion(variables) }
        func lose(_ place: InvariantScopes.Place) {
            if place.scope == 0 { marks.reduced.formUnion(place.variables) }
        }
        // The container of the whole state in which the operation is.
        var (outer, outerScope): (Int?, Int?)
        defer {
            if let outer, place.scope == outerScope { marks.rewritten[outer, default: []].formUnion(place.variables) }
        }
        for (depth, component) in components.enumerated() {
            if let (element, container) = place.elements {
                touch([container])
                if place.scope == 0 {
                    (outer, outerScope) = (container, element.scope)
                    // An element comes or goes, or is replaced as a whole.
                    if depth == components.count - 1 { marks.reduced.insert(container) }
                }
                if depth == components.count - 1, place.isArray, let index = NodePath.index(component) {
                    switch operation {
                    case .add: marks.move(Array(components[..<depth]), at: index, removed: 0, inserted: 1)
                    case .remove: marks.move(Array(components[..<depth]), at: index, removed: 1, inserted: 0)
                    default: break
                    }
                }
                object = Mark(path: Array(components[...depth]), scope: element.scope)
                place = element
            } else if let field = place.fields[ScalarKey(component)] {
                place = field
            } else {
                return
            }
        }
        if case .splice(_, let at, let removed, let inserted) = operation {
            marks.move(components, at: at, removed: removed.count, inserted: inserted.count)
            touch(place.variables)
            if !removed.isEmpty { lose(place) }
            if place.scope == 0, !inserted.isEmpty { marks.extended.formUnion(place.variables) }
            guard let element = place.elements?.place else { return }
            for index in inserted.indices {
                let path = components + [String(at + index)]
                marks.variables[Mark(path: path, scope: element.scope), default: []].formUnion(element.variables)
                marks.whole.append((path, element))
            }
            return
        }
        touch(place.variables)
        lose(place)
        switch operation {
        case .add, .replace: marks.whole.append((components, place))
        default: break
        }
    }

    /// Looks again at the values in elements that must be in a container of the whole state.
    private func sweep(_ container: Int, writing fields: Set<Int>?, _ state: Node) {
        for scope in scopes.scopes.indices.dropFirst() {
            let rules = relations[scope].members(ofRootContainer: container, writing: fields)
            if rules.isEmpty { continue }
            Self.forEachObject(at: scopes.scopes[scope].pattern.components[...], in: state) { node in
                for rule in rules { relations[scope].checkMember(rule, of: node, in: state) }
            }
        }
    }

    private static func forEachObject(at pattern: ArraySlice<String>, in node: Node, _ body: (Node) -> Void) {
        guard let component = pattern.first else { return body(node) }
        let values = component == "*" ? node.values : [node.part(component)].compactMap { $0 }
        for value in values { forEachObject(at: pattern.dropFirst(), in: value, body) }
    }
}
