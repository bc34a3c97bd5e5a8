/// The `problem` of a row for time travel, which says where the app went.
package enum TravelText {
    /// - Parameter destination: The action to whose state the app travelled; 0 for the initial state, `nil` for a state
    ///   that the app gave.
    package static func text(to destination: Int?) -> String {
        let place =
            switch destination {
            case nil: "a given state"
            case 0?: "the initial state"
            case let seq?: "\(action)\(seq)"
            }
        return "\(start)\(place)."
    }

    /// The destination that a text names; `nil` if it names none.
    package static func destination(in text: String) -> Int? {
        if text == self.text(to: 0) { return 0 }
        guard text.hasPrefix(start + action), text.hasSuffix("."),
            let seq = Int(text.dropFirst((start + action).count).dropLast()), seq > 0
        else { return nil }
        return seq
    }

    private static let start = "The app travelled to "
    private static let action = "action "
}
