import HindsightTree

/// An action as it stood in the source: `toggle(id: 3)` for `{"toggle":{"id":3}}`, `clear` for `{"clear":{}}`.
struct ActionText {
    /// Roughly how many characters the payload may have.
    var budget = 80

    func text(of action: Node) -> String {
        switch action {
        case .object(let members) where members.count == 1:
            return text(name: members[0].key, payload: members[0].value)
        case .string(let name):
            return ValueText.string(name, longest: budget)
        default:
            return ValueText(budget: budget).text(of: action)
        }
    }

    private func text(name: String, payload: Node) -> String {
        let name = ValueText.key(name)
        switch payload {
        case .object(let members) where members.isEmpty:
            return name
        case .object(let members):
            return "\(name)(\(ValueText(budget: budget - name.count).argumentList(members)))"
        default:
            return "\(name)(\(ValueText(budget: budget - name.count).text(of: payload)))"
        }
    }
}
