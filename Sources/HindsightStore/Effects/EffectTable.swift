/// The running effects and their ids.
struct EffectTable<Handle> {
    private struct Run {
        let id: HashableKey?
        /// Cancels the effect; `nil` once it is cancelled.
        var handle: Handle?
    }

    private var runs: [Int: Run] = [:]
    private var runsByID: [HashableKey: Int] = [:]
    private var lastRun = 0

    /// Whether no effect runs. A cancelled effect runs until its task ends.
    var isEmpty: Bool { runs.isEmpty }

    /// Adds an effect.
    ///
    /// - Returns: The effect's number, and the handle of the effect that had the same id.
    mutating func begin(id: HashableKey?) -> (run: Int, replaced: Handle?) {
        let replaced = id.flatMap { cancel(id: $0) }
        lastRun += 1
        runs[lastRun] = Run(id: id)
        if let id { runsByID[id] = lastRun }
        return (lastRun, replaced)
    }

    /// Sets the handle of an effect.
    mutating func attach(_ handle: Handle, to run: Int) {
        runs[run]?.handle = handle
    }

    /// Returns the handle of the effect with this id, and removes the id.
    mutating func cancel(id: HashableKey) -> Handle? {
        runsByID.removeValue(forKey: id).flatMap { takeHandle(of: $0) }
    }

    /// Returns the handles of all effects, from the oldest to the newest, and removes their ids.
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
