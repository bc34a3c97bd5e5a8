import Foundation
import HindsightTree

struct Item: Codable { var id: Int; var title: String; var done: Bool; var tags: [String] }
struct State: Codable {
    var counter = 0; var title = "t"; var items: [Item]; var selected: Int?; var filter = "all";
    var names: [String: String] = [:]
}

@inline(never) func time(_ n: Int, _ body: () throws -> Void) rethrows -> Double {
    let c = ContinuousClock()
    var best = Double.infinity
    for _ in 0..<5 {
        let t = try c.measure { for _ in 0..<n { try body() } }
        best = min(
            best,
            Double(t.components.attoseconds) / 1e9 / Double(n) + Double(t.components.seconds) * 1e9 / Double(n)
        )
    }
    return best
}
for n in [10, 1000, 10_000, 100_000] {
    var s = State(
        items: (0..<n).map { Item(id: $0, title: "Item number \($0) with text", done: false, tags: ["a", "b"]) }
    )
    s.names = Dictionary(uniqueKeysWithValues: (0..<n).map { ("key\($0)", "value \($0)") })
    let old = s
    var scalar = s; scalar.counter += 1
    var one = s; one.items[n / 2].done = true
    var dict = s; dict.names["key5"] = "changed"
    let f = ChangeFinder<State>()
    let r = max(3, 20000 / n)
    let a = try time(r * 10) { _ = try f.patch(from: old, to: scalar) }
    let b = try time(r) { _ = try f.patch(from: old, to: one) }
    let d = try time(r) { _ = try f.patch(from: old, to: dict) }
    let same = try time(r * 10) { _ = try f.patch(from: old, to: old) }
    let enc = try time(max(1, r / 10)) { _ = try NodeEncoder().encode(s).json }
    let jenc = JSONEncoder()
    let j = try time(max(1, r / 10)) { _ = try jenc.encode(s) }
    print(
        n,
        "same",
        Int(same),
        "scalar",
        Int(a),
        "ns; one item",
        Int(b),
        "ns; dict",
        Int(d),
        "ns; full node+json",
        Int(enc),
        "JSONEncoder",
        Int(j),
        "ratio",
        Int(j / b)
    )
}
