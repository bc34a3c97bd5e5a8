import Foundation
import HindsightCLI
import HindsightRecorder
import HindsightReplay
import HindsightStore

// The tool of an app with a planted crash, for tests that shrink logs. PLANTED is a list of numbers, such as `3,1,4`:
//
// - `plant` crashes once each of these switches has been set and not cleared since, the last one last. It crashes in
//   another place, with the same message, if switch 98 is set and 97 is not.
// - `other` crashes if switch 99 is set and 96 is not.
//
// PLANTED_KIND says how `plant` crashes: `trap`, `index`, `exit`, `overflow`, `hang`, or `random`, which crashes in every
// second run or so. With `stop` it sends itself SIGTERM, with `stop-once` only if there is no file `stopped` yet.

struct Board: Codable, Sendable {
    var switches: [Int: Int] = [:]
    var order: [Int] = []
    var text = ""
    var total = 0
    var alarms = 0
}

enum Move: Codable, Sendable {
    case set(key: Int, weight: Int)
    case clear(key: Int)
    case write(text: String)
    case append(parts: [String], times: Int?)
    case add(amount: Int)
    case idle
}

let planted = (ProcessInfo.processInfo.environment["PLANTED"] ?? "").split(separator: ",").compactMap { Int($0) }
let kind = ProcessInfo.processInfo.environment["PLANTED_KIND"] ?? "trap"

@inline(never) func element(_ list: [Int], _ index: Int) -> Int { list[index] }
@inline(never) func descend(_ depth: Int) -> Int { depth < 0 ? 0 : descend(depth + 1) + 1 }

@inline(never) func crash(_ board: Board) {
    switch kind {
    case "index": print(element(board.order, board.order.count + 3))
    case "exit": exit(7)
    case "overflow": print(descend(0))
    case "hang": while true { usleep(1000) }
    case "stop": kill(getpid(), SIGTERM)
    case "stop-once": if open("stopped", O_CREAT | O_EXCL, 0o600) >= 0 { kill(getpid(), SIGTERM) }
    case "random": if getpid() % 2 == 0 { fatalError("by chance") }
    default: fatalError("the planted crash, with \(board.order.count) switches")
    }
}

@inline(never) func crashElsewhere(_ board: Board) {
    fatalError("the planted crash, with \(board.order.count) switches")
}

let board = Reducer<Board, Move>("board") { board, move in
    switch move {
    case .set(let key, let weight):
        board.switches[key, default: 0] += weight
        board.order.removeAll { $0 == key }
        board.order.append(key)
    case .clear(let key):
        board.switches[key] = nil
        board.order.removeAll { $0 == key }
    case .write(let text): board.text = text
    case .append(let parts, let times):
        board.text += String(repeating: parts.joined(), count: max(0, min(times ?? 1, 3)))
        if board.text.utf8.count > 200 { board.text = "" }
    case .add(let amount): board.total &+= amount
    case .idle: break
    }
}

let plant = Reducer<Board, Move>("plant") { board, move in
    if board.switches[98, default: 0] > 1, board.switches[97] == nil { crashElsewhere(board) }
    guard !planted.isEmpty, case .set(let key, _) = move, key == planted.last else { return }
    if planted.allSatisfy({ board.switches[$0] != nil }) { crash(board) }
}

let other = Reducer<Board, Move>("other") { board, _ in
    if board.switches[99, default: 0] > 1, board.switches[96] == nil { fatalError("another crash") }
    if board.total > 1_000 { board.alarms += 1 }
}

HindsightTool.run(
    ReplayableApp("planted", version: "1", initial: Board(), reducer: .combine(board, plant, other))
)
