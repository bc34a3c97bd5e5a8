public import HindsightReplay
public import HindsightStore

// The app that the fault tests record. Its state after any number of actions can be computed without a store.

public struct Ledger: Codable, Sendable {
    public var count = 0
    public var sum = 0
    public var entries: [Entry] = []
    public var text = ""

    public struct Entry: Codable, Sendable {
        public var id: Int
        public var note: String
    }

    public init() {}
}

public enum LedgerAction: Codable, Sendable {
    case post(amount: Int, note: String)
    case strike
}

public let ledgerReducer: Reducer<Ledger, LedgerAction> = .combine(
    Reducer("count") { ledger, _ in ledger.count += 1 },
    Reducer("sum") { ledger, action in
        if case .post(let amount, _) = action { ledger.sum &+= amount }
    },
    Reducer("entries") { ledger, action in
        switch action {
        case .post(_, let note):
            ledger.entries.append(Ledger.Entry(id: ledger.count, note: note))
            if ledger.entries.count > 8 { ledger.entries.removeFirst() }
        case .strike:
            if !ledger.entries.isEmpty { ledger.entries.removeLast() }
        }
    },
    Reducer("text") { ledger, action in
        guard case .post(_, let note) = action else { return }
        ledger.text = String((ledger.text + note).suffix(200))
    }
)

public let ledgerApp = ReplayableApp("ledger", initial: Ledger(), reducer: ledgerReducer)

extension LedgerAction {
    /// The action with a number, from 1, in the session of a seed.
    public static func number(_ seq: Int, seed: UInt64) -> LedgerAction {
        var mixed = (seed &+ UInt64(seq)) &* 0x9E37_79B9_7F4A_7C15
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed ^= mixed >> 27
        if mixed % 7 == 0 { return .strike }
        // Sometimes one that is bigger than the journal.
        let length = mixed % 31 == 1 ? 3000 : Int(mixed >> 8) % 40
        let letters = (0..<length).map { Character(Unicode.Scalar(UInt8(97 + ($0 + seq) % 26))) }
        return .post(amount: Int(truncatingIfNeeded: mixed >> 40), note: "\(seq)é" + String(letters))
    }
}
