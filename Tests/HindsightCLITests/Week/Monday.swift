import Foundation
import HindsightRecorder
import HindsightTree

/// The first version of the app, and a session of it.
enum Monday {
    typealias State = Book<Plan, Expense>
    typealias Rules = BookRules<State, Action>

    static let start = Date(timeIntervalSinceReferenceDate: 800_000_000)
    static let app = bookApp(State(), Action.self)

    struct Plan: PlanState {
        var limit = 4000
        var isOver = false

        var most: Int {
            get { limit }
            set { limit = newValue }
        }
    }

    struct Expense: EntryState {
        var title: String
        var cents: Int
        var category: String
        var date: Date
        var isPaid = false

        init(_ title: String, _ cents: Int, _ category: String, on date: Date) {
            (self.title, self.cents, self.category, self.date) = (title, cents, category, date)
        }
    }

    enum Action: BookAction {
        case add(title: String, cents: Int, category: String, date: Date)
        case remove(Int)
        case mark(at: Int, isPaid: Bool)
        case setLimit(Int)
        case rename(owner: String)
        case opened
        case clear

        var event: BookEvent {
            switch self {
            case .add(let title, let cents, let category, let date):
                .add(title, cents: cents, category: category, date: date)
            case .remove(let index): .remove(index)
            case .mark(let index, let isPaid): .mark(index, isPaid: isPaid)
            case .setLimit(let cents): .setLimit(cents)
            case .rename(let name): .rename(name)
            case .opened: .opened
            case .clear: .clear
            }
        }
    }

    // MARK: The session

    private static func add(_ title: String, _ cents: Int, _ category: String) -> Node {
        let fields: Node = [
            "title": .string(title), "cents": .int(cents), "category": .string(category),
            "date": "2026-11-16T12:00:00Z",
        ]
        return ["add": fields]
    }
    private static func remove(_ index: Int) -> Node { ["remove": ["_0": .int(index)]] }
    private static func mark(_ index: Int, _ isPaid: Bool) -> Node {
        ["mark": ["at": .int(index), "isPaid": .bool(isPaid)]]
    }
    private static func setLimit(_ cents: Int) -> Node { ["setLimit": ["_0": .int(cents)]] }
    private static func rename(_ owner: String) -> Node { ["rename": ["owner": .string(owner)]] }
    private static let opened: Node = ["opened": [:]]
    private static let clear: Node = ["clear": [:]]

    /// 30 actions. After 6, 8 to 12, 15, 19, 20, 24 and 27 the expenses are exactly at the limit.
    static let session: [Node] = [
        opened, rename("Zoe"), setLimit(5000), add("Lunch", 1000, "food"), add("Cinema", 1500, "fun"),
        add("Train", 2500, "travel"), add("Coffee", 300, "food"), remove(3), mark(0, true), opened,
        mark(1, true), mark(0, false), add("Bread", 400, "food"), setLimit(6000), add("Book", 600, "fun"),
        add("Bus", 200, "travel"), remove(0), rename("Ann"), add("Tea", 800, "food"), mark(2, true),
        setLimit(7000), add("Museum", 900, "fun"), opened, add("Taxi", 100, "travel"), remove(1),
        mark(0, true), add("Hotel", 2500, "travel"), clear, add("Lunch", 1100, "food"), add("Train", 2000, "travel"),
    ]
}

/// The state, with types of its own for the plan and the expenses.
struct Book<Limits: PlanState, Entry: EntryState>: NamedBook {
    var owner = "nobody"
    var since = Monday.start
    var plan = Limits()
    var expenses: [Entry] = []
    var totals: [String: Int] = [:]
    var count = 0
}

/// A state whose fields have the names and types of Monday.
protocol NamedBook: BookState {
    var owner: String { get set }
    var totals: [String: Int] { get set }
    var count: Int { get set }
}

extension NamedBook {
    mutating func set(owner: String) { self.owner = owner }
    mutating func set(totals: [String: Int]) { self.totals = totals }
    mutating func set(count: Int) { self.count = count }
}
