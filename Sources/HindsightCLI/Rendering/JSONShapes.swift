import HindsightQuery
import HindsightRecording
import HindsightSupport
import HindsightTree

extension Node {
    var stringValue: String? { if case .string(let text) = self { text } else { nil } }
    var intValue: Int? { if case .int(let number) = self { number } else { nil } }
    var boolValue: Bool? { if case .bool(let value) = self { value } else { nil } }
    var arrayValue: [Node]? { if case .array(let elements) = self { elements } else { nil } }

    /// An object without the members that are `nil`.
    static func members(_ members: KeyValuePairs<String, Node?>) -> Node {
        .object(members.compactMap { key, value in value.map { Member(key, $0) } })
    }

    /// `[first, last]`
    static func range(_ range: ClosedRange<Int>) -> Node { [.int(range.lowerBound), .int(range.upperBound)] }

    static func ranges(_ ranges: [ClosedRange<Int>]) -> Node { .array(ranges.map(Node.range)) }
}

/// A line of `log`, `tail` and `replay`.
typealias LogLine = Joined<ActionFacts, LogFacts>

/// What an action changed, and what else happened there.
struct LogFacts: Answer {
    /// `nil` if it is not known.
    @Nullable var changed: [NodePath]?
    /// What became of the places that were asked for.
    var places: [PlaceWatch.Change]?
    var computed: Bool?
    var doubtful: Bool?
    var crash: CrashFacts?
    var notes: [RecordedNote]?

    static let notes = [
        "places": "what became of those of --path, if given", "computed": "true if changed was computed, not recorded",
        "doubtful": "true if changed may lack some", "crash": "if the process ended in it; changed is before that",
    ]
}

/// A line that tells something between the lines of an answer.
struct EventName: Answer {
    let event: String
}

/// The name of the file that an answer is about.
struct FileName: Answer {
    let file: String
}

extension Console {
    /// Prints an answer as a line of JSON.
    func print(answer: some Encodable) { print(printable(answer: answer)) }

    /// Prints a line of JSON.
    func print(json node: Node) { print(printable(node)) }
}

/// The JSON of an answer for programs.
///
/// Answers hold nothing that the encoder refuses. If one did, its JSON would say so.
func printable(answer: some Encodable) -> String {
    do {
        return printable(try Node(answer: answer))
    } catch {
        return printable(["error": .string("\(error)")])
    }
}

/// JSON for programs. Unsafe scalars are escaped, because it may reach a terminal; its meaning stays the same.
func printable(_ node: Node) -> String {
    escape(node.json)
}
