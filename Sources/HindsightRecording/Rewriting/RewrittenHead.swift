import HindsightFormat

/// Writes what a rewritten recording says about itself, its notes, and the parents that come after their children.
struct RewrittenHead {
    let recording: Recording
    let tables: NewTables
    let numbers: ActionNumbers
    let schema: Int

    func write() throws {
        for (child, parent) in numbers.pending {
            if let parent = numbers[parent] { try tables.adopt(child, by: parent) }
        }
        for states in recording.doubtful {
            let last = numbers.end(at: states.actions.upperBound)
            let first = numbers.end(at: states.actions.lowerBound - 1) + 1
            if first <= last { try tables.add(DoubtfulStates(actions: first...last, path: states.path)) }
        }
        // A note between two reducers of an action that was split is at the whole action.
        try tables.copyNotes(of: recording, after: recording.start.seq) { place in
            let reducer = numbers.isWhole(place.seq) ? place.reducer : nil
            return Recording.Position(seq: numbers.end(at: place.seq), reducer: reducer)
        }
        try tables.finish(try facts())
    }

    private func facts() throws(RecordingError) -> [String: Metadata.Value] {
        var facts = try recording.rawFacts()
        facts[Metadata.Key.schema] = schema == AppInfo.firstSchema ? nil : .number(Int64(schema))
        if !numbers.isUnchanged {
            // It names actions by their recorded numbers.
            facts[Metadata.Key.during] = nil
            if case .text(let text)? = facts[Metadata.Key.died], var died = RecordingPosition(text) {
                let isRemoved = !numbers.isWhole(died.seq)
                died.seq = numbers.end(at: died.seq)
                facts[Metadata.Key.died] = isRemoved ? nil : .text(died.description)
            }
            if let lost = recording.lost {
                let moved = numbers.last - recording.actionCount
                let text = "\(lost.lowerBound + moved)-\(lost.upperBound + moved)"
                facts[Metadata.Key.lost] = .text(text)
            }
        }
        return facts
    }
}
