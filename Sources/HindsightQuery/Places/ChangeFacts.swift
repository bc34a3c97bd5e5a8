import HindsightFormat
import HindsightRecording
import HindsightTree

/// Who changed a place, in answers.
package struct ChangeFacts: Answer {
    package enum Maker: String, Codable, CaseIterable, Sendable {
        case reducer, travel, oneOf, start, dropped
    }

    package private(set) var by: Maker?
    private var position: Node?
    private var seq: Int?
    private var reducer: Int?
    private var name: String?
    private var computed: Bool?
    private var actions: ClosedRange<Int>?
    private var type: String?
    private var action: Node?
    private var at: Int64?
    private var origin: Node?

    package static let notes = [
        "position": "the last facts but actions are those of one step or action", "reducer": "0: travel",
        "computed": "true if the step was computed, not recorded", "action": "the payload, or null",
        "actions": "[first, last], one of which it was; if they were dropped, it may also have been the start",
        "at": "ns since 1970", "origin": "file:line, or null",
    ]

    /// Says nothing.
    package init() {}

    /// - Parameter computed: The steps that were computed; `nil` if none were.
    package init(
        _ origin: ChangeOrigin,
        in recording: Recording,
        computed steps: ComputedSteps?
    ) throws(RecordingError) {
        switch origin {
        case .start:
            (by, position) = (.start, .int(recording.start.seq))
        case .dropped(let last):
            (by, actions) = (.dropped, 1...max(1, last))
        case .oneOf(let actions):
            (by, self.actions) = (.oneOf, actions)
            if actions.count == 1 { add(try recording.action(actions.lowerBound)) }
        case .step(let position):
            by = position.reducer == nil ? .travel : .reducer
            (self.position, seq, reducer) = (.string(position.description), position.seq, position.reducer ?? 0)
            name = recording.name(ofReducer: position.reducer ?? 0) ?? "?"
            if steps?.step(at: position) != nil { computed = true }
            add(try recording.action(position.seq))
        }
    }

    private mutating func add(_ action: RecordedAction) {
        (type, self.action, at) = (action.type, action.payload ?? .null, action.nanosecondsSinceEpoch)
        origin = action.origin.map(Node.string) ?? .null
    }
}
