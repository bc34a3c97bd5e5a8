import Foundation
import HindsightRecorder
import HindsightStore
import HindsightTree
import Testing

@testable import HindsightCLI

private struct Desk: Codable, Sendable {
    var symbols: [String] = []
    var price = Decimal(20)
}

private enum DeskAction: Codable, Sendable {
    case market(Market)
    case tag([String: [String: Int]])
    case price(Decimal)
    case reset

    enum Market: Codable, Sendable {
        case quotes
        case watch(symbol: String)
        case order(Order)
    }

    enum Order: Codable, Sendable {
        case buy(Int)
        case cancel
    }
}

/// Enums inside actions: counted, filtered and printed at any depth.
@Suite struct NestedTypesTests {
    private let app = ReplayableApp(
        "desk",
        initial: Desk(),
        reducer: Reducer<Desk, DeskAction>("desk") { desk, action in
            if case .market(.watch(let symbol)) = action { desk.symbols.append(symbol) }
            if case .price(let price) = action { desk.price = price }
        }
    )

    private let scratch = Scratch()
    private var file: String { scratch.file("d.hindsight").path }

    init() throws {
        let session = try app.record(to: scratch.file("d.hindsight"))
        let actions: [Node] = [
            ["market": ["_0": ["quotes": [:]]]], ["market": ["_0": ["watch": ["symbol": "X"]]]],
            ["market": ["_0": ["quotes": [:]]]], ["market": ["_0": ["order": ["_0": ["buy": ["_0": 3]]]]]],
            ["market": ["_0": ["order": ["_0": ["cancel": [:]]]]]], ["tag": ["_0": ["a": ["x": 1]]]],
            ["tag": ["_0": ["a": ["x": 1], "b": [:]]]], ["price": ["_0": .number("15e2")]], ["reset": [:]],
        ]
        for action in actions { try session.dispatch(action, origin: Origin(file: "", line: 0)) }
        try session.close()
    }

    @Test func `info counts nested types, and takes no dictionary for an enum`() throws {
        let harness = ToolHarness(apps: [app]).running(["info", file])
        let lines = harness.text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        let counted = [
            "5  market", "2  market.order", "1  market.order.buy", "1  market.order.cancel", "2  market.quotes",
            "1  market.watch", "2  tag", "1  price", "1  reset",
        ]
        let start = try #require(lines.firstIndex(of: counted[0]), "\(harness.text)")
        #expect(Array(lines[start..<start + counted.count]) == counted)
        let json = ToolHarness(apps: [app]).running(["info", file, "--json"])
        #expect(json.text.contains(#"{"type":"market.quotes","count":2}"#), "\(json.text)")
        #expect(json.text.contains(#"{"type":"tag","count":2}"#), "\(json.text)")
    }

    @Test(
        arguments: [
            ("market", [1, 2, 3, 4, 5]), ("market.quotes", [1, 3]), ("market.order", [4, 5]),
            ("market.order.buy", [4]), ("reset", [9]),
        ]
    )
    func `log filters by nested type`(type: String, seqs: [Int]) throws {
        let harness = ToolHarness(apps: [app]).running(["log", file, "--type", type, "--json"])
        let found = try harness.text.split(separator: "\n").map { try Node(json: String($0))[NodePath(["seq"])] }
        #expect(found == seqs.map { .int($0) })
    }

    @Test(arguments: [("market.qoutes", "market.quotes"), ("quotes", "market.quotes"), ("buy", "market.order.buy")])
    func `an unknown type is reported with a similar one`(type: String, near: String) throws {
        let harness = ToolHarness(apps: [app]).running(["log", file, "--type", type], .usage)
        #expect(harness.errorText.contains("Did you mean \(near)?"), "\(harness.errorText)")
    }

    @Test func `nested actions are printed as in Swift, and decimals in plain notation`() throws {
        let harness = ToolHarness(apps: [app]).running(["log", file])
        for text in ["market(.quotes)", #"market(.watch(symbol: "X"))"#, "market(.order(.buy(3)))", "price(1500)"] {
            #expect(harness.text.contains(text), "\(harness.text)")
        }
        let jump = ToolHarness(apps: [app]).running(["jump", file, "end", "--path", "/price"])
        #expect(jump.text == "1500\n")
        let exact = ToolHarness(apps: [app]).running(["jump", file, "end", "--path", "/price", "--json"])
        #expect(exact.text == "15e2\n")
    }
}
