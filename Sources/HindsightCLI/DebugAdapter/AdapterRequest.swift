import HindsightTree

/// A request of a client of the debug adapter.
struct AdapterRequest {
    let seq: Int
    let command: String
    let arguments: Node

    init(_ command: String, _ arguments: Node, seq: Int = 0) {
        (self.command, self.arguments, self.seq) = (command, arguments, seq)
    }

    /// Reads a message; `nil` if it is no request.
    init?(_ message: Node) {
        guard message["type"]?.stringValue == "request", let seq = message["seq"]?.intValue,
            let command = message["command"]?.stringValue
        else { return nil }
        self.init(command, message["arguments"] ?? [:], seq: seq)
    }

    // MARK: Arguments

    // Absent arguments, and those that are null, are `nil`. One of another type is an error, and not absent.

    func string(_ name: String) throws(AdapterFailure) -> String? { try value(name, "a string", \.stringValue) }
    func int(_ name: String) throws(AdapterFailure) -> Int? { try value(name, "an integer", \.intValue) }
    func list(_ name: String) throws(AdapterFailure) -> [Node] { try value(name, "a list", \.arrayValue) ?? [] }

    /// A position or a number, as people write it into a configuration.
    ///
    /// `412.10` as a number is 412.1, so that a fraction is refused.
    func stringOrInt(_ name: String) throws(AdapterFailure) -> String? {
        try value(name, "a string or an integer") { $0.stringValue ?? $0.intValue.map { "\($0)" } }
    }

    func strings(_ name: String) throws(AdapterFailure) -> [String] {
        try value(name, "a string or a list of strings") { node in
            if let text = node.stringValue { return [text] }
            let texts = node.arrayValue?.map(\.stringValue)
            return texts.flatMap { $0.contains(nil) ? nil : $0.compactMap { $0 } }
        } ?? []
    }

    func require(_ name: String) throws(AdapterFailure) -> String {
        guard let text = try string(name) else { throw AdapterFailure("\(command) needs \(name), a string.") }
        return text
    }

    func requireInt(_ name: String) throws(AdapterFailure) -> Int {
        guard let number = try int(name) else { throw AdapterFailure("\(command) needs \(name), an integer.") }
        return number
    }

    private func value<Value>(
        _ name: String,
        _ noun: String,
        _ read: (Node) -> Value?
    ) throws(AdapterFailure) -> Value? {
        guard let node = arguments[name], node != .null else { return nil }
        guard let value = read(node) else {
            throw AdapterFailure("\(command) needs \(name) to be \(noun), and got \(brief(node.json, longest: 60)).")
        }
        return value
    }

    // MARK: People

    /// Whether a person asked for it, who must see why it fails. Clients send the other requests on their own, to show
    /// values and places, and show the error there if they want to.
    var isByPerson: Bool { Self.acts.contains(command) }

    private static let acts: Set = [
        "launch", "attach", "restart", "continue", "reverseContinue", "next", "stepIn", "stepOut", "stepBack", "pause",
        "goto", "gotoTargets", "setVariable", "restartFrame",
    ]
}

/// A request that cannot be served.
struct AdapterFailure: Error, Equatable {
    /// The text, escaped.
    let text: String
    /// What clients recognise, instead of the text.
    var code: String?

    init(_ text: String, code: String? = nil) { (self.text, self.code) = (text, code) }

    static let notStopped = AdapterFailure("The debugger runs. Pause it first.", code: "notStopped")
    static let noRecording = AdapterFailure("No recording is open. Send launch or attach first.")
}
