import Foundation
import HindsightRecording
import HindsightView
import TestSupport

/// A page in memory, taken apart by plain searches.
struct MadePage {
    let html: String

    init(_ page: RecordingPage) throws {
        var html = ""
        try page.write { html += $0 }
        self.html = html
    }

    init(html: String) { self.html = html }

    /// An element's opening tag, and its text.
    struct Element: Equatable {
        let tag: String
        let text: String
    }

    /// The elements of a name in order, as HTML reads `script` and `style`: up to the first end tag.
    func elements(_ name: String) -> [Element] {
        var found: [Element] = []
        var rest = html[...]
        while let start = rest.range(of: "<\(name)", options: .caseInsensitive),
            let end = rest[start.upperBound...].firstIndex(of: ">"),
            let close = rest[end...].range(of: "</\(name)", options: .caseInsensitive)
        {
            let text = String(rest[rest.index(after: end)..<close.lowerBound])
            found.append(Element(tag: String(rest[start.lowerBound...end]), text: text))
            rest = rest[close.upperBound...]
        }
        return found
    }

    func script(id: String) -> Element? { elements("script").first { $0.tag.contains("id=\"\(id)\"") } }

    /// The scripts that run.
    var scripts: [Element] { elements("script").filter { !$0.tag.contains("type=") } }

    func about() throws -> [String: Any] {
        let text = script(id: "about")?.text ?? ""
        return try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any] ?? [:]
    }

    /// What the page may do.
    var policy: [String: Set<String>] {
        guard let start = html.range(of: "<meta http-equiv=\"Content-Security-Policy\" content=\""),
            let end = html[start.upperBound...].firstIndex(of: "\"")
        else { return [:] }
        let directives = html[start.upperBound..<end].split(separator: ";").map { $0.split(separator: " ") }
        return Dictionary(
            uniqueKeysWithValues: directives.map { (String($0[0]), Set($0.dropFirst().map(String.init))) }
        )
    }
}

extension Fixtures {
    static let names = [
        "todo", "checkout", "checkout-rules", "notepad", "todo-limits", "bridged", "partial", "doubtful", "escapes",
    ]

    /// A recording whose limit has dropped the first 40 of its 67 actions. All of it is read when it is opened.
    static func openLimited() throws -> Recording {
        var text = ""
        try open("todo").writeText(of: TextPart(range: 40...67)) { text += $0 }
        for (old, new) in [
            ("\"facts\":{", "\"facts\":{\"limit_actions\":30,"), ("],\"state\":", "],\"start\":40,\"state\":"),
        ] {
            guard let range = text.range(of: old) else { throw CocoaError(.fileReadCorruptFile) }
            text.replaceSubrange(range, with: new)
        }
        let file = FileManager.default.temporaryDirectory.appending(path: "limited-\(UUID().uuidString).jsonl")
        try Data(text.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        return try Recording(at: file)
    }

    static func open(_ name: String) throws -> Recording {
        try Recording(at: recording(name))
    }
}
