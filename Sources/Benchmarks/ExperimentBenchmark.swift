import Foundation

/// Measures the experiments on sessions of the sample app `checkout`, as whole processes.
func benchmarkExperiments() throws {
    guard let tool = builtTool() else { return }
    let table = Table("Experiments on recordings of checkout, whole processes", "time", "of the CPUs", "", "bar")
    try inScratchFolder { folder in
        var session = CheckoutSession()
        func run(_ arguments: [String]) throws -> Spawned { try Spawned.run(tool.path, arguments) }
        func record(_ count: Int, _ name: String, ending: [String] = []) throws -> String {
            let log = folder.appendingPathComponent("\(name).jsonl")
            try Data((session.actions(count) + ending).joined(separator: "\n").utf8).write(to: log)
            let file = folder.appendingPathComponent("\(name).hindsight").path
            _ = try run(["record", "--app", "checkout", "--input", log.path, file])
            return file
        }
        let ending = [CheckoutSession.quantity(4), #"{"ApplyCoupon":{"code":"WELCOME10"}}"#]
        let long = try record(10_000, "long", ending: ending)
        let goal = "/coupons/applied is not null and /cart/lines/0/quantity = 4"
        table.row("shrink 10,002 actions to an expression's", try run(["shrink", long, "--until", goal]), bar: "10 s")
        let middle = try record(1_000, "middle", ending: ending)
        table.row("cause of one value, 1,002 actions", try run(["cause", middle, "/cart/totals/gross"]), bar: "10 s")
        table.row("shake 1,002 actions", try run(["shake", middle]), bar: "5 s")
        let many = try (0..<100).map { try record(1_000, "many-\($0)") }
        table.row("invariants of 100 recordings of 1,000 actions", try run(["invariants"] + many), bar: "20 s")
        let files = try (0..<500).map { try record(200, "\($0)") }
        let verified = try run(["verify"] + files)
        let compared = try run(["compare", tool.path, tool.path] + files)
        table.row("verify 500 recordings of 200 actions", verified)
        let each = ratio(compared.time / verified.time / 2)
        table.row("compare two builds over them", compared, each, bar: "2 × verify each")
    }
}

/// Random actions of the sample app `checkout`, the same in each run.
private struct CheckoutSession {
    private var random = RandomNumbers()

    private mutating func number(_ bound: Int) -> Int { random.next(below: bound) }

    static func quantity(_ quantity: Int) -> String {
        #"{"ChangeQuantity":{"sku":"TEA-001","quantity":\#(quantity)}}"#
    }

    mutating func actions(_ count: Int) -> [String] {
        [#"{"AddLine":{"sku":"TEA-001","quantity":1}}"#]
            + (1..<count).map { _ in
                switch number(4) {
                case 0: #"{"AddLine":{"sku":"CUP-014","quantity":1}}"#
                case 1: Self.quantity(1 + number(3))
                case 2: #"{"ChangeQuantity":{"sku":"CUP-014","quantity":\#(number(3))}}"#
                default: #"{"ChooseShipping":{"method":"\#(number(2) == 0 ? "express" : "standard")"}}"#
                }
            }
    }
}
