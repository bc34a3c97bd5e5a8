import HindsightFormat
import HindsightTree

/// Formats an action in Swift notation: `toggle(id: 3)` for `{"toggle":{"id":3}}`, `clear` for `{"clear":{}}`,
/// `market(.quotes)` for `{"market":{"_0":{"quotes":{}}}}`.
struct ActionText {
    /// The approximate number of characters for the payload.
    var budget = 80

    func text(of action: Node) -> String {
        switch action {
        case .object(let members) where members.count == 1:
            return text(name: members[0].key, payload: members[0].value)
        case .string(let name):
            return ValueText.string(name, longest: budget)
        default:
            return value(budget).text(of: action)
        }
    }

    /// The payload of an action; its type if the action was not recorded as a value.
    func text(of payload: Node?, type: String) -> String { payload.map { text(of: $0) } ?? ValueText.key(type) }

    private func text(name: String, payload: Node) -> String {
        let name = ValueText.key(name, longest: Terminal.isLimit(budget) ? 40 : .max)
        let value = value(budget - name.count)
        switch payload {
        case .object(let members) where members.isEmpty:
            return name
        case .object(let members) where payload.enumCase(isPayload: false) == nil:
            return "\(name)(\(value.argumentList(members)))"
        default:
            return "\(name)(\(value.text(of: payload)))"
        }
    }

    private func value(_ budget: Int) -> ValueText {
        ValueText(budget: budget, maxStringLength: max(60, budget))
    }
}

extension DispatchingThread {
    /// The thread that dispatched an action, and its task if that has a name.
    var shown: String {
        var text = isMain ? "the main thread" : "thread \(number)"
        if let name { text += " “\(brief(name))”" }
        if let task { text += ", in the task “\(brief(task))”" }
        return text
    }
}
