import Foundation
import Testing

/// `tail` beside recordings that are made, end, die and are replaced. The tests wait for events with a timeout, and
/// never for a fixed time.
@Suite struct TailTests {
    /// Shell functions: a recorder that is fed line by line, a wait for the contents of a file, and an action whose
    /// state the recorder does not write, because nobody else may write until the recorder halts.
    static let prelude = """
        awaits() { for i in $(seq 2400); do grep -q -- "$2" "$1" 2>/dev/null && return 0; sleep 0.05; done; echo "no $2"; return 1; }
        records() { rm -f in; mkfifo in; CounterTool record --app counter --force c.hindsight <in >/dev/null 2>&1 & recorder=$!; exec 3>in; }
        feeds() { for n in "$@"; do echo "{\\"add\\":{\\"amount\\":$n}}" >&3; done; }
        closes() { exec 3>&-; wait $recorder; }
        feeds_unwritten() {
            mkfifo sql; sqlite3 -cmd '.timeout 60000' c.hindsight <sql >/dev/null 3>&- & lock=$!; exec 4>sql
            printf "BEGIN IMMEDIATE;\\n.output locked\\nSELECT 'locked';\\n.output\\n" >&4; awaits locked locked; feeds $1
            for i in $(seq 2400); do hindsight log c.hindsight 2>/dev/null | grep -q "amount: $1" && break; sleep 0.02; done
            kill -STOP $recorder; exec 4>&-; wait $lock
        }

        """

    private func run(_ script: String) throws -> Finished {
        try Workshop().shell(Self.prelude + script)
    }

    @Test func `tail prints each new action as log does, and how the recording ends`() throws {
        let result = try run(
            """
            records; feeds 1 2
            awaits c.hindsight-ahead HSTAHEAD; hindsight tail -f c.hindsight >out 2>err 3>&- & tail=$!
            awaits out 'amount: 2' && feeds 3 && awaits out 'amount: 3' && feeds 4 && awaits out 'amount: 4' && closes
            wait $tail; echo "code $?"; cat err
            hindsight log c.hindsight >log; head -n 4 out | diff - log && tail -n 1 out
            """
        )
        #expect(result.text == "code 0\n— closed\n", "\(result.text)\(result.errors)")
    }

    @Test func `tail -n prints the last lines of log, with the same filters`() throws {
        let workshop = Workshop()
        try Supplies.todo.put(into: workshop)
        let log = try workshop.hindsight("log", "t.hindsight").text.split(separator: "\n")
        for (count, expected) in [(0, 0), (1, 1), (3, 3), (100, 8)] {
            let tail = try workshop.hindsight("tail", "-n", "\(count)", "t.hindsight").expecting(code: 0)
            #expect(tail.text.split(separator: "\n") == log.suffix(expected))
        }
        #expect(try workshop.hindsight("tail", "t.hindsight").text.split(separator: "\n") == log)
        let adds = try workshop.hindsight("tail", "-n", "1", "--type", "add", "--json", "t.hindsight").json()
        #expect(adds["seq"] as? Int == 2)
        let items = try workshop.hindsight("tail", "-n", "1", "--path", "/items/1", "t.hindsight").text
        #expect(try workshop.hindsight("log", "--path", "/items/1", "t.hindsight").text.hasSuffix(items))
        #expect(try workshop.hindsight("tail", "--type", "ad", "t.hindsight").code == 2)
        #expect(try workshop.hindsight("tail", "-f", "t.hindsight").text.hasSuffix("— closed\n"))
        // A path may still appear, so it is only reported as missing so far.
        for (option, value) in [("--path", "/itmes"), ("--type", "togle")] {
            let followed = try workshop.hindsight("tail", "-f", option, value, "t.hindsight").expecting(code: 0)
            #expect(followed.errors.hasPrefix("So far: "), "\(followed.errors)")
            #expect(followed.errors.contains("Did you mean"), "\(followed.errors)")
            #expect(followed.text == "— closed\n")
        }
    }

