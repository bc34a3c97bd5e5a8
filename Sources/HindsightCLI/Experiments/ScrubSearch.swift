import HindsightReplay

/// Finds out which values may have placeholders: all at once, then halves of what does not go.
struct ScrubSearch: Codable {
    /// The values that have placeholders.
    private(set) var active: [Bool]
    /// Why a value must stay, by its index.
    private(set) var reasons: [Int: ScrubLaboratory.Mismatch] = [:]
    /// Groups of values to try, the next one last.
    private var pending: [[Int]]
    /// Whether the values that must stay were tried again with all others.
    private var isSecondPass = false
    /// The number of runs.
    private(set) var runs = 0

    /// - Parameter order: The indices of the values. Those that stand together go together.
    init(_ order: [Int]) {
        active = Array(repeating: false, count: order.count)
        pending = order.isEmpty ? [] : [order]
    }

    /// Which placeholders to try next; `nil` if nothing is left to try.
    var candidate: [Bool]? {
        guard let group = pending.last else { return nil }
        var candidate = active
        for index in group { candidate[index] = true }
        return candidate
    }

    /// The values that were not tried alone.
    var untried: Set<Int> { isSecondPass ? [] : Set(pending.joined()) }

    mutating func accept() {
        runs += 1
        for index in pending.popLast() ?? [] {
            active[index] = true
            reasons[index] = nil
        }
        goOn()
    }

    mutating func reject(_ mismatch: ScrubLaboratory.Mismatch) {
        runs += 1
        guard let group = pending.popLast() else { return }
        if group.count == 1 {
            reasons[group[0]] = mismatch
        } else {
            let middle = group.count / 2
            pending += [Array(group[middle...]), Array(group[..<middle])]
        }
        goOn()
    }

    /// A value that did not go with few others may go with all.
    private mutating func goOn() {
        guard pending.isEmpty, !isSecondPass else { return }
        isSecondPass = true
        pending = reasons.keys.sorted(by: >).map { [$0] }
    }
}
