import HindsightDebugger
import HindsightSupport
import HindsightTree

extension DebugSession {
    /// The most places to list.
    private static let maxFound = 40

    /// `find EXPR`
    func find(_ text: String) throws {
        let words = ["--", debugger.recording.url.relativePath, text]
        let answers = try answers(of: FindCommand.self, words)
        let stretches = answers.filter { $0["position"]?.stringValue != nil }
        try list(stretches) { stretch in
            guard let last = stretch["to"]?.stringValue, last != stretch["position"]?.stringValue else { return "" }
            return " to \(last)"
        }
        // The command says why: a name may be misspelt.
        if stretches.isEmpty { return try search(FindCommand.self, words) }
        if let unknown = answers.last?["unknown"]?.intValue, unknown > 0 {
            console.print(faint: "It is not known at \(Quantities.counted(unknown, "position")).")
        }
    }

    /// `search TEXT`
    func search(_ text: String) throws {
        let answers = try answers(of: SearchCommand.self, ["--", debugger.recording.url.relativePath, text])
        let places = answers.filter { $0["position"] != nil }
        let value = ValueText(budget: 60, maxStringLength: 60)
        try list(places) { place in
            let shown = place["value"].map { "  \(value.text(of: $0))" } ?? ""
            return "  \(style.strong(brief(place["path"]?.stringValue ?? "")))\(shown)"
        }
        let isWhole = places.count == answers.count
        if places.isEmpty { console.print("It appears nowhere\(isWhole ? "" : " in what could be searched").") }
    }

    /// Lists positions with numbers for `goto`.
    private func list(_ answers: [Node], _ text: (Node) -> String) throws {
        found = (debugger.branch, [])
        let recording = debugger.recording
        for answer in answers.prefix(Self.maxFound) {
            guard let name = answer["position"]?.stringValue else { continue }
            let position = try recording.position(name, knownOnly: false)
            found.positions.append(position)
            var action = ""
            if position.seq > debugger.first.seq {
                action = "  " + ActionLine.name(of: try recording.action(position.seq), width: width - 60)
            }
            let number = "#\(found.positions.count)"
            console.print("\(number)  \(style.strong(name))\(text(answer))\(style.faint(action))", hanging: 5)
        }
        if answers.count > Self.maxFound {
            console.print(faint: "… and \(Quantities.grouped(answers.count - Self.maxFound)) more")
        }
        if !found.positions.isEmpty { console.print(faint: "goto #N goes to one of them.") }
    }
}
