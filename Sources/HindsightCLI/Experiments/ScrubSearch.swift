import HindsightReplay

/// Finds out which values may have placeholders: all at once, then halves of what does not go.
struct ScrubSearch: Codable {
    /// The values that have placeholders.
    private(set) var active: [Bool]
    /// Why a value must stay, by its index.
    private(set) var reasons: [Int: ScrubLaboratory.Mismatch] = [:]
    /// The values that were not tried alone, since many at the same place must stay.
    private(set) var untriedAlone: Set<Int> = []
    /// Groups of values to try, the next one last.
    private var pending: [[Int]]
    /// The place of each value, as a number.
    private let places: [Int]
    /// How many values of a place had to stay, one after another.
    private var failures: [Int: Int] = [:]
    /// Whether the values that must stay were tried again with all others.
    private var isSecondPass = false
    /// The number of runs.
    private(set) var runs = 0

    /// As many values of a place that must stay, one after another, say that all others must, too.
    private static let enough = 24

    /// - Parameters:
    ///   - places: The place of each value, as a number.
    ///   - order: The indices of the values that have placeholders. Those that stand together go together.
    init(places: [Int], _ order: [Int]) {
        self.places = places
        active = Array(repeating: false, count: places.count)
        pending = order.isEmpty ? [] : [order]
    }

    /// Which placeholders to try next; `nil` if nothing is left to try.
    var candidate: [Bool]? {
        guard let group = pending.last else { return nil }
        var candidate = active
        for index in group { candidate[index] = true }
        return candidate
    }

    /// The number of values of which it is not known whether they must stay.
    var untried: Int { isSecondPass ? 0 : pending.reduce(0) { $0 + $1.count } }

    mutating func accept() {
        runs += 1
        for index in pending.popLast() ?? [] {
            active[index] = true
            reasons[index] = nil
            failures[places[index]] = 0
        }
        goOn()
    }

    mutating func reject(_ mismatch: ScrubLaboratory.Mismatch) {
        runs += 1
        guard let group = pending.popLast() else { return }
        if group.count == 1 {
            reasons[group[0]] = mismatch
            if !isSecondPass { giveUp(at: places[group[0]], mismatch) }
        } else {
            let middle = group.count / 2
            pending += [Array(group[middle...]), Array(group[..<middle])]
        }
        goOn()
    }

    private mutating func giveUp(at place: Int, _ mismatch: ScrubLaboratory.Mismatch) {
        failures[place, default: 0] += 1
        guard failures[place] == Self.enough else { return }
        for index in pending.joined() where places[index] == place {
            reasons[index] = mismatch
            untriedAlone.insert(index)
        }
        pending = pending.map { group in group.filter { places[$0] != place } }.filter { !$0.isEmpty }
    }

    /// A value that did not go with few others may go with all.
    private mutating func goOn() {
        guard pending.isEmpty, !isSecondPass else { return }
        isSecondPass = true
        pending = reasons.keys.sorted(by: >).filter {
            !untriedAlone.contains($0) && failures[places[$0]] ?? 0 < Self.enough
        }
        .map { [$0] }
    }
}
