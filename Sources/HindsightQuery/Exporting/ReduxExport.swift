import HindsightFormat
import HindsightRecording
import HindsightSupport
import HindsightTree

/// Writes a file that Redux DevTools imports.
///
/// The file is an object with two strings of JSON: `payload`, the state of the store enhancer `instrument` (its
/// `LiftedState`), and `preloadedState`, the app's state before the first action.
/// <https://github.com/reduxjs/redux-devtools>
struct ReduxExport {
    let recording: Recording
    /// Redux DevTools interprets this key. Its parser does not, if it is escaped.
    private let reservedKey = ByteNeedle(Array(#""$jsan""#.utf8))

    func run(_ range: ClosedRange<Int>?, _ write: (String) throws -> Void) throws {
        let first = range?.lowerBound ?? recording.actionCount + 1
        let count = range?.count ?? 0
        let states = LazyStateCursor(on: recording)
        let initial = try state(at: Recording.Position(seq: first - 1), states)
        func part(_ json: String) throws { try write(quoted(json)) }
        try write(#"{"payload":""#)
        try part(#"{"monitorState":{},"nextActionId":\#(count + 1),"actionsById":{"#)
        try part(#""0":{"type":"PERFORM_ACTION","action":{"type":"@@INIT"},"timestamp":\#(milliseconds(of: first))}"#)
        if let range {
            var entries = try recording.entries(in: range, withSteps: false)
            while let (action, _) = try entries.next() {
                let id = action.seq - first + 1
                let time = action.nanosecondsSinceEpoch / 1_000_000
                try part(
                    #","\#(id)":{"type":"PERFORM_ACTION","action":\#(node(of: action).json),"timestamp":\#(time)}"#
                )
            }
        }
        try part(#"},"stagedActionIds":["#)
        for id in 0...count { try part(id == 0 ? "0" : ",\(id)") }
        try part(#"],"skippedActionIds":[],"committedState":\#(initial ?? "null"),"currentStateIndex":\#(count)"#)
        try part(#","computedStates":["#)
        try part(entry(of: initial, Recording.Position(seq: first - 1)))
        if let range {
            for position in range.map({ Recording.Position(seq: $0) }) {
                try part("," + entry(of: state(at: position, states), position))
            }
        }
        try part(#"],"isLocked":false,"isPaused":false}"#)
        try write(#"","preloadedState":""#)
        try part(initial ?? "null")
        try write("\"}\n")
    }

    /// JSON text inside a JSON string.
    private func quoted(_ json: String) -> String {
        var json = escape(json)
        if json.withUTF8({ $0.contains(reservedKey) }) {
            json = json.replacing(#""$jsan""#, with: #""\u0024jsan""#)
        }
        return String(Node.string(json).json.dropFirst().dropLast())
    }

    /// The time of the first state: that of the action before it, or the start of the recording.
    private func milliseconds(of first: Int) throws -> Int64 {
        let seq = first - 1
        guard seq > recording.start.seq, seq <= recording.actionCount else {
            return (recording.keptSinceNanoseconds ?? recording.createdNanoseconds) / 1_000_000
        }
        return try recording.action(seq).nanosecondsSinceEpoch / 1_000_000
    }

    private func node(of action: RecordedAction) -> Node {
        var members: [Node.Member] = [.init("type", .string(action.fullType))]
        switch action.payload {
        case .object(let cases)? where cases.count == 1 && ScalarKey(cases[0].key) == ScalarKey(action.type):
            if case .object(let inner) = cases[0].value, inner.isEmpty { break }
            members.append(.init("payload", cases[0].value))
        case let payload?: members.append(.init("payload", payload))
        case nil: break
        }
        if let problem = action.problem { members.append(.init("error", .string(problem))) }
        return .object(members)
    }

    // MARK: States

    private func state(at position: Recording.Position, _ states: LazyStateCursor) throws -> String? {
        try recording.hasStates ? states.knownState(at: position)?.json : nil
    }

    private func entry(of state: String?, _ position: Recording.Position) -> String {
        if let state { return #"{"state":\#(state)}"# }
        let problem = Node.string("The state after action \(position) was not recorded.")
        return #"{"state":null,"error":\#(problem.json)}"#
    }
}
