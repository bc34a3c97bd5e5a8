import HindsightRecorder
import HindsightRecording

/// How today's reducers differ from the recorded ones, by their names.
///
/// A reducer that declares its earlier name with `formerly:` is the recorded one of that name.
package struct ReducerChanges: Codable, Sendable, Hashable {
    /// A reducer with another name.
    package struct Renaming: Codable, Sendable, Hashable {
        /// The recorded name.
        package let recorded: String
        /// Today's name.
        package let today: String

        init(recorded: String, today: String) { (self.recorded, self.today) = (recorded, today) }

        /// Reads both names.
        package init(from decoder: any Decoder) throws {
            var names = try decoder.unkeyedContainer()
            (recorded, today) = (try names.decode(String.self), try names.decode(String.self))
        }

        /// Writes `[recorded, today]`.
        package func encode(to encoder: any Encoder) throws {
            var names = encoder.unkeyedContainer()
            try names.encode(recorded)
            try names.encode(today)
        }
    }

    /// Today's reducers that the recording does not have.
    package private(set) var added: [String] = []
    /// Recorded reducers that today's app does not have.
    package private(set) var removed: [String] = []
    /// Reducers that have another name today.
    package private(set) var renamed: [Renaming] = []
    /// Whether the reducers that both have run in another order.
    package private(set) var isReordered = false

    /// Recorded steps of the one function that today's app runs as a whole.
    package private(set) var steps: [String] = []

    /// The number of the recorded reducer for each of today's, from 1; `nil` if it was added.
    private(set) var recordedNumbers: [Int?] = []

    private enum CodingKeys: String, CodingKey {
        case removed = "missing"
        case added = "additional"
        case renamed
        case isReordered = "reordered"
        case steps
    }

    /// Whether each reducer has the same number in both, so that their steps can be compared.
    package var hasSameSteps: Bool { added.isEmpty && removed.isEmpty && steps.isEmpty && !isReordered }

    init(recorded: [String], today: [String], former: [[String]]) {
        var numbers = Dictionary(recorded.enumerated().map { ($1, $0 + 1) }, uniquingKeysWith: { first, _ in first })
        var matches = today.map { numbers.removeValue(forKey: $0) }
        for (index, names) in former.enumerated() where matches[index] == nil {
            let known = names.flatMap { name in recorded.filter { $0 == name || $0.hasPrefix(name + "#") } }
            guard let name = known.first(where: { numbers[$0] != nil }) else { continue }
            matches[index] = numbers.removeValue(forKey: name)
            renamed.append(Renaming(recorded: name, today: today[index]))
        }
        recordedNumbers = matches
        added = zip(today, matches).filter { $1 == nil }.map(\.0)
        removed = recorded.filter { numbers[$0] != nil }
        let order = matches.compactMap { $0 }
        isReordered = zip(order, order.dropFirst()).contains { $0 > $1 }
    }

    /// Compares the names of an app's reducers with the recorded ones.
    package init(of app: ReplayableApp, since recording: Recording) {
        self.init(recorded: recording.reducers, today: app.reducers, former: app.formerReducers)
        if app.runsWhole, recording.reducers.first == app.reducers.first { (steps, removed) = (removed, []) }
    }
}