    @Test func `tail reports a dead process with its action and reducer`() throws {
        let result = try run(
            """
            export COUNTER=stuck; records; feeds 1
            awaits c.hindsight-ahead HSTAHEAD; hindsight tail -f --json c.hindsight >out 2>err 3>&- & tail=$!
            awaits out '"amount":1'; feeds 7
            for i in $(seq 2400); do hindsight log c.hindsight 2>/dev/null | grep -q unfinished && break; sleep 0.05; done
            kill -9 $recorder; wait $recorder 2>/dev/null; wait $tail; echo "code $?"
            tail -n 1 out; tail -n 2 out | head -n 1 | grep -c '"crash":{"seq":2,"reducer":2,"name":"totals.sum"}'
            hindsight log c.hindsight | tail -n 1
            """
        )
        let lines = result.text.split(separator: "\n").map(String.init)
        #expect(lines.first == "code 0", "\(result.text)\(result.errors)")
        let ended =
            #"{"event":"ended","ended":"crashed","crash":{"seq":2,"reducer":2,"name":"totals.sum"},"#
            + #""during":{"phase":"reducer","seq":2,"reducer":2},"signal":null,"exited":false,"stopped":null}"#
        #expect(lines.contains(ended), "\(lines)")
        #expect(lines.contains("1"))
        let mark = "↑ its process ended here, in reducer 2 of 3 (totals.sum); the state after it is not known"
        #expect(lines.last?.hasSuffix(mark) == true, "\(result.text)")
    }

    @Test func `tail continues with a run that replaces the file, until it is interrupted`() throws {
        let result = try run(
            """
            records; feeds 1
            awaits c.hindsight-ahead HSTAHEAD; hindsight tail -F c.hindsight >out 2>err 3>&- & tail=$!
            awaits out 'amount: 1' && closes && awaits out closed
            records; feeds 2 && awaits out 'amount: 2'
            kill -INT $tail; wait $tail; echo "code $?"; cat err; closes
            grep -c 'another run' out
            """
        )
        #expect(result.text.hasSuffix("code 0\n1\n"), "\(result.text)\(result.errors)")
    }

    @Test func `tail of a directory waits for the first run and continues with each new one`() throws {
        let result = try run(
            """
            mkdir runs; hindsight tail -F runs >out 2>err 3>&- & tail=$!
            awaits err 'Waiting for one'
            for n in 1 2 3; do
                echo "{\\"add\\":{\\"amount\\":$n}}" | CounterTool record --app counter runs >/dev/null
                awaits out "amount: $n"
            done
            kill -INT $tail; wait $tail; echo "code $?"
            grep -c 'the next run is runs/counter_' out; grep -c closed out; hindsight log runs 2>/dev/null | diff - <(grep 'amount: 3' out)
            """
        )
        #expect(result.text == "code 0\n2\n3\n", "\(result.text)\(result.errors)")
    }

    @Test func `tail of runs waits for a missing file`() throws {
        let result = try run(
            """
            hindsight tail -F c.hindsight >out 2>err 3>&- & tail=$!
            awaits err 'Waiting for one'
            records; feeds 5 && awaits out 'amount: 5'; closes; kill -INT $tail; wait $tail; echo "code $?"
            hindsight tail -f none.hindsight 2>/dev/null; echo "code $?"
            """
        )
        #expect(result.text == "code 0\ncode 3\n", "\(result.text)\(result.errors)")
    }

    @Test func `tail that SIGTERM stops has the exit code of the signal`() throws {
        let result = try run(
            """
            hindsight tail -F c.hindsight >out 2>err 3>&- & tail=$!
            awaits err 'Waiting for one'; kill -TERM $tail; wait $tail; echo "code $?"
            records; feeds 5
            awaits c.hindsight-ahead HSTAHEAD; hindsight tail -f c.hindsight >out 2>err 3>&- & tail=$!
            awaits out 'amount: 5'; kill -TERM $tail; wait $tail; echo "code $?"; closes
            """
        )
        #expect(result.text == "code 143\ncode 143\n", "\(result.text)\(result.errors)")
    }

    @Test func `tail ends when its reader does, even if nothing follows`() throws {
        let result = try run(
            """
            records; feeds 1 2 3
            awaits c.hindsight-ahead HSTAHEAD; for i in $(seq 2400); do hindsight log c.hindsight 2>/dev/null | grep -q 'amount: 3' && break; sleep 0.05; done
            hindsight tail -f c.hindsight 3>&- | head -n 1 | wc -l; echo "code ${PIPESTATUS[0]}"; closes
            """
        )
        #expect(result.text == "1\ncode 0\n", "\(result.text)\(result.errors)")
    }
}
