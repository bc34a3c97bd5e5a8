import Foundation
import HindsightRecorder
import HindsightTree

@testable import HindsightCLI

/// Commits that change actions, and the one that fixes the bug.
enum Friday {
    private typealias State = Monday.State

    /// The error of `verify` for an action whose type this build does not have.
    private static func unknown(_ type: String, at seq: Int) -> Commit.Answer {
        Commit.refused(
            """
            “\(type)” does not decode as an action of this app at action \(seq): this build has no action type of \
            that name.
              Add \(rename(type)); or use the build that recorded it. `check` lists all that does not fit.

            """
        )
    }

    private static func rename(_ type: String) -> String {
        """
        Migration(to: 2) { $0.renameAction("\(type)", to: "…") }, or splitAction("\(type)") { … } or \
        removeAction("\(type)")
        """
    }

    private static func unknown(_ type: String, _ found: String) -> Commit.Answer {
        Commit.doesNotFit(
            """
              action \(type): this build has no action type of that name (\(found))
                \(rename(type))

            """
        )
    }

    static let commits: [Commit] = [
        Commit(
            "a case is renamed",
            State(),
            Deleting.self,
            check: unknown("remove", "3 actions, first action 8"),
            verify: unknown("remove", at: 8),
            write: #"`renameAction("remove", to: "delete")`"#,
            checkAfter: Commit.migrates(Commit.fragile("setLimit, delete")),
            migration: Migration(to: 2) {
                $0.renameAction("remove", to: "delete")
            }
        ),
        Commit(
            "a payload gains a label",
            State(),
            Labelled.self,
            check: Commit.doesNotFit(
                """
                  action setLimit /setLimit/cents: the field "cents" is missing (3 actions, first action 3)
                    Migration(to: 2) { $0.renameField("/_0", to: "cents", in: "setLimit") }

                """
            ),
            verify: Commit.refused(
                """
                “setLimit” does not decode as an action of this app at action 3, /setLimit/cents: the field "cents" \
                is missing.
                  Add Migration(to: 2) { $0.renameField("/_0", to: "cents", in: "setLimit") }; or use the build that \
                recorded it. `check` lists all that does not fit.

                """
            ),
            write: #"`renameField("/_0", to: "cents", in: "setLimit")`"#,
            checkAfter: Commit.migrates(Commit.fragile("remove")),
            migration: Migration(to: 2) {
                $0.renameField("/_0", to: "cents", in: "setLimit")
            }
        ),
        Commit(
            "a case is split in two",
            State(),
            Paying.self,
            check: unknown("mark", "5 actions, first action 9"),
            verify: unknown("mark", at: 9),
            write: #"`splitAction("mark") { payload in … }`, which returns the new actions"#,
            migration: Migration(to: 2) {
                $0.splitAction("mark") { payload in
                    [[payload["isPaid"] == true ? "pay" : "owe": ["at": payload["at"] ?? .null]]]
                }
            }
        ),
        Commit(
            "a case that changed nothing is removed",
            State(),
            Silent.self,
            check: unknown("opened", "3 actions, first action 1"),
            verify: unknown("opened", at: 1),
            write: #"`removeAction("opened")`; if it changed the state, then accept"#,
            verifyAfter: Commit.equal(Commit.migrated, steps: 108).text,
            migration: Migration(to: 2) {
                $0.removeAction("opened")
            }
        ),
        Commit(
            "the enum of actions is wrapped in a feature",
            State(),
            Wrapped.self,
            check: Commit.doesNotFit(
                """
                  recording: this build has none of its action types (opened, rename, setLimit and 4 more), as if \
                they were inside a case of another enum now
                    Migration(to: 2) { $0.wrapActions(in: "…") }

                """
            ),
            verify: unknown("opened", at: 1),
            write: #"`wrapActions(in: "book")`"#,
            checkAfter: Commit.migrates(Commit.fragile("book.setLimit, book.remove")),
            migration: Migration(to: 2) {
                $0.wrapActions(in: "book")
            }
        ),
        Commit(
            testDescription: "a bug is fixed",
            app: bookApp(State(), Monday.Action.self, reducers: fixed),
            check: Commit.fits(),
            verify: Commit.Answer(
                code: .difference,
                text: """
                    diverged  FILE  at action 6 of 30
                      action   6  add(title: "Train", cents: 2500, category: "travel", date: "2026-11-16T12:00:00Z")
                      reducer  3 of 4  plan
                      path     /plan/isOver
                      recorded true
                      now      false
                      input    the recorded state: the difference begins here
                      known    The reducer gives the same result each time it runs here: its code differs from the \
                    recorded run, or something outside that it reads, such as the environment, the locale, the time \
                    zone or a file.

                    """
            ),
            way: .accept,
            write: "accept",
            checkAfter: Commit.fits().text
        ),
    ]

    private static let fixed = Monday.Rules.all.map { rule in
        guard rule.leaves[0].name == "plan" else { return rule }
        return Monday.Rules.Rule("plan") { book, _ in
            book.plan.isOver = Monday.Rules.sum(book) > book.plan.limit
        }
    }

    enum Deleting: BookAction {
        case add(title: String, cents: Int, category: String, date: Date)
        case delete(Int)
        case mark(at: Int, isPaid: Bool)
        case setLimit(Int)
        case rename(owner: String)
        case opened
        case clear

        var event: BookEvent {
            switch self {
            case .add(let title, let cents, let category, let date):
                .add(title, cents: cents, category: category, date: date)
            case .delete(let index): .remove(index)
            case .mark(let index, let isPaid): .mark(index, isPaid: isPaid)
            case .setLimit(let cents): .setLimit(cents)
            case .rename(let name): .rename(name)
            case .opened: .opened
            case .clear: .clear
            }
        }
    }

    enum Labelled: BookAction {
        case add(title: String, cents: Int, category: String, date: Date)
        case remove(Int)
        case mark(at: Int, isPaid: Bool)
        case setLimit(cents: Int)
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

    enum Paying: BookAction {
        case add(title: String, cents: Int, category: String, date: Date)
        case remove(Int)
        case pay(at: Int)
        case owe(at: Int)
        case setLimit(Int)
        case rename(owner: String)
        case opened
        case clear

        var event: BookEvent {
            switch self {
            case .add(let title, let cents, let category, let date):
                .add(title, cents: cents, category: category, date: date)
            case .remove(let index): .remove(index)
            case .pay(let index): .mark(index, isPaid: true)
            case .owe(let index): .mark(index, isPaid: false)
            case .setLimit(let cents): .setLimit(cents)
            case .rename(let name): .rename(name)
            case .opened: .opened
            case .clear: .clear
            }
        }
    }

    enum Silent: BookAction {
        case add(title: String, cents: Int, category: String, date: Date)
        case remove(Int)
        case mark(at: Int, isPaid: Bool)
        case setLimit(Int)
        case rename(owner: String)
        case clear

        var event: BookEvent {
            switch self {
            case .add(let title, let cents, let category, let date):
                .add(title, cents: cents, category: category, date: date)
            case .remove(let index): .remove(index)
            case .mark(let index, let isPaid): .mark(index, isPaid: isPaid)
            case .setLimit(let cents): .setLimit(cents)
            case .rename(let name): .rename(name)
            case .clear: .clear
            }
        }
    }

    enum Wrapped: BookAction {
        case book(Monday.Action)

        var event: BookEvent {
            switch self {
            case .book(let action): action.event
            }
        }
    }
}
