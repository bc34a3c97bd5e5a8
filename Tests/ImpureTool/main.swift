import Foundation
import HindsightCLI
import HindsightRecorder
import HindsightReplay
import HindsightStore

// The tool of an app whose reducers can each depend on something besides state and action. The action `choose` names those
// that do; the others take all from state and action.

struct Desk: Codable, Sendable {
    var chosen: Set<String> = []
    var items: [Int: String] = [:]
    var tags: Set<String> = []
    var results: [String: String] = [:]
}

enum Work: Codable, Sendable {
    case choose(names: [String])
    case add(id: Int, text: String)
    case rename(id: Int, text: String)
    case idle
}

nonisolated(unsafe) var counter = 0
final class Captured: @unchecked Sendable { var count = 0 }
let captured = Captured()
final class Shared: @unchecked Sendable { var users = 0 }
let shared = Shared()

func impurity(_ name: String, _ desk: Desk, _ text: String) -> String {
    switch name {
    case "clock": return "\(Date().timeIntervalSince1970)"
    case "duration":
        let start = ContinuousClock.now
        return "\(ContinuousClock.now - start)"
    case "formatter":
        let formatter = DateFormatter()
        formatter.dateFormat = "yyyy-MM-dd HH:mm"
        return formatter.string(from: Date(timeIntervalSince1970: 1_700_000_000))
    case "uuid": return UUID().uuidString
    case "random": return "\(Int.random(in: 0..<1_000_000_000))"
    case "set": return desk.tags.first ?? ""
    case "dictionary": return desk.items.map { "\($0)=\($1)" }.joined(separator: ",")
    case "locale": return String(cString: setlocale(LC_ALL, nil)) + (ProcessInfo.processInfo.environment["LANG"] ?? "")
    case "environment": return ProcessInfo.processInfo.environment["IMPURE_FLAG"] ?? "unset"
    case "global":
        counter += 1
        return "\(counter)"
    case "captured":
        captured.count += text.count
        return "\(captured.count)"
    case "file": return (try? String(contentsOfFile: "setting.txt", encoding: .utf8)) ?? "none"
    case "address": return "\(ObjectIdentifier(Captured()).hashValue)"
    case "trap":
        if TimeZone.current.secondsFromGMT() != 0 { fatalError("no other zone was thought of") }
        return "UTC"
    case "early":
        let until = ProcessInfo.processInfo.environment["IMPURE_UNTIL"].flatMap(Double.init) ?? 0
        if Date().timeIntervalSince1970 < until { fatalError("too early") }
        return "late"
    case "thread":
        shared.users += 1
        defer { shared.users -= 1 }
        usleep(300)
        return "\(shared.users)"
    default: return ""
    }
}

let base = Reducer<Desk, Work>("base") { desk, work in
    switch work {
    case .choose(let names): desk.chosen = Set(names)
    case .add(let id, let text):
        desk.items[id] = text
        desk.tags.insert(text)
    case .rename(let id, let text): desk.items[id] = text
    case .idle: break
    }
}

let names = [
    "clock", "duration", "formatter", "uuid", "random", "set", "dictionary", "locale", "environment", "global",
    "captured", "file", "address", "trap", "early", "thread",
]

let reducers = names.map { name in
    Reducer<Desk, Work>(name) { desk, work in
        guard case .add(_, let text) = work else { return }
        desk.results[name] = desk.chosen.contains(name) ? impurity(name, desk, text) : "\(desk.items.count) \(text)"
    }
}

HindsightTool.run(
    ReplayableApp("impure", version: "1", initial: Desk(), reducer: .combine([base] + reducers))
)
