import Foundation
import HindsightSQLite
import HindsightTree
import TestSupport

@testable import HindsightFormat
@testable import HindsightRecorder
@testable import HindsightRecording

/// A recording with many whole states, its true states, and ways to damage it.
final class Specimen {
    let scratch = Scratch()
    let count: Int
    /// The state after each action, as text. The first is the initial one.
    private(set) var truth: [String] = []
    /// The positions of whole states.
    private(set) var keyframes: [Int] = []
    /// Undamaged actions and whole states.
    private(set) var intactSteps: Set<Int>
    private(set) var intactKeyframes: Set<Int> = []
    /// Positions that a finding must cover.
    private(set) var damaged: Set<Int> = []
    /// Whether every reader can detect the damage because data is missing or unreadable, not only wrong.
    private(set) var isDetectable = true

    var file: URL { scratch.file() }

    init(seed: UInt64, count: Int = 60) throws {
        self.count = count
        intactSteps = Set(1...count)
        var options = RecorderOptions()
        options.keyframeFloor = 64
        let witness = Witness<Shop, ShopAction>()
        try recordShop(count, seed: seed, to: scratch.file(), options: options, witness: witness)
        let states = witness.states
        truth = try (0...count).map { seq in
            guard let state = states[Recording.Position(seq: seq)] else { throw CocoaError(.keyValueValidation) }
            return try NodeEncoder().encode(state).json
        }
        keyframes = try column("SELECT seq FROM keyframe ORDER BY seq").compactMap(Int.init)
        intactKeyframes = Set(keyframes)
    }

    /// A column of all rows, read on a separate connection.
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

    /// Positions that intact actions connect to an intact whole state.
    var reachable: Set<Int> {
        var reached = intactKeyframes
        for seq in 1...count where intactSteps.contains(seq) && reached.contains(seq - 1) { reached.insert(seq) }
        for seq in (1...count).reversed() where intactSteps.contains(seq) && reached.contains(seq) {
            reached.insert(seq - 1)
        }
        // Forward again from the positions that the backward pass reached.
        for seq in 1...count where intactSteps.contains(seq) && reached.contains(seq - 1) { reached.insert(seq) }
        return reached
    }

    // MARK: Damage

    enum Damage: CaseIterable {
        case deletedAction, garbledSteps, missingSteps, foreignSteps, changedSteps
        case deletedState, garbledState, changedState, movedState
        case garbledPayload, missingPayload, deletedName, deletedReducer, deletedFact
    }

    /// The kinds of damage that every reader can detect.
    static let detectableDamages: [Damage] = [
        .deletedAction, .garbledSteps, .missingSteps, .deletedState, .garbledState,
    ]

    func damage(_ damage: Damage, _ random: inout Seeded) throws {
        // Leaves the last action alone: without it, the recording is only shorter.
        let seq = 1 + random.below(count - 1)
        let keyframe = random.pick(keyframes.filter(intactKeyframes.contains))
        switch damage {
        case .deletedAction:
            try execute("DELETE FROM action WHERE seq = \(seq)")
            loseSteps(seq)
        case .garbledSteps:
            try execute("UPDATE action SET steps = '[[1,[\"r/total\",1' WHERE seq = \(seq)")
            loseSteps(seq)
        case .missingSteps:
            // Before a whole state, this is how a recording looks that has left out states.
            guard !keyframes.contains(where: { (seq...seq + 1).contains($0) }) else { return }
            try execute("UPDATE action SET steps = NULL WHERE seq = \(seq)")
            loseSteps(seq)
        case .foreignSteps:
            let other = 1 + random.below(count)
            try execute("UPDATE action SET steps = (SELECT steps FROM action WHERE seq = \(other)) WHERE seq = \(seq)")
            intactSteps.remove(seq)
            isDetectable = false
        case .changedSteps:
            let text = try column("SELECT steps FROM action WHERE seq = \(seq)").first ?? ""
            try execute("UPDATE action SET steps = ? WHERE seq = \(seq)", Self.changed(text, &random))
            intactSteps.remove(seq)
            isDetectable = false
        case .deletedState:
            try execute("DELETE FROM keyframe WHERE seq = \(keyframe)")
            intactKeyframes.remove(keyframe)
        case .garbledState:
            try execute("UPDATE keyframe SET state = substr(state, 1, 20) WHERE seq = \(keyframe)")
            intactKeyframes.remove(keyframe)
            damaged.insert(keyframe)
        case .changedState:
            let text = try column("SELECT state FROM keyframe WHERE seq = \(keyframe)").first ?? ""
            try execute("UPDATE keyframe SET state = ? WHERE seq = \(keyframe)", Self.changed(text, &random))
            intactKeyframes.remove(keyframe)
            isDetectable = false
        case .movedState:
            let other = random.below(count + 1)
            guard !keyframes.contains(other) else { return }
            try execute("UPDATE keyframe SET seq = \(other) WHERE seq = \(keyframe)")
            intactKeyframes.remove(keyframe)
            isDetectable = false
        case .garbledPayload:
            try execute("UPDATE action SET payload = '{\"add\":' WHERE seq = \(seq)")
            damaged.insert(seq)
        case .missingPayload:
            try execute("UPDATE action SET payload = NULL WHERE seq = \(seq)")
            damaged.insert(seq)
        case .deletedName:
            let used = try column("SELECT type FROM action WHERE seq = \(seq)").first ?? ""
            try execute("DELETE FROM name WHERE id = \(used)")
            damaged.insert(seq)
        case .deletedReducer:
            try execute("DELETE FROM reducer WHERE id = \(random.below(5))")
            damaged.insert(-1)
        case .deletedFact:
            try execute("DELETE FROM recording WHERE key = '\(random.pick(["app", "version", "platform", "created"]))'")
            damaged.insert(-1)
        }
    }

    /// Makes it the recording of a recorder that was behind: the actions of a run have no states, and the last one has
    /// all their changes.
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
        var table = RunTable()
        for seq in run { try table.skip(seq, isLast: false, connection) }
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
        damaged.insert(seq)
    }

    /// A text with one character replaced, removed or inserted.
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
