import Foundation
import HindsightRecorder
import HindsightStore
import HindsightTree

// The parts of a small app for expenses that its versions share. A version conforms its own types to these protocols.

/// What the reducers do to the state of a book, in any version.
protocol BookState: Codable, Sendable {
    associatedtype Limits: PlanState
    associatedtype Entry: EntryState
    var plan: Limits { get set }
    var expenses: [Entry] { get set }
    mutating func set(owner: String)
    mutating func set(totals: [String: Int])
    mutating func set(count: Int)
}

protocol PlanState: Codable, Sendable {
    init()
    var isOver: Bool { get set }
    /// The limit in cents.
    var most: Int { get set }
}

protocol EntryState: Codable, Sendable {
    var cents: Int { get }
    var category: String { get }
    var isPaid: Bool { get set }
    init(_ title: String, _ cents: Int, _ category: String, on date: Date)
}

/// What the actions say, in any version.
enum BookEvent {
    case add(String, cents: Int, category: String, date: Date)
    case remove(Int)
    case mark(Int, isPaid: Bool)
    case setLimit(Int)
    case rename(String)
    case opened
    case clear
}

protocol BookAction: Codable, Sendable {
    var event: BookEvent { get }
}

/// The reducers of the app.
enum BookRules<State: BookState, Action: BookAction> {
    typealias Rule = Reducer<State, Action>

    static func add(_ book: inout State, _ action: Action) {
        guard case .add(let title, let cents, let category, let date) = action.event else { return }
        book.expenses.append(State.Entry(title, cents, category, on: date))
    }

    static func edit(_ book: inout State, _ action: Action) {
        switch action.event {
        case .add, .opened: break
        case .remove(let index): book.expenses.remove(at: index)
        case .mark(let index, let isPaid): book.expenses[index].isPaid = isPaid
        case .setLimit(let cents): book.plan.most = cents
        case .rename(let name): book.set(owner: name)
        case .clear: book.expenses = []
        }
    }

    static func addUp(_ book: inout State) {
        book.set(totals: Dictionary(book.expenses.map { ($0.category, $0.cents) }, uniquingKeysWith: +))
    }

    static func sum(_ book: State) -> Int { book.expenses.reduce(0) { $0 + $1.cents } }

    static var entries: Rule {
        Rule("entries") { book, action in
            add(&book, action)
            edit(&book, action)
        }
    }
    static var totals: Rule { Rule("totals") { book, _ in addUp(&book) } }
    /// On Monday, it has a bug: a book at its limit is not over it.
    static var plan: Rule { Rule("plan") { book, _ in book.plan.isOver = sum(book) >= book.plan.most } }
    static var count: Rule { Rule("count") { book, _ in book.set(count: book.expenses.count) } }
    static var all: [Rule] { [entries, totals, plan, count] }
}

/// The app with some types, migrations and reducers.
func bookApp<State: BookState, Action: BookAction>(
    _ initial: State,
    _ action: Action.Type,
    _ migrations: Migration...,
    reducers: [Reducer<State, Action>] = BookRules<State, Action>.all
) -> ReplayableApp {
    ReplayableApp("book", initial: initial, reducer: .combine(reducers), migrations: migrations)
}
