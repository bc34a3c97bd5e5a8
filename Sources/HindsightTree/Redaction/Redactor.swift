import HindsightSupport
import Synchronization

/// Hides parts of states or actions while they become nodes, and remembers the paths of ``Redacted`` fields.
///
/// Pass it to a ``NodeEncoder`` or a ``ChangeFinder``. Any thread may use it.
package final class Redactor: Sendable {
    let automaton: PathAutomaton
    /// Whether there is any pattern.
    package let hasPatterns: Bool
    private let patterns: [String]
    private let matched = Locked<Set<Int>>([])
    private let changes = Atomic(0)
    /// A bit for each of the automaton's first 64 states that was reached. A known state costs no lock.
    private let known = Atomic<UInt64>(0)
    private let fields = Locked<Set<String>>([])
    private let count = Atomic(0)

    /// A bound for fields below keys that are data. Apps declare fewer.
    private static let maxFields = 1000

    /// - Parameter rules: JSON Pointers in which `*` matches one name, `**` any number of names, and a number any
    ///   number. Each has a placeholder, or `nil` for one that fits the value's type.
    /// - Throws: ``PatternError``.
    package init(_ rules: [(pattern: String, placeholder: Node?)] = []) throws(PatternError) {
        automaton = try PathAutomaton(rules)
        hasPatterns = !rules.isEmpty
        patterns = rules.map(\.pattern)
    }

    /// The number of ``fieldPatterns``. Costs a load.
    package var fieldCount: Int { count.load(ordering: .acquiring) }

    /// The paths of all `@Redacted` fields so far, as patterns, sorted.
    package var fieldPatterns: [String] { fields.withLock { $0.sorted() } }

    /// Whether anything is known to be hidden.
    package var isActive: Bool { hasPatterns || fieldCount > 0 }

    /// The patterns that have matched so far.
    package var matchedPatterns: [String] {
        matched.withLock { matched in patterns.indices.filter(matched.contains).map { patterns[$0] } }
    }

    /// How often ``matchedPatterns`` has grown. Costs a load.
    package var matchCount: Int { changes.load(ordering: .acquiring) }

    /// Whether the value at a state is hidden. Notes the patterns that match.
    func hides(at state: Int) -> Bool {
        guard automaton.isHidden(state) else { return false }
        note(matchAt: state)
        return true
    }

    private func note(matchAt state: Int) {
        if state < 64 {
            let bit = UInt64(1) << UInt64(state)
            if known.load(ordering: .relaxed) & bit != 0 { return }
            known.bitwiseOr(bit, ordering: .relaxed)
        }
        let patterns = automaton.patterns(matchedAt: state)
        let isNew = matched.withLock { matched in
            let count = matched.count
            matched.formUnion(patterns)
            return matched.count > count
        }
        if isNew { changes.add(1, ordering: .releasing) }
    }

    /// Notes the path of a ``Redacted`` field.
    func note(_ path: [PathStep]) {
        let names = path.map { step in
            if case .key(let name) = step { name } else { "*" }
        }
        fields.withLock { fields in
            guard fields.count < Self.maxFields else { return }
            if fields.insert(NodePath(names).description).inserted { count.store(fields.count, ordering: .releasing) }
        }
    }

    /// The part of a path that may be shown: up to the first hidden value. The keys below it may be secrets.
    package func visiblePrefix(of path: NodePath) -> NodePath {
        var state = automaton.start
        for (index, name) in path.components.enumerated() {
            if automaton.isHidden(state) { return NodePath(Array(path.components[..<index])) }
            state = automaton.step(from: state, toName: name)
        }
        return path
    }
}
