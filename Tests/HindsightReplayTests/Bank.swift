import Foundation
import HindsightRecorder
import HindsightRecording
import HindsightStore
import HindsightTree
import Synchronization
import TestSupport

@testable import HindsightReplay

/// A small app with replaceable rules.
struct Bank: Codable, Sendable, Equatable {
    var balance = 0
    var interest = 0.0
    var statement: [String] = []
    var customers: Set<String> = []
    var ranking: [String] = []
    var receipt: String?
    var audit = Audit()

    struct Audit: Codable, Sendable, Equatable {
        var count = 0
        var largest: Int?
    }
}

enum BankAction: Codable, Sendable {
    case deposit(amount: Int)
    case withdraw(amount: Int)
    case join(name: String)
    case secret
}

/// The rules of a bank. Each can be replaced.
struct BankRules: Sendable {
    typealias Rule = @Sendable (inout Bank, BankAction) -> Void

    var balance: Rule = { bank, action in
        switch action {
        case .deposit(let amount): bank.balance += amount
        case .withdraw(let amount) where amount <= bank.balance: bank.balance -= amount
        default: break
        }
    }
    var interest: Rule = { bank, _ in bank.interest = Double(bank.balance) * 0.1 }
    var statement: Rule = { bank, action in
        switch action {
        case .deposit(let amount): bank.statement.append("+\(amount)")
        case .withdraw(let amount): bank.statement.append("-\(amount)")
        default: break
        }
    }
    var customers: Rule = { bank, action in
        guard case .join(let name) = action else { return }
        bank.customers.insert(name)
        bank.ranking = bank.customers.sorted()
    }
    var receipt: Rule = { bank, action in
        if case .deposit(let amount) = action { bank.receipt = "receipt \(bank.audit.count) for \(amount)" }
    }
    var audit: Rule = { bank, action in
        bank.audit.count += 1
        if case .deposit(let amount) = action { bank.audit.largest = max(bank.audit.largest ?? amount, amount) }
    }

    var reducer: Reducer<Bank, BankAction> {
        .combine(
            Reducer("balance", balance),
            Reducer("interest", interest),
            Reducer("statement", statement),
            Reducer("customers", customers),
            Reducer("receipt", receipt),
            Reducer("audit", audit)
        )
    }

    var app: ReplayableApp {
        ReplayableApp("bank", initial: Bank(), reducer: reducer)
    }

    func with(_ rule: WritableKeyPath<BankRules, Rule>, _ body: @escaping Rule) -> BankRules {
        var rules = self
        rules[keyPath: rule] = body
        return rules
    }
}

let bankSession: [Node] = [
    ["deposit": ["amount": 100]],
    ["join": ["name": "Zoë"]],
    ["withdraw": ["amount": 30]],
    ["withdraw": ["amount": 300]],
    ["join": ["name": "Adam"]],
    ["deposit": ["amount": 5]],
    ["deposit": ["amount": 250]],
]

typealias Scratch = TestSupport.Scratch

extension Scratch {
    /// Records a session and opens the recording.
    ///
    /// - Parameter name: The name of the file; by default, a new one each time.
    func record(_ app: ReplayableApp, _ actions: [Node] = bankSession, as name: String? = nil) throws -> Recording {
        let count = try names.count { $0.hasSuffix(".hindsight") }
        let file = file("\(name ?? (count == 0 ? "a" : "a\(count + 1)")).hindsight")
        let session = try app.record(to: file)
        for (index, action) in actions.enumerated() {
            try session.dispatch(action, origin: Origin(file: "session", line: index + 1))
        }
        try session.close()
        return try Recording(at: file)
    }
}

/// Counts calls, from any thread.
final class Counter: Sendable {
    private let value = Mutex(0)

    var count: Int { value.withLock { $0 } }

    @discardableResult
    func increment() -> Int {
        value.withLock {
            $0 += 1
            return $0
        }
    }
}
