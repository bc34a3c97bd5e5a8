import HindsightTree

/// Chooses ever shorter lists of actions to try, by delta debugging. It runs nothing itself.
///
/// ```swift
/// var shrinker = LogShrinker(of: actions, groups: [])
/// while let candidate = shrinker.candidate {
///     if try crashes(candidate) { shrinker.accept() } else { shrinker.reject() }
/// }
/// print(shrinker.best)
/// ```
///
/// The first candidate is the whole list. Then come the last 1, 2, 4 … actions; the list without each of the given
/// groups; and the list without chunks of half its length, a quarter, …, one, from its end. When no single action can
/// go, the payloads become simpler, and single actions are tried again. So at the end no single action can be left out,
/// if a list always gives the same result.
///
/// It follows A. Zeller and R. Hildebrandt, "Simplifying and Isolating Failure-Inducing Input", 2002. It tries the
/// complements of chunks only: the parts that the algorithm also tries are mostly covered by the last actions.
package struct LogShrinker: Codable, Sendable {
    /// An action of a list.
    package struct Entry: Codable, Sendable, Hashable {
        /// Its number in the recording.
        package let seq: Int
        /// The payload that it has in place of the recorded one, as JSON; `nil` if it has the recorded one.
        package var payload: String?

        package init(seq: Int, payload: String? = nil) { (self.seq, self.payload) = (seq, payload) }
    }

    /// What is being tried.
    private enum Phase: Codable, Sendable, Hashable {
        case whole
        /// Only the last actions.
        case last(Int)
        /// Without the actions of a group.
        case group(Int)
        /// Without a chunk that ends before an index.
        case chunk(size: Int, end: Int)
        /// With another payload of one action.
        case payload(index: Int, attempt: Int)
        case done
    }

    /// The shortest list that was accepted; at first the whole list.
    package private(set) var best: [Entry]
    private var phase = Phase.whole
    private var groups: [[Int]]
    /// Whether this pass over single actions, or over the payloads, has changed the list.
    private var hasChanged = false
    /// Whether payloads may change.
    private let changesPayloads: Bool
    /// The recorded payloads of the actions that are left, by their numbers, once payloads are tried.
    private var payloads: [Int: String]?

    /// - Parameters:
    ///   - seqs: The numbers of the actions, in order.
    ///   - groups: Actions that may be unnecessary together, such as those of a type.
    ///   - changesPayloads: Whether to simplify payloads.
    package init(of seqs: [Int], groups: [[Int]], changesPayloads: Bool = true) {
        best = seqs.map { Entry(seq: $0) }
        (self.groups, self.changesPayloads) = (groups, changesPayloads)
    }

    /// A shrinker that only tries a list as it is.
    package init(confirming list: [Entry]) { (best, groups, changesPayloads) = (list, [], false) }

    /// Whether nothing is left to try.
    package var isDone: Bool { phase == .done }

    /// Whether payloads are about to be tried, and those of ``best`` are not known yet: see ``learn(_:)``.
    package var needsPayloads: Bool { if case .payload = phase { payloads == nil } else { false } }

    /// Takes the recorded payloads of the actions in ``best``, as JSON. Those that are missing stay as they are.
    package mutating func learn(_ payloads: [Int: String]) {
        self.payloads = payloads
        settle()
    }

    /// The next list to try; `nil` if nothing is left.
    package var candidate: [Entry]? {
        switch phase {
        case .whole: return best
        case .last(let count): return Array(best.suffix(count))
        case .group(let index):
            let group = Set(groups[index])
            return best.filter { !group.contains($0.seq) }
        case .chunk(let size, let end): return Array(best[..<max(0, end - size)] + best[end...])
        case .payload(let index, let attempt):
            var list = best
            guard let payload = simplerPayload(of: index, attempt) else { return nil }
            list[index].payload = payload.json
            return list
        case .done: return nil
        }
    }

    /// Takes that the candidate does what is wanted.
    ///
    /// - Parameter count: The number of its actions after which it has done so; `nil` for all.
    package mutating func accept(after count: Int? = nil) {
        guard let candidate else { return }
        best = Array(candidate.prefix(count ?? candidate.count))
        switch phase {
        case .whole: phase = .last(1)
        case .last: phase = .group(0)
        case .group(let index): phase = .group(index + 1)
        case .chunk(let size, let end):
            // What is before the chunk comes next.
            hasChanged = true
            phase = .chunk(size: size, end: min(max(0, end - size), best.count))
        case .payload(let index, _):
            hasChanged = true
            // A truncated list may have lost the action.
            phase = .payload(index: min(index, best.count - 1), attempt: 0)
        case .done: break
        }
        settle()
    }

    /// Takes that the candidate does not do what is wanted.
    package mutating func reject() {
        switch phase {
        case .whole: phase = .done
        case .last(let count): phase = .last(count * 2)
        case .group(let index): phase = .group(index + 1)
        case .chunk(let size, let end): phase = .chunk(size: size, end: max(0, end - size))
        case .payload(let index, let attempt): phase = .payload(index: index, attempt: attempt + 1)
        case .done: break
        }
        settle()
    }

    /// Leaves phases that have nothing to try.
    private mutating func settle() {
        while true {
            switch phase {
            case .whole, .done: return
            case .last(let count):
                if count < best.count { return }
                phase = .group(0)
            case .group(let index):
                guard index < groups.count else {
                    groups = []
                    phase = .chunk(size: max(1, best.count / 2), end: best.count)
                    hasChanged = false
                    continue
                }
                let group = Set(groups[index])
                let count = best.count { group.contains($0.seq) }
                if count > 0, count < best.count { return }
                phase = .group(index + 1)
            case .chunk(let size, let end):
                if end > 0, best.count > 0, size < best.count || size == 1 { return }
                if size > 1 {
                    let smaller = min(max(1, size / 2), max(1, best.count / 2))
                    (phase, hasChanged) = (.chunk(size: smaller, end: best.count), false)
                } else if hasChanged {
                    // Another pass: an action may have become unnecessary.
                    (phase, hasChanged) = (.chunk(size: 1, end: best.count), false)
                } else {
                    phase = changesPayloads && !best.isEmpty ? .payload(index: best.count - 1, attempt: 0) : .done
                }
            case .payload(let index, let attempt):
                if needsPayloads { return }
                guard index >= 0 else {
                    // Simpler payloads may need fewer actions.
                    phase = hasChanged ? .chunk(size: 1, end: best.count) : .done
                    hasChanged = false
                    continue
                }
                if simplerPayload(of: index, attempt) != nil { return }
                phase = .payload(index: index - 1, attempt: 0)
            }
        }
    }

    /// A simpler payload of an action, by its number among all of them.
    private func simplerPayload(of index: Int, _ number: Int) -> Node? {
        guard best.indices.contains(index), let json = best[index].payload ?? payloads?[best[index].seq] else {
            return nil
        }
        // A payload is one that an encoder has written.
        return try? Node(json: json).simplified(number)
    }
}
