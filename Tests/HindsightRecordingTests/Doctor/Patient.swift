import Foundation
import HindsightSQLite
import HindsightTree
import TestSupport

@testable import HindsightFormat
@testable import HindsightRecorder
@testable import HindsightRecording

/// A recording with many whole states, what its states really were, and ways to damage it.
final class Patient {
    let scratch: Scratch
    let count: Int
    /// The state after each action, as text; the first is the initial one.
    private(set) var truth: [String] = []
    /// The whole states' positions.
    private(set) var keyframes: [Int] = []
    /// Actions and whole states that are as they were.
    private(set) var intactSteps: Set<Int>
    private(set) var intactKeyframes: Set<Int> = []
    /// Positions that a finding has to speak of.
    private(set) var hurt: Set<Int> = []
    /// Whether what was damaged is gone or unreadable for everybody, and not only wrong.
    private(set) var isPlain = true

    var file: URL { scratch.file() }

    init(seed: UInt64, count: Int = 60) throws {
        self.count = count
        scratch = try Scratch()
        intactSteps = Set(1...count)
        var options = RecorderOptions()
        options.keyframeFloor = 64
        let witness = Witness<Shop, ShopAction>()
        let (recorder, store) = try shop(at: scratch.file(), options: options, middleware: [.init(observer: witness)])
        for action in shopActions(count, seed: seed) { store.dispatch(action) }
        try recorder.close()
        let states = witness.states
        truth = try (0...count).map { seq in
            guard let state = states[Recording.Position(seq: seq)] else { throw CocoaError(.keyValueValidation) }
            return try NodeEncoder().encode(state).json
        }
        keyframes = try column("SELECT seq FROM keyframe ORDER BY seq").compactMap(Int.init)
        intactKeyframes = Set(keyframes)
    }

    /// A column of all rows, by a connection of its own.
    func column(_ sql: String) throws -> [String] {
        let connection = try Connection(file.path, .readImmutable)
        let row = try connection.prepare(sql)
        var values: [String] = []
        while try row.step() { values.append(row.isInteger(0) ? String(try row.integer(0)) : try row.text(0)) }
        return values
    }

    func execute(_ sql: String, _ text: String? = nil) throws {
        let connection = try Connection(file.path, .readWrite)
        let statement = try connection.prepare(sql)
        if let text { try statement.bind(text, at: 1) }
        try statement.run()
    }

    /// Positions that can be reached from an intact whole state by intact actions.
    var reachable: Set<Int> {
        var reached = intactKeyframes
        for seq in 1...count where intactSteps.contains(seq) && reached.contains(seq - 1) { reached.insert(seq) }
        for seq in (1...count).reversed() where intactSteps.contains(seq) && reached.contains(seq) {
            reached.insert(seq - 1)
        }
        // Forward once more from what was reached backward.
        for seq in 1...count where intactSteps.contains(seq) && reached.contains(seq - 1) { reached.insert(seq) }
        return reached
    }

    // MARK: Damage

    enum Wound: CaseIterable {
        case deletedAction, garbledSteps, missingSteps, foreignSteps, changedSteps
        case deletedState, garbledState, changedState, movedState
        case garbledPayload, missingPayload, deletedName, deletedReducer, deletedFact
    }

    /// Those after which everybody can see what is gone.
    static let plainWounds: [Wound] = [.deletedAction, .garbledSteps, .missingSteps, .deletedState, .garbledState]

