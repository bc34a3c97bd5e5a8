import HindsightFormat
import HindsightRecording
import HindsightTree

/// What happened how often in a recording, how long it took and what it wrote: see ``Recording/statistics(in:)``.
public struct Statistics: Codable, Sendable {
    /// The actions of one type.
    public struct ActionType: Codable, Sendable {
        /// The type, as the column `type` of the view `history` has it.
        public internal(set) var type: String
        /// The number of actions.
        public internal(set) var count = 0
        /// The time of all reducers together, of each action that finished.
        public internal(set) var durations = Durations()
        /// The size of the payloads as JSON text, in bytes.
        public internal(set) var payloadBytes = 0
        /// The number of actions whose changes are known.
        public internal(set) var known = 0
        /// The number of actions in which a reducer changed something.
        public internal(set) var changing = 0
        /// The size of the changes as they are stored, in bytes.
        public internal(set) var changeBytes = 0
    }

    /// One reducer.
    public struct ReducerUse: Codable, Sendable {
        /// The number of the reducer, from 1.
        public internal(set) var number: Int
        /// The name of the reducer.
        public internal(set) var name: String
        /// The time of each run.
        public internal(set) var durations = Durations()
        /// The number of runs that changed something.
        public internal(set) var changing = 0
        /// The number of operations.
        public internal(set) var operations = 0
        /// The size of the operations as they are stored, in bytes.
        public internal(set) var changeBytes = 0
    }

    /// The places that have one path, with `*` for each index.
    public struct PathUse: Codable, Sendable {
        /// The path as a JSON Pointer, with `*` for a name that consists of digits.
        public internal(set) var path: String
        /// The number of operations at such a place.
        public internal(set) var operations: Int
        /// The size of the operations as they are stored, in bytes.
        public internal(set) var changeBytes: Int
        /// The numbers of the reducers that wrote there, in order; 0 is time travel.
        public internal(set) var reducers: [Int]
    }

    /// The size of the state at one position.
    public struct StateSize: Codable, Sendable {
        /// The position.
        public internal(set) var position: Recording.Position
        /// The size of the state as JSON text, in bytes.
        public internal(set) var bytes: Int
    }

    /// Arrays, objects or a text that are larger at the end than at the start.
    public struct Growth: Codable, Sendable {
        /// What the numbers count.
        public enum Unit: String, Codable, CaseIterable, Sendable {
            case elements, members, bytes
        }

        /// The path as a JSON Pointer, with `*` for a name that consists of digits. The numbers of all such places are
        /// added up.
        public internal(set) var path: String
        /// What the numbers count.
        public internal(set) var unit: Unit
        /// The number at each position of ``Statistics/sizes``; 0 where there is no such place.
        public internal(set) var counts: [Int]
    }

    /// The number of actions, time travel included.
    public internal(set) var actions = 0
    /// The number of time travels.
    public internal(set) var travels = 0
    /// The number of actions that did not finish.
    public internal(set) var unfinished = 0
    /// The number of actions whose changes are not known. Their changes are in no number.
    public internal(set) var unknown = 0
    /// The number of actions that changed something together with others, because the recorder left out their states.
    /// The changes are in ``paths`` alone.
    public internal(set) var bridged = 0
    /// The time of all reducers together, of each action that finished.
    public internal(set) var durations = Durations()
    /// The action types, by decreasing count.
    public internal(set) var types: [ActionType] = []
    /// All reducers, in the order in which they run.
    public internal(set) var reducers: [ReducerUse] = []
    /// The paths with the most operations, by decreasing number of operations. At most 20,000.
    public internal(set) var paths: [PathUse] = []
    /// The number of operations at other paths than those of ``paths``.
    public internal(set) var otherOperations = 0
    /// The size of the state at some positions, from the first to the last.
    public internal(set) var sizes: [StateSize] = []
    /// What grew from the first to the last position of ``sizes``, by decreasing growth.
    public internal(set) var growth: [Growth] = []
}

extension Durations: Answer {
    package static let notes = ["total": "ns, as the others"]
}

extension Statistics: Answer {
    package static let notes = [
        "unknown": "actions whose changes are not known", "bridged": "actions whose changes are known only together",
        "paths": "at most 20,000",
    ]
}

extension Statistics.Growth: Answer {
    package static let notes = ["counts": "at each position of sizes"]
}
