import HindsightRecorder
import HindsightStore

/// Commits that change reducers only.
enum Tuesday {
    private typealias Rules = Monday.Rules

    private static func app(_ reducers: Rules.Rule...) -> ReplayableApp {
        bookApp(Monday.State(), Monday.Action.self, reducers: reducers)
    }

    static let commits: [Commit] = [
        Commit(testDescription: "formatting only", app: Monday.app, check: Commit.fits(), verify: Commit.equal()),
        Commit(
            testDescription: "a pure refactoring",
            app: app(Rules.entries, loopingTotals, Rules.plan, Rules.count),
            check: Commit.fits(),
            verify: Commit.equal()
        ),
        Commit(
            testDescription: "a reducer is added",
            app: app(Rules.entries, Rules.totals, Rules.plan, Rules.count, Rules.Rule("audit") { _, _ in }),
            check: Commit.fits("  reducers  new: audit\n"),
            verify: Commit.equal("  reducers 1 added (audit): compared by states\n", steps: 150)
        ),
        Commit(
            testDescription: "a reducer is split",
            app: app(
                Rules.Rule("adding") { Rules.add(&$0, $1) },
                Rules.Rule("editing") { Rules.edit(&$0, $1) },
                Rules.totals,
                Rules.plan,
                Rules.count
            ),
            check: Commit.fits("  reducers  new: adding, editing; gone: entries\n"),
            verify: Commit.equal(
                "  reducers 2 added (adding, editing), 1 removed (entries): compared by states\n",
                steps: 150
            )
        ),
        Commit(
            testDescription: "a reducer is renamed",
            app: app(Rules.entries, Rules.Rule("sums") { book, _ in Rules.addUp(&book) }, Rules.plan, Rules.count),
            check: Commit.fits("  reducers  new: sums; gone: totals\n"),
            verify: Commit.equal("  reducers 1 added (sums), 1 removed (totals): compared by states\n"),
            way: .declaration(
                app(
                    Rules.entries,
                    Reducer("sums", formerly: "totals") { book, _ in Rules.addUp(&book) },
                    Rules.plan,
                    Rules.count
                )
            ),
            write: #"nothing; to compare steps: `Reducer("sums", formerly: "totals")`"#,
            checkAfter: Commit.fits("  reducers  renamed: totals → sums\n").text,
            verifyAfter: Commit.equal("  reducers 1 renamed (totals → sums): compared by steps\n").text
        ),
        Commit(
            testDescription: "the reducers are reordered",
            app: app(Rules.entries, Rules.count, Rules.totals, Rules.plan),
            check: Commit.fits("  reducers  in another order\n"),
            verify: Commit.equal("  reducers in another order: compared by states\n")
        ),
        Commit(
            testDescription: "a reducer is removed, with its field",
            app: bookApp(
                Uncounted(),
                Monday.Action.self,
                reducers: Array(BookRules<Uncounted, Monday.Action>.all.dropLast())
            ),
            check: Commit.fitsWithDefaults("  unread    /count\n", "  reducers  gone: count\n"),
            verify: Commit.equal(
                """
                  reducers 1 removed (count): compared by states
                  types    /count: only in the recording or only in this build, so not compared

                """,
                steps: 90
            )
        ),
    ]

    private static let loopingTotals = Rules.Rule("totals") { book, _ in
        var sums: [String: Int] = [:]
        for expense in book.expenses { sums[expense.category, default: 0] += expense.cents }
        book.totals = sums
    }

    struct Uncounted: BookState {
        var owner = "nobody"
        var since = Monday.start
        var plan = Monday.Plan()
        var expenses: [Monday.Expense] = []
        var totals: [String: Int] = [:]

        mutating func set(owner: String) { self.owner = owner }
        mutating func set(totals: [String: Int]) { self.totals = totals }
        mutating func set(count: Int) {}
    }
}
