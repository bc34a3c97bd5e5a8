import HindsightTree

extension Recording {
    /// The counts and sizes of a recording.
    package struct Summary: Sendable, Hashable {
        /// An action type and its number of actions.
        package struct TypeCount: Sendable, Hashable {
            /// The name; for an enum inside an action, with the types around it: `market.quotes`.
            package internal(set) var type: String
            /// The number of actions of this type.
            package internal(set) var count: Int
            /// The cases of the enum in the payload, if every action of this type has such a payload, with at most 64
            /// different cases.
            package internal(set) var nested: [TypeCount]

            /// The names of this type and all types inside it.
            package var names: [String] { [type] + nested.flatMap(\.names) }
        }

        /// A type that is not `Codable`, because of which values are descriptions by reflection.
        package struct DescribedType: Codable, Sendable, Hashable {
            /// The type's name.
            package let type: String
            /// The number of actions that are descriptions because of it.
            package var actions = 0
            /// Whether the states are descriptions because of it.
            package var states = false

            package init(type: String, actions: Int = 0, states: Bool = false) {
                (self.type, self.actions, self.states) = (type, actions, states)
            }
        }

        /// Sizes in bytes.
        package struct Sizes: Answer, Hashable {
            /// The file, with the part that is still in SQLite's files beside it.
            package internal(set) var file: Int64 = 0
            /// All actions' text.
            package internal(set) var actions: Int64 = 0
            /// All steps (patches and durations) as text.
            package internal(set) var patches: Int64 = 0
            /// All keyframes' text.
            package internal(set) var keyframes: Int64 = 0
        }

        /// The number of actions.
        package internal(set) var actions = 0
        /// The number of actions that could not be encoded.
        package internal(set) var gaps = 0
        /// The number of actions that are descriptions by reflection.
        package internal(set) var descriptions = 0
        /// The types because of which actions and states are descriptions: first those of the states, then by decreasing
        /// number of actions.
        package internal(set) var describedTypes: [DescribedType] = []
        /// The number of time travels.
        package internal(set) var travels = 0
        /// The action types, by decreasing frequency, then by name.
        package internal(set) var types: [TypeCount] = []
        /// The number of steps that changed something.
        package internal(set) var changes = 0
        /// The number of keyframes.
        package internal(set) var keyframes = 0
        package internal(set) var bytes = Sizes()
    }
}

extension Recording.Summary.TypeCount: Codable, ShapeLeaf {
    private enum Key: CodingKey { case type, count, types }

    /// Reads what ``encode(to:)`` writes.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        type = try container.decode(String.self, forKey: .type)
        count = try container.decode(Int.self, forKey: .count)
        nested = try container.decodeIfPresent([Self].self, forKey: .types) ?? []
    }

    /// Writes the types inside as `types`, if there are any.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(type, forKey: .type)
        try container.encode(count, forKey: .count)
        if !nested.isEmpty { try container.encode(nested, forKey: .types) }
    }

    package static var sample: Self { Self(type: "", count: 0, nested: []) }
    package static var form: String { "{type, count, types (of the enums inside, if any)}" }
}
