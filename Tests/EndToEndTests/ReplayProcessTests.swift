import Foundation
import Testing

/// The process in which reducers run. However it ends, the tool prints a true verdict or an error.
@Suite struct ReplayProcessTests {
    /// Three actions. In the second, reducer 2 of 3 acts as `COUNTER` says.
    private static let supplies = Supplies { workshop in
        let actions = [3, 7, 5].map { #"{"add":{"amount":\#($0)}}"# }
        try workshop.write(actions.joined(separator: "\n"), to: "in.jsonl")
        _ = try workshop.shell("CounterTool record --app counter --input in.jsonl c.hindsight")
    }

    private let workshop = Workshop()

    init() throws { try Self.supplies.put(into: workshop) }

    private static let place = "in action 2, reducer 2 of 3 (totals.sum)"

    /// A way of a reducer to end its process, the exit code, and the message.
    private static let ends: [(variant: String, code: Int32, words: [String])] = [
        ("trapping", 5, ["Fatal error: seven (signal 4"]),
        ("leaving", 5, ["ended the process", "It called exit(0)"]),
        ("leaving at once", 5, ["ended the process", "It called exit(0), _exit or exec"]),
        ("leaving on a thread", 5, ["ended the process", "It called exit(0)"]),
        ("becoming another", 5, ["ended the process", "_exit or exec"]),
        ("closing all", 5, ["closed its connection to the tool", "descriptors that it had not opened"]),
        ("killed", 128 + 9, ["The replay was stopped by signal 9", "more memory than there is"]),
        ("closing all and leaving", 5, ["A reducer"]),
        ("terminated", 128 + 15, ["The replay was stopped by signal 15"]),
    ]

    /// Each way to end, with one of the commands in turn.
    @Test(arguments: ends.indices)
    func `a process that ends without a verdict is reported with its position`(index: Int) throws {
        let (variant, code, words) = Self.ends[index]
        let command = ["replay", "verify", "jump --replayed"][index % 3]
        let position = command == "jump --replayed" ? "end" : ""
        let result = try workshop.shell("COUNTER='\(variant)' CounterTool \(command) c.hindsight \(position)")
        #expect(result.code == code, "\(result.text)\(result.errors)")
        // The tool asks once an action whether the process is still connected.
        let place =
            variant == "closing all"
            ? "other code of the app, closed its connection to the tool in action 2: add" : Self.place
        for word in words + [place] { #expect(result.errors.contains(word), "\(result.errors)") }
        #expect(!result.text.contains("equal"), "\(result.text)")
    }

    @Test func `a search for divergences says where a reducer ends its process`() throws {
        let commands = "printf 'break divergence\\ncontinue\\n'"
        let result = try workshop.shell("\(commands) | COUNTER=trapping CounterTool debug c.hindsight")
        #expect(result.errors.contains(Self.place), "\(result.text)\(result.errors)")
    }

    private static let long = Supplies { workshop in
        let actions = (1...6_000).map { #"{"add":{"amount":\#($0 == 3_000 ? 7 : 1)}}"# }
        try workshop.write(actions.joined(separator: "\n"), to: "in.jsonl")
        _ = try workshop.shell("CounterTool record --app counter --input in.jsonl c.hindsight")
    }

    /// The pages of the next actions cannot be read then, because the recording's descriptor is closed too.
    @Test(arguments: ["verify c.hindsight", "verify --isolated c.hindsight", "jump --replayed c.hindsight end"])
    func `a reducer that closes all descriptors is not taken for a damaged recording`(line: String) throws {
        try Self.long.put(into: workshop)
        let result = try workshop.shell("COUNTER='closing all' CounterTool \(line)")
        #expect(result.code == 5 && result.text.isEmpty, "\(result.text)\(result.errors)")
        let words = "closed its connection to the tool in action 3,000: add(amount: 7)"
        #expect(result.errors.contains(words), "\(result.errors)")
        #expect(!result.errors.contains("damaged"), "\(result.errors)")
    }

    @Test(arguments: [("killed", "SIGKILL"), ("terminated", "SIGTERM")])
    func `verify reports a file whose process is killed, and verifies the others`(
        variant: String,
        name: String
    ) throws {
        _ = try workshop.shell(
            #"echo '{"add":{"amount":1}}' | CounterTool record --app counter fine.hindsight"#
        )
        let tool = "COUNTER=\(variant) CounterTool verify"
        let text = try workshop.shell("\(tool) fine.hindsight c.hindsight fine.hindsight").expecting(code: 3)
        #expect(text.text.split(separator: "\n").count == 2, "\(text.text)")
        let words = "c.hindsight: the process that replayed it was killed by \(name), \(Self.place)"
        #expect(text.errors.contains(words), "\(text.errors)")
        let review = try workshop.shell("COUNTER=\(variant) CounterTool review c.hindsight")
        #expect(review.code == 3 && review.text.contains(words), "\(review.text)\(review.errors)")
        let json = try workshop.shell("\(tool) --json c.hindsight fine.hindsight c.hindsight").expecting(code: 3)
        #expect(try (0..<3).map { try json.json(line: $0)["equal"] as? Bool } == [false, true, false], "\(json.text)")
        #expect((try json.json()["error"] as? String)?.contains("was killed by \(name)") == true, "\(json.text)")
        #expect(try json.json()["crash"] is NSNull)
        // Of another app, and so worse: the first file's result counts as well.
        try workshop.record("todo", Sessions.todo, to: "todo.hindsight")
        #expect(try workshop.shell("\(tool) todo.hindsight c.hindsight fine.hindsight").code == 4)
    }

    @Test(arguments: [("trapping", Int32(5)), ("killed", 3)])
    func `a file that ends its process is worse than one with nothing to compare`(variant: String, code: Int32) throws {
        _ = try workshop.shell("CounterTool record --app counter --input /dev/null empty.hindsight")
        #expect(try workshop.shell("CounterTool verify empty.hindsight").code == 6)
        for files in ["empty.hindsight c.hindsight", "c.hindsight empty.hindsight"] {
            let result = try workshop.shell("COUNTER=\(variant) CounterTool verify \(files)")
            #expect(result.code == code, "\(files): \(result.text)\(result.errors)")
        }
    }

    @Test(arguments: ["replay c.hindsight", "jump --replayed c.hindsight end"])
    func `a reducer that forks changes nothing in a replay`(line: String) throws {
        let forked = try workshop.shell("COUNTER=forking CounterTool \(line)")
        #expect(forked.code == 0 && forked.errors.isEmpty, "\(forked.errors)")
        #expect(try forked.text == workshop.shell("CounterTool \(line)").text)
    }

    @Test func `a state that traps while it is encoded is not taken for a reducer`() throws {
        let result = try workshop.shell("COUNTER=encoding CounterTool replay --json c.hindsight").expecting(code: 5)
        let words = "The app's encode(to:) crashed in action 2, after reducer 2 of 3 (totals.sum): add(amount: 7)"
        #expect(result.errors.contains(words), "\(result.errors)")
        let crash = try #require(try result.json(line: 1)["crash"] as? [String: Any])
        #expect(crash["phase"] as? String == "encoding")
    }

    @Test func `an app that calls exit while it is recorded does not exit with 0`() throws {
        let result = try workshop.shell("COUNTER=leaving CounterTool record --app counter --input in.jsonl d.hindsight")
        #expect(result.code == 5, "\(result.text)\(result.errors)")
        #expect(result.errors.contains("The app called exit"), "\(result.errors)")
    }

    @Test(.enabled(if: Workshop.succeeds("command -v python3")))
    func `a shell that ignores its children's ends changes nothing`() throws {
        let ignoring = """
            python3 -c 'import os, signal, sys; signal.signal(signal.SIGCHLD, signal.SIG_IGN); os.execvp(sys.argv[1], sys.argv[1:])'
            """
        #expect(try workshop.shell("\(ignoring) CounterTool verify c.hindsight").code == 0)
        #expect(try workshop.shell("COUNTER=leaving \(ignoring) CounterTool verify c.hindsight").code == 5)
    }

    @Test(.enabled(if: Workshop.succeeds("command -v python3")))
    func `the command of bisect does not inherit what the tool and its shell ignore`() throws {
        let ignoring = """
            python3 -c 'import os, signal, sys; signal.signal(signal.SIGCHLD, signal.SIG_IGN); os.execvp(sys.argv[1], sys.argv[1:])'
            """
        let line = "\(ignoring) hindsight bisect c.hindsight --run 'test $HINDSIGHT_POSITION -lt 2'"
        let answer = try workshop.shell(line).expecting(code: 0)
        #expect(answer.text.hasPrefix("The state is bad from 2 on"), "\(answer.text)\(answer.errors)")
        let ended = try workshop.shell("hindsight bisect c.hindsight --run 'kill -PIPE $$'").expecting(code: 2)
        #expect(ended.errors.contains("was ended by signal 13 at position 0"), "\(ended.errors)")
    }

    /// Variants of a reducer that do not change the answer.
    @Test(arguments: ["crashing at exit", "silent at the end", "forking"])
    func `code that runs after the verdict does not change it`(variant: String) throws {
        let result = try workshop.shell("COUNTER='\(variant)' CounterTool verify c.hindsight").expecting(code: 0)
        #expect(result.text == "equal  c.hindsight  3 actions, 9 steps\n")
        #expect(try workshop.shell("COUNTER='\(variant)' CounterTool verify c.hindsight | cat").text == result.text)
    }

    /// Scratch files that cannot be created, and outputs that accept nothing.
    @Test(arguments: [
        ("TMPDIR=/nowhere", "leaving", "", Int32(5)), ("TMPDIR=/dev/full", "leaving", "", 5),
        ("TMPDIR=/nowhere", "trapping", "", 5), ("TMPDIR=/nowhere", "", "", 0), ("", "", ">/dev/full", 3),
        ("", "leaving", ">/dev/full", 5), ("", "doubling", "| head -0; exit ${PIPESTATUS[0]}", 1),
        ("", "leaving", "| head -0; exit ${PIPESTATUS[0]}", 5), ("", "leaving", ">&-", 5), ("", "leaving", "<&-", 5),
        ("", "leaving", "2>&-", 5),
    ])
    func `the verdict depends neither on scratch files nor on the output's reader`(
        environment: String,
        variant: String,
        rest: String,
        code: Int32
    ) throws {
        let line = "\(environment) COUNTER='\(variant)' CounterTool verify c.hindsight \(rest)"
        let result = try workshop.shell(line)
        #expect(result.code == code, "\(line): \(result.text)\(result.errors)")
    }

    @Test func `An experiment on actions that do not return says so, and how to give them more time`() throws {
        for command in ["cause c.hindsight /count", "shake c.hindsight"] {
            let line = "COUNTER=stuck CounterTool \(command) --timeout 0.3"
            let result = try workshop.shell(line).expecting(code: 5)
            #expect(result.errors.contains("take longer than 0.3 s in action 2"), "\(line): \(result.errors)")
            #expect(result.errors.contains("--timeout SECONDS gives them more."), "\(line): \(result.errors)")
        }
    }

    @Test func `replay fails without pipes`() throws {
        // Room for the standard descriptors, but not for three pipes.
        let result = try workshop.shell("ulimit -n 8; CounterTool verify c.hindsight").expecting(code: 3)
        #expect(
            result.errors.contains("Could not make a pipe for the process that runs the reducers"),
            "\(result.errors)"
        )
        #expect(result.text == "")
    }

    @Test func `replay fails where no file may be as long as the memory that processes share`() throws {
        let result = try workshop.shell("ulimit -f 2; CounterTool verify c.hindsight").expecting(code: 3)
        #expect(result.errors.contains("File too large"), "\(result.errors)")
        #expect(result.text == "")
    }

    /// Writing to the mapping of a file on a full disk raises a signal. The file system here has one page, which is full.
    @Test(.enabled(if: Workshop.succeeds("unshare -rm mount -t tmpfs none /mnt")))
    func `A full disk for scratch files does not end the tool`() throws {
        let fill = "mkdir tmp && mount -t tmpfs -o size=4k none tmp && head -c 4096 /dev/zero > tmp/full"
        let command = "TMPDIR=$PWD/tmp CounterTool cause c.hindsight /count"
        let result = try workshop.shell("unshare -rm bash -c '\(fill); \(command)'").expecting(code: 0)
        #expect(result.text.hasPrefix("/count is 3 because of action 3 add(amount: 5)"), "\(result.errors)")
    }

    @Test(arguments: ["1", "self", ""])
    func `a variable from elsewhere does not make the tool a child`(value: String) throws {
        let result = try workshop.shell(
            "export HINDSIGHT_REPLAY_OF=\(value == "self" ? "$$" : value); COUNTER=leaving CounterTool verify c.hindsight; exit $?"
        )
        #expect(result.code == 3, "\(result.text)\(result.errors)")
        #expect(result.errors.contains("HINDSIGHT_REPLAY_OF is set"), "\(result.errors)")
    }

    // MARK: Frames

    private static let hasBacktracer = Workshop.succeeds(
        """
        root=$(dirname "$(dirname "$(readlink -f "$(command -v swift)")")"); ls $root/libexec/swift/*/swift-backtrace
        """
    )

    @Test(.enabled(if: hasBacktracer)) func `the frames of a trap are the app's, with file and line`() throws {
        let result = try workshop.shell("COUNTER=indexing CounterTool replay --json c.hindsight", backtraces: true)
        #expect(result.code == 5)
        // A slow machine also says how long the replay runs.
        let lines = result.errors.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
            .filter { !$0.hasPrefix("Running for ") }
        try #require(lines.count == 6, "\(result.errors)")
        #expect(lines[1].contains("Fatal error: Index out of range (signal 4"), "\(result.errors)")
        for (line, function) in zip(lines[2...4], ["pick(_:)", "end(as:)", "closure #2"]) {
            #expect(line.hasPrefix("at \(function), "), "\(result.errors)")
            #expect(line.contains("Tests/CounterTool/main.swift:"), "\(result.errors)")
        }
        let last = result.text.split(separator: "\n").count - 1
        let crash = try #require(try result.json(line: last)["crash"] as? [String: Any])
        let frames = try #require(crash["frames"] as? [[String: Any]])
        #expect(frames.map { $0["function"] as? String } == ["pick(_:)", "end(as:)", "closure #2"])
        #expect(frames.allSatisfy { ($0["line"] as? Int ?? 0) > 0 })
    }

    @Test(.enabled(if: hasBacktracer)) func `a stack overflow is reported with the innermost calls`() throws {
        let result = try workshop.shell("COUNTER=recursing CounterTool verify --json c.hindsight", backtraces: true)
        #expect(result.code == 5)
        #expect(result.errors.contains("the stack may have overflowed"), "\(result.errors)")
        let crash = try #require(try result.json()["crash"] as? [String: Any])
        let frames = try #require(crash["frames"] as? [[String: Any]])
        #expect(Set(frames.compactMap { $0["function"] as? String }) == ["ping(_:)", "pong(_:)"])
    }

    @Test func `the report says if backtraces are switched off`() throws {
        let result = try workshop.shell("SWIFT_BACKTRACE=enable=no COUNTER=trapping CounterTool verify c.hindsight")
        #expect(result.code == 5)
        #expect(result.errors.contains("Fatal error: seven"))
        #expect(result.errors.contains("SWIFT_BACKTRACE switches backtraces off"), "\(result.errors)")
    }

    // MARK: Hanging

    @Test(arguments: [
        ("replay c.hindsight", "stuck"), ("verify c.hindsight", "spinning"),
        ("jump c.hindsight end --replayed", "stuck"),
    ])
    func `an action that runs for long is reported, and ended at the timeout`(line: String, variant: String) throws {
        let result = try workshop.shell("COUNTER=\(variant) CounterTool \(line) --timeout 2.9").expecting(code: 5)
        for words in [
            "Running for 2 s: \(Self.place) of c.hindsight. --timeout SECONDS ends",
            "A reducer did not return within 2.9 s \(Self.place): add(amount: 7)", "It was ended.",
        ] {
            #expect(result.errors.contains(words), "\(result.errors)")
        }
    }

    @Test func `a timeout does not count the time in which the processes were stopped`() throws {
        let result = try workshop.shell(
            """
            set -m
            COUNTER=stuck CounterTool verify --timeout 6 c.hindsight 2>errors.txt & replay=$!
            for i in $(seq 2400); do [ -s errors.txt ] && break; sleep 0.05; done
            kill -STOP -- -$replay; sleep 7; kill -CONT -- -$replay; sleep 1
            kill -TERM $replay; wait $replay; code=$?; cat errors.txt; exit $code
            """
        )
        #expect(result.code == 143, "\(result.text)\(result.errors)")
        #expect(!result.text.contains("did not return"), "\(result.text)")
    }

    @Test(arguments: ["INT", "TERM"]) func `an interrupted replay says where it was`(signal: String) throws {
        let result = try workshop.shell(
            """
            set -m
            COUNTER=stuck CounterTool verify c.hindsight 2>errors.txt & replay=$!
            for i in $(seq 2400); do [ -s errors.txt ] && break; sleep 0.05; done
            kill -\(signal) $replay; wait $replay; code=$?; cat errors.txt; exit $code
            """
        )
        #expect(result.code == (signal == "INT" ? 130 : 143), "\(result.text)\(result.errors)")
        #expect(result.text.contains("was stopped by signal"), "\(result.text)")
        #expect(result.text.contains(Self.place), "\(result.text)")
    }

    @Test func `commands that run no reducer refuse a timeout`() throws {
        let result = try workshop.shell("CounterTool jump c.hindsight end --timeout 3")
        #expect(result.code == 2 && result.errors.contains("--replayed"), "\(result.errors)")
    }

    @Test(arguments: ["0", "-1", "soon", "nan"]) func `a timeout is a positive count of seconds`(value: String) throws {
        let result = try workshop.shell("CounterTool verify --timeout=\(value) c.hindsight")
        #expect(result.code == 2, "\(result.errors)")
    }
}
