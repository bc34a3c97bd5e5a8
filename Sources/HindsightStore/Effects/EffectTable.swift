/// Which effects run, and which of them has which id.
struct EffectTable<Handle> {
    private struct Run {
        let id: HashableKey?
        /// What cancels it; `nil` once that is done.
        var handle: Handle?
    }

    private var runs: [Int: Run] = [:]
    private var runsByID: [HashableKey: Int] = [:]
    private var lastRun = 0

    /// Whether no effect runs, not even one that was cancelled and has not ended yet.
    var isEmpty: Bool { runs.isEmpty }

    /// Makes room for an effect.
    ///
    /// - Returns: The effect's number, and what cancels the one whose id it takes.
    mutating func begin(id: HashableKey?) -> (run: Int, replaced: Handle?) {
        let replaced = id.flatMap { cancel(id: $0) }
        lastRun += 1
        runs[lastRun] = Run(id: id)
        if let id { runsByID[id] = lastRun }
        return (lastRun, replaced)
    }

    /// Notes what cancels an effect.
    mutating func attach(_ handle: Handle, to run: Int) {
        runs[run]?.handle = handle
    }

    /// Gives what cancels the effect with this id. The effect has no id from now on.
    mutating func cancel(id: HashableKey) -> Handle? {
        runsByID.removeValue(forKey: id).flatMap { takeHandle(of: $0) }
    }

    /// Gives what cancels each effect that runs, from the oldest to the newest.
    mutating func cancelAll() -> [Handle] {
        runsByID = [:]
        return runs.keys.sorted().compactMap { takeHandle(of: $0) }
    }

    mutating func end(_ run: Int) {
        guard let ended = runs.removeValue(forKey: run), let id = ended.id, runsByID[id] == run else { return }
        runsByID[id] = nil
    }

    private mutating func takeHandle(of run: Int) -> Handle? {
        defer { runs[run]?.handle = nil }
        return runs[run]?.handle
    }
}
