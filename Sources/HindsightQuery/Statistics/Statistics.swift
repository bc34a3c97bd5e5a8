import HindsightRecording
import HindsightTree

/// What happened how often in a recording, how long it took and what it wrote: see ``Recording/statistics(in:)``.
package struct Statistics: Codable, Sendable {
    /// The actions of one type.
    package struct ActionType: Codable, Sendable {
        /// The type, as the column `type` of the view `history` has it.
        package internal(set) var type: String
        /// The number of actions.
        package internal(set) var count = 0
        /// The time of all reducers together, of each action that finished.
        package internal(set) var durations = Durations()
        /// The size of the payloads as JSON text, in bytes.
        package internal(set) var payloadBytes = 0
        /// The number of actions whose changes are known.
        package internal(set) var known = 0
        /// The number of actions in which a reducer changed something.
        package internal(set) var changing = 0
        /// The size of the changes as they are stored, in bytes.
        package internal(set) var changeBytes = 0
    }

    /// One reducer.
    package struct ReducerUse: Codable, Sendable {
        /// The number of the reducer, from 1.
        package internal(set) var number: Int
        /// The name of the reducer.
        package internal(set) var name: String
        /// The time of each run.
        package internal(set) var durations = Durations()
        /// The number of runs that changed something.
        package internal(set) var changing = 0
        /// The number of operations.
        package internal(set) var operations = 0
        /// The size of the operations as they are stored, in bytes.
        package internal(set) var changeBytes = 0
    }

    /// The places that have one path, with `*` for each index.
    package struct PathUse: Codable, Sendable {
        /// The path as a JSON Pointer, with `*` for a name that consists of digits.
        package internal(set) var path: String
        /// The number of operations at such a place.
        package internal(set) var operations: Int
        /// The size of the operations as they are stored, in bytes.
        package internal(set) var changeBytes: Int
        /// The numbers of the reducers that are known to have written there, in order; 0 is time travel.
        package internal(set) var reducers: [Int]
    }

    /// The size of the state at one position.
    package struct StateSize: Codable, Sendable {
        /// The position.
        package internal(set) var position: Recording.Position
        /// The size of the state as JSON text, in bytes.
        package internal(set) var bytes: Int
    }

    /// Arrays, objects or a text that are larger at the end than at the start.
    package struct Growth: Codable, Sendable {
        /// What the numbers count.
        package enum Unit: String, Codable, CaseIterable, Sendable {
            case elements, members, bytes
        }

        /// The path as a JSON Pointer, with `*` for a name that consists of digits. The numbers of all such places are
        /// added up.
        package internal(set) var path: String
        /// What the numbers count.
        package internal(set) var unit: Unit
        /// The number at each position of ``Statistics/sizes``; 0 where there is no such place.
        package internal(set) var counts: [Int]
    }

    /// The number of actions, time travel included.
    package internal(set) var actions = 0
    /// The number of time travels.
    package internal(set) var travels = 0
    /// The number of actions that did not finish.
    package internal(set) var unfinished = 0
    /// The number of actions whose changes are not known. Their changes are in no number.
    package internal(set) var unknown = 0
    /// The number of actions that changed something together with others, because the recorder left out their states.
    /// The changes are in ``paths`` alone.
    package internal(set) var bridged = 0
    /// The time of all reducers together, of each action that finished.
    package internal(set) var durations = Durations()
    /// The action types, by decreasing count.
    package internal(set) var types: [ActionType] = []
    /// All reducers, in the order in which they run.
    package internal(set) var reducers: [ReducerUse] = []
    /// The paths with the most operations, by decreasing number of operations. At most 20,000.
    package internal(set) var paths: [PathUse] = []
    /// The number of operations at other paths than those of ``paths``.
    package internal(set) var otherOperations = 0
    /// The size of the state at some positions, from the first to the last.
    package internal(set) var sizes: [StateSize] = []
    /// What grew from the first to the last position of ``sizes``, by decreasing growth.
    package internal(set) var growth: [Growth] = []
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
