import Foundation
import HindsightRecorder
import HindsightTree

/// Commits that change the types of fields.
enum Thursday {
    static let commits: [Commit] = [
        Commit(
            testDescription: "the type of a number changes from Int to Double",
            app: bookApp(Book<DoublePlan, Monday.Expense>(), Monday.Action.self),
            check: Commit.fits(),
            verify: Commit.equal()
        ),
        Commit(
            "the type of a number changes from Int to String",
            Book<TextPlan, Monday.Expense>(),
            Monday.Action.self,
            check: Commit.doesNotFit(
                """
                  state /plan/limit: expected a string, found 4000 (2 states, first the initial state)
                    Migration(to: 2) { $0.convertField("/plan/limit") { … } }

                """
            ),
            verify: Commit.refused(
                """
                the recorded initial state does not decode in this build: expected a string, found 4000 \
                (at /plan/limit).
                  Add Migration(to: 2) { $0.convertField("/plan/limit") { … } }, or use the build that recorded it.

                """
            ),
            write: #"`convertField("/plan/limit") { .string($0.json) }`"#,
            migration: Migration(to: 2) {
                $0.convertField("/plan/limit") { .string($0.json) }
            }
        ),
        Commit(
            testDescription: "the type of a dictionary's keys changes from String to a String enum",
            app: bookApp(Sorted(), Monday.Action.self),
            check: Commit.fits(),
            verify: Commit.equal()
        ),
        Commit(
            "the type of a dictionary's keys changes from String to Int",
            Numbered(),
            Monday.Action.self,
            check: Commit.doesNotFit(
                """
                  state /totals: the key "food" does not fit: expected a whole number (state 30)
                    Migration(to: 2) { $0.convertField("/totals") { … } }

                """
            ),
            verify: Commit.refused(
                """
                the recorded state at position 4 does not decode in this build: the key "food" does not fit: \
                expected a whole number (at /totals).
                  Add Migration(to: 2) { $0.convertField("/totals") { … } }, or use the build that recorded it.

                """
            ),
            write: #"`renameField("/totals/food", to: "1")`, one for each key, or `convertField`"#,
            migration: Migration(to: 2) {
                $0.renameField("/totals/food", to: "1")
                $0.renameField("/totals/fun", to: "2")
                $0.renameField("/totals/travel", to: "3")
            }
        ),
        Commit(
            "the strategy of dates changes",
            Dated(),
            Monday.Action.self,
            check: Commit.doesNotFit(
                """
                  state /since: expected a whole number, found "2026-05-09T06:13:20Z" (2 states, first the \
                initial state)
                    Migration(to: 2) { $0.convertField("/since") { … } }

                """
            ),
            verify: Commit.refused(
                """
                the recorded initial state does not decode in this build: expected a whole number, found \
                "2026-05-09T06:13:20Z" (at /since).
                  Add Migration(to: 2) { $0.convertField("/since") { … } }, or use the build that recorded it.

                """
            ),
            write: #"`convertField("/since", seconds)`, one for each date, with a function that you write"#,
            migration: Migration(to: 2) {
                let seconds: @Sendable (Node) throws -> Node = {
                    .int(Int(try NodeDecoder().decode(Date.self, from: $0).timeIntervalSince1970))
                }
                $0.convertField("/since", seconds)
                $0.convertField("/expenses/*/date", seconds)
            }
        ),
    ]

    struct DoublePlan: PlanState {
        var limit = 4000.0
        var isOver = false

        var most: Int {
            get { Int(limit) }
            set { limit = Double(newValue) }
        }
    }

    struct TextPlan: PlanState {
        var limit = "4000"
        var isOver = false

        var most: Int {
            get { Int(limit) ?? 0 }
            set { limit = "\(newValue)" }
        }
    }

    enum Category: String, Codable, Sendable {
        case food, fun, travel
    }

    struct Sorted: BookState {
        var owner = "nobody"
        var since = Monday.start
        var plan = Monday.Plan()
        var expenses: [Monday.Expense] = []
        var totals: [Category: Int] = [:]
        var count = 0

        mutating func set(owner: String) { self.owner = owner }
        mutating func set(totals: [String: Int]) {
            self.totals = [:]
            for (name, sum) in totals { Category(rawValue: name).map { self.totals[$0] = sum } }
        }
        mutating func set(count: Int) { self.count = count }
    }

    struct Numbered: BookState {
        var owner = "nobody"
        var since = Monday.start
        var plan = Monday.Plan()
        var expenses: [Monday.Expense] = []
        var totals: [Int: Int] = [:]
        var count = 0

        mutating func set(owner: String) { self.owner = owner }
        mutating func set(totals: [String: Int]) {
            let numbers = ["food": 1, "fun": 2, "travel": 3]
            self.totals = [:]
            for (name, sum) in totals { numbers[name].map { self.totals[$0] = sum } }
        }
        mutating func set(count: Int) { self.count = count }
    }

    struct Dated: NamedBook {
        var owner = "nobody"
        var since = Int(Monday.start.timeIntervalSince1970)
        var plan = Monday.Plan()
        var expenses: [DatedExpense] = []
        var totals: [String: Int] = [:]
        var count = 0
    }

    /// Its date is in seconds since 1970.
    struct DatedExpense: EntryState {
        var title: String
        var cents: Int
        var category: String
        var date: Int
        var isPaid = false

        init(_ title: String, _ cents: Int, _ category: String, on date: Date) {
            (self.title, self.cents, self.category) = (title, cents, category)
            self.date = Int(date.timeIntervalSince1970)
        }
    }
}
