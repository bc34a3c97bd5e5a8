import HindsightRecording
import HindsightTree

/// Brings the nodes of a recording into the form that today's types have.
struct RecordedForm {
    /// Whether recorded nodes have today's form already, so that recorded patches can be compared with today's.
    var isCurrent: Bool { true }

    /// The places of states, as patterns, that only the recording has, or only today's states: they cannot be compared.
    var unshared: [String] { [] }

    /// A recorded state in today's form.
    func state(_ recorded: Node) throws -> Node { recorded }

    /// What a recorded action is today: usually one action, several if it was split, none if it was dropped.
    func actions(_ recorded: Node) throws -> [Node] { [recorded] }
}
