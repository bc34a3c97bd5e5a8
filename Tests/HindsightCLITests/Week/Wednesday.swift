import Foundation
import HindsightRecorder

/// Commits that add, rename and move fields of the state.
enum Wednesday {
    static let commits: [Commit] = [
        Commit(
            testDescription: "an optional field is added",
            app: bookApp(Noted(), Monday.Action.self),
            check: Commit.fits(),
            verify: Commit.equal()
        ),
        Commit(
            testDescription: "a field with a default is added at the root",
            app: bookApp(Themed(), Monday.Action.self),
            check: Commit.fitsWithDefaults("  defaults  /theme = \"light\"\n"),
            verify: Commit.equal("  types    /theme: only in the recording or only in this build, so not compared\n")
        ),
        Commit(
            testDescription: "a field with a default is added to a nested value",
            app: bookApp(Book<MoneyPlan, Monday.Expense>(), Monday.Action.self),
            check: Commit.fitsWithDefaults("  defaults  /plan/currency = \"EUR\"\n"),
            verify: Commit.equal(
                "  types    /plan/currency: only in the recording or only in this build, so not compared\n"
            )
        ),
        Commit(
            "a field with a default is added to the elements of an array",
            Book<Monday.Plan, SharedExpense>(),
            Monday.Action.self,
            check: Commit.doesNotFit(
                """
                  state /expenses/0/isShared: the field "isShared" is missing (state 30)
                    Migration(to: 2) { $0.addField("/expenses/*/isShared", default: …) }

                """
            ),
            verify: Commit.refused(
                """
                the recorded state at position 4 does not decode in this build: the field "isShared" is missing \
                (at /expenses/0/isShared).
                  Add Migration(to: 2) { $0.addField("/expenses/*/isShared", default: …) }, or use the build that \
                recorded it.

                """
            ),
            write: #"`addField("/expenses/*/isShared", default: false)`"#,
            migration: Migration(to: 2) {
                $0.addField("/expenses/*/isShared", default: false)
            }
        ),
        Commit(
            "a field is renamed",
            Held(),
            Monday.Action.self,
            check: Commit.doesNotFit(
                """
                  state /holder: the field "holder" is missing, and "owner" beside it is not read, as if it had been \
                renamed (2 states, first the initial state)
                    Migration(to: 2) { $0.renameField("/owner", to: "holder") }
                  defaults  /holder = "nobody"
                  unread    /owner

                """
            ),
            verify: Commit.refused(
                """
                the recorded initial state lacks "/holder", which this build needs, and has "/owner", which this \
                build does not read, as if the field had been renamed.
                  If so, add Migration(to: 2) { $0.renameField("/owner", to: "holder") }. If not, remove the one and \
                add the other: removeField, addField.

                """
            ),
            write: #"`renameField("/owner", to: "holder")`"#,
            migration: Migration(to: 2) {
                $0.renameField("/owner", to: "holder")
            }
        ),
        Commit(
            "fields are moved into a child",
            Profiled(),
            Monday.Action.self,
            check: Commit.doesNotFit(
                """
                  state /profile/owner: the field "owner" is missing, and "/owner" is not read, as if it had been \
                moved (2 states, first the initial state)
                    Migration(to: 2) { $0.moveField("/owner", to: "/profile/owner") }
                  state /profile/since: the field "since" is missing, and "/since" is not read, as if it had been \
                moved (2 states, first the initial state)
                    Migration(to: 2) { $0.moveField("/since", to: "/profile/since") }
                  defaults  /profile = {"owner":"nobody","since":"2026-05-09T06:13:20Z"}
                  unread    /owner
                            /since

                """
            ),
            verify: Commit.refused(
                """
                the recorded initial state lacks "/profile/owner", which this build needs, and has "/owner", which \
                this build does not read, as if the field had been moved.
                  If so, add Migration(to: 2) { $0.moveField("/owner", to: "/profile/owner") }. If not, remove the \
                one and add the other: removeField, addField.

                """
            ),
            write: #"`moveField("/owner", to: "/profile/owner")`, one for each field"#,
            migration: Migration(to: 2) {
                $0.moveField("/owner", to: "/profile/owner")
                $0.moveField("/since", to: "/profile/since")
            }
        ),
    ]

    struct Noted: NamedBook {
        var owner = "nobody"
        var since = Monday.start
        var note: String?
        var plan = Monday.Plan()
        var expenses: [Monday.Expense] = []
        var totals: [String: Int] = [:]
        var count = 0
    }

    struct Themed: NamedBook {
        var owner = "nobody"
        var since = Monday.start
        var theme = "light"
        var plan = Monday.Plan()
        var expenses: [Monday.Expense] = []
        var totals: [String: Int] = [:]
        var count = 0
    }

    struct MoneyPlan: PlanState {
        var limit = 4000
        var isOver = false
        var currency = "EUR"

        var most: Int {
            get { limit }
            set { limit = newValue }
        }
    }

    struct SharedExpense: EntryState {
        var title: String
        var cents: Int
        var category: String
        var date: Date
        var isPaid = false
        var isShared = false

        init(_ title: String, _ cents: Int, _ category: String, on date: Date) {
            (self.title, self.cents, self.category, self.date) = (title, cents, category, date)
        }
    }

    struct Held: BookState {
        var holder = "nobody"
        var since = Monday.start
        var plan = Monday.Plan()
        var expenses: [Monday.Expense] = []
        var totals: [String: Int] = [:]
        var count = 0

        mutating func set(owner: String) { holder = owner }
        mutating func set(totals: [String: Int]) { self.totals = totals }
        mutating func set(count: Int) { self.count = count }
    }

    struct Profiled: BookState {
        var profile = Profile()
        var plan = Monday.Plan()
        var expenses: [Monday.Expense] = []
        var totals: [String: Int] = [:]
        var count = 0

        struct Profile: Codable, Sendable {
            var owner = "nobody"
            var since = Monday.start
        }

        mutating func set(owner: String) { profile.owner = owner }
        mutating func set(totals: [String: Int]) { self.totals = totals }
        mutating func set(count: Int) { self.count = count }
    }
}
