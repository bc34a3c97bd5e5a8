import Foundation
import Testing

/// Commands that read a dead recording while another process recovers it.
@Suite(.enabled(if: Workshop.hasSQLiteShell, "needs the sqlite3 shell")) struct BesideRecoveryTests {
    /// The output is the same before and after.
    private static let commands = [
        "log c.hindsight", "log c.hindsight --json", "tail c.hindsight", "show c.hindsight 2", "show c.hindsight 7",
        "jump c.hindsight 6", "jump c.hindsight 6 --replayed", "diff c.hindsight 1 6", "verify c.hindsight",
        "replay c.hindsight", "info c.hindsight", "doctor c.hindsight",
    ]

    private static let recover = "hindsight recover c.hindsight"
    private static let shell = """
        sqlite3 -cmd '.timeout 2000' c.hindsight 'SELECT count(*) FROM history; PRAGMA wal_checkpoint(TRUNCATE)'
        """

    @Test(arguments: [
        ("recover", recover, ""), ("recover, without the -shm", recover, "rm c.hindsight-shm"),
        ("the sqlite3 shell", shell, ""),
    ])
    func `reading commands print the same throughout a recovery`(name: String, fold: String, before: String) throws {
        let rounds = ProcessInfo.processInfo.environment["HINDSIGHT_TORTURE"] == nil ? 1 : 200
        let commands = Self.commands.map { "'\($0)'" }.joined(separator: " ")
        let result = try Workshop().shell(
            TailTests.prelude + """
                export COUNTER=stuck; records; feeds 1 2 3 4 5 6 7
                for i in $(seq 2400); do hindsight log c.hindsight 2>/dev/null | grep -q unfinished && break; sleep 0.05; done
                kill -9 $recorder; wait $recorder 2>/dev/null; exec 3>&-; unset COUNTER
                mkdir dead; mv c.hindsight* dead/; [ -s dead/c.hindsight-ahead ] || echo 'no journal'
                # Apart from what `info` and `doctor` say of the files.
                answer() { CounterTool $1 2>&1 | sed -e '/^beside/d' -e '/^file/d' -e '/^  journal/d' -e '/^  unwritten/d'; echo "code ${PIPESTATUS[0]}"; }
                commands=(\(commands))
                for index in ${!commands[@]}; do (cd dead; answer "${commands[index]}") >expected.$index; done
                for round in $(seq \(rounds)); do
                    for index in ${!commands[@]}; do
                        command=${commands[index]}
                        rm -rf r; cp -r dead r; (cd r; \(before.isEmpty ? "true" : before))
                        (cd r; exec \(fold)) >folded 2>&1 & fold=$!
                        sleep 0.0$((RANDOM % 2))$((RANDOM % 10))
                        (cd r; answer "$command") >got
                        cmp -s expected.$index got || { echo "$command: $(cat got)"; break 2; }
                        wait $fold || echo "fold: $(cat folded)"
                    done
                done
                """
        )
        #expect(result.text == "", "\(name): \(result.text)\(result.errors)")
    }

    @Test func `a replay whose reducer takes long does not prevent a recovery`() throws {
        let result = try Workshop().shell(
            TailTests.prelude + """
                records; feeds 1 7 3
                for i in $(seq 2400); do [ "$(hindsight log c.hindsight --json 2>/dev/null | wc -l)" = 3 ] && break; sleep 0.05; done
                kill -9 $recorder; wait $recorder 2>/dev/null; exec 3>&-
                ls c.hindsight-wal c.hindsight-shm
                COUNTER=stuck CounterTool verify c.hindsight 2>pid.txt & replay=$!
                for i in $(seq 2400); do [ -s pid.txt ] && break; sleep 0.05; done
                kill -0 $(head -1 pid.txt) && echo "in a reducer"
                hindsight recover c.hindsight; echo "code $?"
                kill $replay; wait $replay
                """
        )
        #expect(result.text.hasPrefix("c.hindsight-shm\nc.hindsight-wal\n"), "\(result.text)\(result.errors)")
        #expect(result.text.contains("in a reducer"), "\(result.text)\(result.errors)")
        #expect(result.text.contains("code 0"), "\(result.text)\(result.errors)")
    }
}
