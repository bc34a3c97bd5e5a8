import HindsightSupport
import Synchronization

/// Hides places of the values of one kind, states or actions, while they become nodes; and remembers where fields were
/// met that hide themselves.
///
/// Hand it to a ``NodeEncoder`` or a ``ChangeFinder``. Any thread may use it.
package final class Redactor: Sendable {
    let automaton: PathAutomaton
    /// Whether there is any pattern.
    package let hasPatterns: Bool
    private let patterns: [String]
    private let met = Locked<Set<Int>>([])
    private let changes = Atomic(0)
    /// The automaton's first 64 states that have been come to, a bit each: so a place that is known costs no lock.
    private let known = Atomic<UInt64>(0)
    private let fields = Locked<Set<String>>([])
    private let count = Atomic(0)

    /// More fields of different places than an app declares.
    private static let mostFields = 1000

    /// - Parameter rules: JSON Pointers in which `*` stands for any one name, `**` for any number of names and a number
    ///   for any number; each with what is to stand there, or `nil` for what fits the value's type.
    /// - Throws: ``PatternError``.
    package init(_ rules: [(pattern: String, placeholder: Node?)] = []) throws(PatternError) {
        automaton = try PathAutomaton(rules)
        hasPatterns = !rules.isEmpty
        patterns = rules.map(\.pattern)
    }

    /// How many places ``fieldPatterns`` has. Costs a load.
    package var fieldCount: Int { count.load(ordering: .acquiring) }

    /// The places of all `@Redacted` fields met so far, as patterns, sorted.
    package var fieldPatterns: [String] { fields.withLock { $0.sorted() } }

    /// Whether anything is hidden, as far as is known.
    package var isActive: Bool { hasPatterns || fieldCount > 0 }

    /// The patterns that have met something so far.
    package var matchedPatterns: [String] {
        met.withLock { met in patterns.indices.filter(met.contains).map { patterns[$0] } }
    }

    /// How often ``matchedPatterns`` has grown. Costs a load.
    package var matchCount: Int { changes.load(ordering: .acquiring) }

    /// Whether a place is hidden, at which something stands.
    func hides(at state: Int) -> Bool {
        guard automaton.isHidden(state) else { return false }
        note(met: state)
        return true
    }

    private func note(met state: Int) {
        if state < 64 {
            let bit = UInt64(1) << UInt64(state)
            if known.load(ordering: .relaxed) & bit != 0 { return }
            known.bitwiseOr(bit, ordering: .relaxed)
        }
        let patterns = automaton.patterns(metAt: state)
        let isNews = met.withLock { met in
            let count = met.count
            met.formUnion(patterns)
            return met.count > count
        }
        if isNews { changes.add(1, ordering: .releasing) }
    }

    /// Notes that a field which hides itself stands at a place.
    func note(_ path: [PathStep]) {
        let names = path.map { step in
            if case .key(let name) = step { name } else { "*" }
        }
        fields.withLock { fields in
            guard fields.count < Self.mostFields else { return }
            if fields.insert(NodePath(names).description).inserted { count.store(fields.count, ordering: .releasing) }
        }
    }

    /// How far a path may be told: up to the first place that is hidden, below which keys may be secrets too.
    package func visiblePrefix(_ path: NodePath) -> NodePath {
        var state = automaton.start
        for (index, name) in path.components.enumerated() {
            if automaton.isHidden(state) { return NodePath(Array(path.components[..<index])) }
            state = automaton.step(from: state, toName: name)
        }
        return path
    }
}
