import Foundation
import Testing

/// Reading commands leave a recording and its sidecar files unchanged: live, dead or closed.
@Suite struct UntouchedTests {
    static let commands = [
        "info c.hindsight", "info c.hindsight --json", "log c.hindsight", "tail c.hindsight", "show c.hindsight 2",
        "show c.hindsight end", "jump c.hindsight end", "jump c.hindsight 1 --replayed", "diff c.hindsight 1 end",
        "replay c.hindsight", "verify c.hindsight", "doctor c.hindsight", "view c.hindsight -o -",
        "doctor c.hindsight --salvage ../saved.hindsight --force",
    ]

    /// `awaits N` returns when the state after action N is written, since the stock tool cannot compute it.
    /// `account` prints the names, contents and times of a directory's files, and the directory's own time, which
    /// changes if a file is added or removed.
    private static let account = """
        account() { (cd d && stat -c '%n %s %Y %y %i' . * 2>/dev/null || stat -f '%N %z %Fm %i' . *; cat * | cksum); }
        awaits() { for i in $(seq 2400); do (cd d; hindsight jump c.hindsight "$1" >/dev/null 2>&1) && return 0; sleep 0.05; done; return 1; }
        mkdir d; mkfifo in
        (cd d; exec CounterTool record --app counter c.hindsight <../in >/dev/null 2>&1) & recorder=$!; exec 3>in
        for n in 1 2 3 4 5; do echo "{\\"add\\":{\\"amount\\":$n}}" >&3; done
        awaits 5

        """

    @Test(arguments: ["live", "dead", "recovered", "closed"])
    func `reading commands change nothing`(end: String) throws {
        let ending =
            switch end {
            case "live": "kill -STOP $recorder"
            case "dead": "kill -9 $recorder; wait $recorder"
            case "recovered": "kill -9 $recorder; wait $recorder; hindsight recover d/c.hindsight >/dev/null"
            default: "exec 3>&-; wait $recorder"
            }
        let commands = Self.commands.map {
            "(cd d; CounterTool \($0)) >out 2>&1 || [ $? = 1 ] || echo \"\($0): $(cat out)\""
        }
        let result = try Workshop().shell(
            """
            \(Self.account)\(ending)
            account >before; chmod 500 d
            \(commands.joined(separator: "\n"))
            chmod 700 d; account >after; diff before after && echo untouched; ls d | wc -l
            kill -CONT $recorder 2>/dev/null; exec 3>&-; wait $recorder; true
            """
        )
        let files = ["live": 4, "dead": 4, "recovered": 1, "closed": 1][end] ?? 0
        #expect(result.text == "untouched\n\(files)\n", "\(result.text)\(result.errors)")
    }
}
