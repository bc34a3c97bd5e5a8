import Foundation
import HindsightFormat
import HindsightStore
import HindsightTree

/// A recorded action. ``Recording/action(_:)`` and ``Recording/entries(in:withSteps:)`` read it.
public struct RecordedAction: Sendable {
    // Behind one reference, because a reader passes an action on more often than it changes one.
    private let content: Content

    /// The number of the action, from 1.
    public var seq: Int { content.fields.seq }
    /// The number of the action whose middleware, subscriber or effect dispatched this one; `nil` if there is none.
    public var parent: Int? { content.fields.parent }
    /// The action's short name: the case of an enum, the type of a struct, or `@travel` if ``isTravel``.
    public var type: String { content.fields.type }
    /// The action itself; `nil` if it could not be encoded (``problem`` says why), or if ``isTravel``.
    public var payload: Node? { content.fields.payload }
    /// When the action reached the reducers, in nanoseconds since 1970: the exact value of ``date``.
    package var nanosecondsSinceEpoch: Int64 { content.fields.nanosecondsSinceEpoch }
    /// The exact value of ``duration``.
    package var durationInNanoseconds: Int64? { content.fields.durationInNanoseconds }
    /// The value of ``origin``, which few readers need as text.
    package var source: Origin? { content.fields.source }
    /// Why the action cannot be run again; `nil` if it can.
    public var problem: String? { content.fields.problem }
    /// The thread and the task that dispatched the action; `nil` if they are not known.
    package var thread: DispatchingThread? { content.fields.thread }

    init(_ fields: Fields) { content = Content(fields) }

    var fields: Fields { content.fields }

    struct Fields: Hashable, Sendable {
        var seq: Int
        var parent: Int?
        var type: String
        var payload: Node?
        var nanosecondsSinceEpoch: Int64
        var durationInNanoseconds: Int64?
        var source: Origin?
        var problem: String?
        var thread: DispatchingThread?
    }

    private final class Content: Sendable {
        let fields: Fields

        init(_ fields: Fields) { self.fields = fields }
    }
}

extension RecordedAction: Hashable {
    public static func == (one: RecordedAction, other: RecordedAction) -> Bool {
        one.content === other.content || one.fields == other.fields
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(fields) }
}

extension RecordedAction {
    /// When the action reached the reducers. A `Date` is rounded to about a tenth of a microsecond.
    public var date: Date { Date(nanosecondsSinceEpoch: nanosecondsSinceEpoch) }
    /// Where the action was dispatched, as `file:line`; `nil` if that was not recorded.
    public var origin: String? { source?.description }
    /// How long all its reducers took, exact to the nanosecond; `nil` if they did not finish.
    public var duration: Duration? { durationInNanoseconds.map { .nanoseconds($0) } }
    /// Whether this is time travel in the running app, and not an action. Its only step has reducer 0.
    public var isTravel: Bool { payload == nil && type == Schema.travelType }
    /// The action to whose state the app travelled; 0 for the initial state. `nil` if the app gave the state, or if this
    /// is not time travel.
    public var destination: Int? {
        guard isTravel, let target = problem.flatMap(TravelText.destination), target < seq else { return nil }
        return target
    }
    /// Whether the action could not be encoded. A replay does not run it, and goes on with the recorded state after it.
    public var isGap: Bool { replayable == nil && !isTravel }
    /// Whether the payload is a description by reflection, of which no action can be made.
    public var isDescribed: Bool { payload != nil && problem != nil }
    /// The payload, if an action can be made of it.
    package var replayable: Node? { problem == nil ? payload : nil }

    /// Whether the action has this type, or one inside it: `market(.quotes)` has the types `market` and
    /// `market.quotes`.
    ///
    /// Types are compared by their scalars.
    package func isOf(type: String) -> Bool {
        let wanted = type.utf8
        if wanted.elementsEqual(self.type.utf8) { return true }
        guard wanted.starts(with: (self.type + ".").utf8), let payload else { return false }
        let full = ([self.type] + payload.nestedCases).joined(separator: ".")
        return full.utf8.elementsEqual(wanted) || full.utf8.starts(with: (type + ".").utf8)
    }
}

/// The change by one reducer in one action.
public struct RecordedStep: Sendable, Hashable {
    /// The number of the reducer, from 1; 0 for time travel. ``Recording/name(ofReducer:)`` returns its name.
    public internal(set) var reducer: Int
    /// The exact value of ``duration``; 0 for time travel.
    package internal(set) var durationInNanoseconds: Int64
    /// The change; `nil` if the reducer changed nothing.
    public internal(set) var patch: Patch?

    package init(reducer: Int, durationInNanoseconds: Int64, patch: Patch?) {
        self.reducer = reducer
        self.durationInNanoseconds = durationInNanoseconds
        self.patch = patch
    }

    /// How long the reducer took, exact to the nanosecond; zero for time travel.
    public var duration: Duration { .nanoseconds(durationInNanoseconds) }
}

extension Date {
    /// Creates a date from nanoseconds since 1970, rounded to what a date can hold.
    init(nanosecondsSinceEpoch nanoseconds: Int64) {
        let (seconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        let wholeSeconds = Double(seconds) - Date.timeIntervalBetween1970AndReferenceDate
        self.init(timeIntervalSinceReferenceDate: wholeSeconds + Double(rest) / 1e9)
    }
}