    func wound(_ wound: Wound, _ random: inout Seeded) throws {
        // An action that is missing at the end was never there, for all that anybody knows.
        let seq = 1 + random.below(count - 1)
        let keyframe = random.pick(keyframes.filter(intactKeyframes.contains))
        switch wound {
        case .deletedAction:
            try execute("DELETE FROM action WHERE seq = \(seq)")
            loseSteps(seq)
        case .garbledSteps:
            try execute("UPDATE action SET steps = '[[1,[\"r/total\",1' WHERE seq = \(seq)")
            loseSteps(seq)
        case .missingSteps:
            // Where a whole state follows, that is how a recording looks that has left something out.
            guard !keyframes.contains(where: { (seq...seq + 1).contains($0) }) else { return }
            try execute("UPDATE action SET steps = NULL WHERE seq = \(seq)")
            loseSteps(seq)
        case .foreignSteps:
            let other = 1 + random.below(count)
            try execute("UPDATE action SET steps = (SELECT steps FROM action WHERE seq = \(other)) WHERE seq = \(seq)")
            intactSteps.remove(seq)
            isPlain = false
        case .changedSteps:
            let text = try column("SELECT steps FROM action WHERE seq = \(seq)").first ?? ""
            try execute("UPDATE action SET steps = ? WHERE seq = \(seq)", Self.changed(text, &random))
            intactSteps.remove(seq)
            isPlain = false
        case .deletedState:
            try execute("DELETE FROM keyframe WHERE seq = \(keyframe)")
            intactKeyframes.remove(keyframe)
        case .garbledState:
            try execute("UPDATE keyframe SET state = substr(state, 1, 20) WHERE seq = \(keyframe)")
            intactKeyframes.remove(keyframe)
            hurt.insert(keyframe)
        case .changedState:
            let text = try column("SELECT state FROM keyframe WHERE seq = \(keyframe)").first ?? ""
            try execute("UPDATE keyframe SET state = ? WHERE seq = \(keyframe)", Self.changed(text, &random))
            intactKeyframes.remove(keyframe)
            isPlain = false
        case .movedState:
            let other = random.below(count + 1)
            guard !keyframes.contains(other) else { return }
            try execute("UPDATE keyframe SET seq = \(other) WHERE seq = \(keyframe)")
            intactKeyframes.remove(keyframe)
            isPlain = false
        case .garbledPayload:
            try execute("UPDATE action SET payload = '{\"add\":' WHERE seq = \(seq)")
            hurt.insert(seq)
        case .missingPayload:
            try execute("UPDATE action SET payload = NULL WHERE seq = \(seq)")
            hurt.insert(seq)
        case .deletedName:
            let used = try column("SELECT type FROM action WHERE seq = \(seq)").first ?? ""
            try execute("DELETE FROM name WHERE id = \(used)")
            hurt.insert(seq)
        case .deletedReducer:
            try execute("DELETE FROM reducer WHERE id = \(random.below(5))")
            hurt.insert(-1)
        case .deletedFact:
            try execute("DELETE FROM recording WHERE key = '\(random.pick(["app", "version", "platform", "created"]))'")
            hurt.insert(-1)
        }
    }

    /// Makes it a recording of a recorder that was behind: without the states of a run of actions, and with what all of them
    /// changed at the last.
    func leaveOut(_ run: ClosedRange<Int>) throws {
        var operations: [Patch.Operation] = []
        for text in try column(
            "SELECT steps FROM action WHERE seq BETWEEN \(run.lowerBound) AND \(run.upperBound) ORDER BY seq"
        ) {
            var text = text
            for step in try text.withUTF8({ try TimedPatches.read($0) }) { operations += step.patch.operations }
        }
        let bridge = TimedPatches.write([TimedPatch(duration: nil, patch: Patch(operations))]).text
        let connection = try Connection(file.path, .readWrite)
        var table = SkippedTable()
        for seq in run { try table.add(seq, to: connection) }
        try connection.execute(
            """
            UPDATE action SET steps = NULL WHERE seq BETWEEN \(run.lowerBound) AND \(run.upperBound);
            DELETE FROM keyframe WHERE seq BETWEEN \(run.lowerBound) AND \(run.upperBound)
            """
        )
        try table.bridge(to: run.upperBound, bridge, connection)
    }

    private func loseSteps(_ seq: Int) {
        intactSteps.remove(seq)
        hurt.insert(seq)
    }

    /// A text with one character replaced, taken out or put in.
    private static func changed(_ text: String, _ random: inout Seeded) -> String {
        var characters = Array(text.unicodeScalars)
        let place = random.below(characters.count)
        let other = random.pick(Array("0123456789abcxyz\"[]{},:-~/ ".unicodeScalars))
        switch random.below(4) {
        case 0: characters.remove(at: place)
        case 1: characters.insert(other, at: place)
        default: characters[place] = other
        }
        return String(String.UnicodeScalarView(characters))
    }
}
