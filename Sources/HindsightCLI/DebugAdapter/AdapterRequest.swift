import HindsightTree

/// A request of a client of the debug adapter.
struct AdapterRequest {
    let seq: Int
    let command: String
    let arguments: Node

    /// Reads a message; `nil` if it is no request.
    init?(_ message: Node) {
        guard message["type"]?.stringValue == "request", let seq = message["seq"]?.intValue,
            let command = message["command"]?.stringValue
        else { return nil }
        (self.seq, self.command, arguments) = (seq, command, message["arguments"] ?? [:])
    }

    func string(_ name: String) -> String? { arguments[name]?.stringValue }
    func int(_ name: String) -> Int? { arguments[name]?.intValue }
    func list(_ name: String) -> [Node] { arguments[name]?.arrayValue ?? [] }

    func require(_ name: String) throws(AdapterFailure) -> String {
        guard let text = string(name) else { throw AdapterFailure("\(command) needs \(name), a string.") }
        return text
    }

    func requireInt(_ name: String) throws(AdapterFailure) -> Int {
        guard let number = int(name) else { throw AdapterFailure("\(command) needs \(name), an integer.") }
        return number
    }
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

extension Node {
    var stringValue: String? { if case .string(let text) = self { text } else { nil } }
    var intValue: Int? { if case .int(let number) = self { number } else { nil } }
    var boolValue: Bool? { if case .bool(let value) = self { value } else { nil } }
    var arrayValue: [Node]? { if case .array(let elements) = self { elements } else { nil } }

    /// An object without the members that are `nil`.
    static func members(_ members: KeyValuePairs<String, Node?>) -> Node {
        .object(members.compactMap { key, value in value.map { Member(key, $0) } })
    }
}
