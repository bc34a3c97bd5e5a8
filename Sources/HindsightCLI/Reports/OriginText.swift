import HindsightFormat
import HindsightQuery
import HindsightRecording
import HindsightSupport
import HindsightTree

/// Describes who changed a place: `412.3`, `cart.totals`, `applyCoupon("HALF")`, `CheckoutView.swift:88`.
struct OriginText {
    let recording: Recording
    /// The approximate number of characters for an action.
    var budget = 60
    /// The steps that were computed, which are marked; `nil` if none were.
    var computed: ComputedSteps?

    /// The parts for a table. Parts that are not known are empty.
    struct Parts {
        var position: String
        var time = ""
        var reducer = ""
        var action = ""
        var source = ""

        /// All but the position, as columns are left out where a table is too narrow for them.
        var others: [String] { [time, reducer, action, source] }
    }

    func parts(of origin: ChangeOrigin) throws -> Parts {
        switch origin {
        case .start: return Parts(position: "start")
        case .dropped(let last): return Parts(position: "\(last) or before", action: "dropped by the limit")
        case .oneOf(let actions) where actions.count > 1:
            return Parts(position: Quantities.range(actions), action: "one of these; not recorded which")
        case .oneOf(let actions):
            var parts = try parts(of: try recording.action(actions.lowerBound), "\(actions.lowerBound)")
            parts.reducer = "(not recorded)"
            return parts
        case .step(let position):
            let mark = computed?.step(at: position) == nil ? "" : ActionLine.computedMark
            var parts = try parts(of: try recording.action(position.seq), mark + position.description)
            parts.reducer = brief(recording.name(ofReducer: position.reducer ?? 0) ?? "?", longest: 40)
            return parts
        }
    }

    /// What led to a position: its step, or its action.
    func parts(at position: Recording.Position) throws -> Parts {
        try parts(of: position.reducer == nil ? .oneOf(position.seq...position.seq) : .step(position))
    }

    /// `, in cart.totals, by applyCoupon("HALF"), dispatched at CheckoutView.swift:88`
    func clause(at position: Recording.Position) throws -> String {
        let parts = try parts(at: position)
        let reducer = position.reducer == nil ? "" : ", in \(parts.reducer)"
        return "\(reducer), by \(parts.action)" + (parts.source.isEmpty ? "" : ", dispatched at \(parts.source)")
    }

    private func parts(of action: RecordedAction, _ position: String) throws -> Parts {
        Parts(
            position: position,
            time: recording.elapsed(until: action),
            action: name(of: action),
            source: action.origin.map { brief($0) } ?? ""
        )
    }

    private func name(of action: RecordedAction) -> String {
        if action.isTravel { return brief(action.problem ?? "", longest: 60) }
        return ActionText(budget: budget).text(of: action.payload, type: action.type)
    }

    /// The rest of a sentence about a change: `at 412.3, in cart.totals, by applyCoupon("HALF"), dispatched at A.swift:8`.
    func clause(of origin: ChangeOrigin) throws -> String {
        let parts = try parts(of: origin)
        let source = parts.source.isEmpty ? "" : ", dispatched at \(parts.source)"
        switch origin {
        case .start: return "at the start"
        case .dropped(let last):
            return "at \(last) or before; the recording's limit has dropped these actions"
        case .oneOf(let actions) where actions.count > 1:
            return "in one of the actions \(Quantities.range(actions)); which one was not recorded"
        case .oneOf: return "at \(parts.position), by \(parts.action)\(source); in which reducer was not recorded"
        case .step(let position) where position.reducer == nil:
            return "at \(position), by time travel\(parts.action.isEmpty ? "" : " (\(parts.action))")"
        case .step: return "at \(parts.position), in \(parts.reducer), by \(parts.action)\(source)"
        }
    }

    /// The command that shows what made a change; `nil` if no action in the recording did.
    func command(_ origin: ChangeOrigin, _ tool: Tool) -> String? {
        let file = tool.quoted(recording)
        switch origin {
        case .start, .dropped: return nil
        case .oneOf(let actions) where actions.count > 1:
            return "\(tool.name) log \(file) --from \(actions.lowerBound) --to \(actions.upperBound)"
        case .oneOf(let actions): return "\(tool.name) show \(file) \(actions.lowerBound)"
        case .step(let position): return "\(tool.name) show \(file) \(position)"
        }
    }
}
