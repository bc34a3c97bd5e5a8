import Foundation
import Testing

/// `review` with the built tool, whose reducers run in a process of their own.
@Suite struct ReviewTests {
    /// Recordings of CounterTool. With COUNTER=changed, `a` and `both` differ in `add`, and `b` and `both` in `reset`.
    private static let recordings = [
        "a": ["add 7"], "aa": ["add 3", "add 7"], "b": ["add 1", "reset"], "both": ["add 7", "reset"],
        "same": ["add 2"],
    ]
    private static let names = recordings.keys.sorted()
    private static let hasPython = Workshop.succeeds("command -v python3")

    private static let supplies = Supplies { workshop in
        try FileManager.default.createDirectory(at: workshop.url("r"), withIntermediateDirectories: true)
        for (name, words) in Self.recordings { try Self.record(words, to: "r/\(name).hindsight", in: workshop) }
    }

    private let workshop = Workshop()

    init() throws { try Self.supplies.put(into: workshop) }

    private static func record(_ words: [String], to file: String, in workshop: Workshop) throws {
        let lines = words.map { word in
            word == "reset" ? #"{"reset":{}}"# : #"{"add":{"amount":\#(word.dropFirst(4))}}"#
        }
        try workshop.write(lines.joined(separator: "\n"), to: "in.jsonl")
        let result = try workshop.shell("CounterTool record --force --app counter --input in.jsonl \(file)")
        try #require(result.code == 0, "\(result.errors)")
    }

    private func review(_ line: String, as variant: String = "changed") throws -> Finished {
        try workshop.shell("COUNTER='\(variant)' CounterTool review r \(line) </dev/null")
    }

    private func contents() throws -> [String: Data] {
        try Self.names.reduce(into: [:]) { $0[$1] = try Data(contentsOf: workshop.url("r/\($1).hindsight")) }
    }

    /// The recordings whose files changed, all of which the changed reducers replay.
    private func rewritten(since before: [String: Data]) throws -> [String] {
        let changed = try contents().filter { before[$0.key] != $0.value }.keys.sorted()
        for name in changed {
            let result = try workshop.shell("COUNTER=changed CounterTool verify r/\(name).hindsight")
            #expect(result.code == 0, "\(result.text)")
        }
        return changed
    }

    @Test func `Without a terminal, review prints the classes, and writes what --accept says`() throws {
        let before = try contents()
        let list = try review("").expecting(code: 1)
        for words in [
            "2 kinds of differences in 4 of 5 recordings", "3 actions in 3 recordings",
            "add, reducer totals.sum, /totals/sum", "reset, reducer count, /count", "~ /totals/sum  7 → 14",
        ] {
            #expect(list.text.contains(words), "\(words): \(list.text)\(list.errors)")
        }
        let node = try review("--json").json()
        let classes = try #require(node["classes"] as? [[String: Any]])
        let add = try #require(classes.first { $0["type"] as? String == "add" }?["id"] as? String)
        #expect(try rewritten(since: before) == [])

        let one = try review("--accept \(add.prefix(8))").expecting(code: 1)
        #expect(try rewritten(since: before) == ["a", "aa"])
        #expect(one.text.contains("waits  r/both.hindsight"), "\(one.text)")
        #expect(try review("--check").code == 1)
        #expect(try review("--accept all").code == 0)
        #expect(try rewritten(since: before) == ["a", "aa", "b", "both"])
        #expect(try review("--check").code == 0)
    }

    @Test(arguments: [("trapping", "seven"), ("leaving", "exit(0)"), ("spinning", "did not return")])
    func `A reducer that ends the replay is a class that cannot be accepted`(variant: String, words: String) throws {
        let before = try contents()
        // A trap may take longer than a second while other tests run.
        let line = "--accept all --json" + (variant == "spinning" ? " --timeout 1" : "")
        let result = try review(line, as: variant).expecting(code: 5)
        let node = try result.json()
        let classes = try #require(node["classes"] as? [[String: Any]])
        #expect(classes.count == 1 && classes[0]["cause"] as? String == "crash", "\(result.text)")
        #expect(classes[0]["count"] as? Int == 3 && classes[0]["name"] as? String == "totals.sum", "\(result.text)")
        #expect(result.text.contains(words), "\(result.text)")
        #expect(try contents() == before)
        // Timeouts and backtraces take long.
        guard variant == "trapping" else { return }
        let id = try #require(classes[0]["id"] as? String)
        #expect(try review("--accept \(id)", as: variant).code == 2)
    }

    @Test func `A text stays a text, and is rewritten too`() throws {
        _ = try workshop.shell("CounterTool export r/a.hindsight -o r/text.jsonl && rm r/a.hindsight")
        let before = try String(contentsOf: workshop.url("r/text.jsonl"), encoding: .utf8)
        #expect(try review("--accept all").code == 0)
        let after = try String(contentsOf: workshop.url("r/text.jsonl"), encoding: .utf8)
        let changed = zip(before.split(separator: "\n"), after.split(separator: "\n")).filter { $0 != $1 }
        #expect(changed.count == 1, "\(after)")
        #expect(try workshop.shell("COUNTER=changed CounterTool verify r/text.jsonl").code == 0)
    }

    // MARK: On a terminal

    private static let prompt = "[q]uit [?] "

    private func session(
        _ steps: [TerminalSession.Step]
    ) throws -> TerminalSession {
        try TerminalSession("env COUNTER=changed TERM=dumb CounterTool review r", steps, in: workshop)
    }

    /// Keys for the class of `add` and then that of `reset`, the rewritten recordings, and the exit code.
    private static let sessions: [(keys: [String], rewritten: [String], code: Int, words: String)] = [
        (["a", "a"], ["a", "aa", "b", "both"], 0, "2 accepted, 0 rejected, 0 skipped. 4 recordings"),
        (["a", "s"], ["a", "aa"], 1, "(skipped)"),
        (["r", "a"], ["b"], 1, "To fix:"),
        (["d", "\u{1B}[A", "?", "x", "A"], ["a", "aa", "b", "both"], 0, "accepted all 2"),
        (["a", "q"], [], 1, "Nothing was written."),
        (["S"], [], 1, "0 recordings will be rewritten"),
    ]

    @Test(.enabled(if: hasPython), arguments: sessions.indices)
    func `Single keys decide on a terminal`(index: Int) throws {
        let (keys, files, code, words) = Self.sessions[index]
        let before = try contents()
        let steps: [TerminalSession.Step] = keys.indices.flatMap { index -> [TerminalSession.Step] in
            // An arrow key gets no answer. Keys that follow it at once would count as a part of it.
            let isIgnored = index > 0 && keys[index - 1].hasPrefix("\u{1B}")
            let pause: [TerminalSession.Step] = isIgnored ? [.shell("sleep 1", after: "")] : []
            return pause + [.keys(keys[index], after: isIgnored ? "" : Self.prompt)]
        }
        let session = try session(steps)
        #expect(session.code == code, "\(session.screen)")
        #expect(session.isRestored)
        #expect(session.screen.contains(words), "\(session.screen)")
        #expect(try rewritten(since: before) == files, "\(session.screen)")
        for line in session.screen.split(whereSeparator: \.isNewline) { #expect(line.count <= 80, "\(line)") }
    }

    @Test(.enabled(if: hasPython), arguments: [SIGTERM, SIGINT])
    func `A signal at the prompt ends review, restores the terminal, and writes nothing`(signal: Int32) throws {
        let before = try contents()
        let last: TerminalSession.Step =
            signal == SIGINT ? .keys("\u{3}", after: Self.prompt) : .signal(signal, after: Self.prompt)
        let session = try session([.keys("a", after: Self.prompt), last])
        #expect(session.code == -Int(signal), "\(session.screen)")
        #expect(session.isRestored)
        #expect(try contents() == before)
    }

    @Test(.enabled(if: hasPython)) func `Of two reviews at once, the second changes nothing that the first wrote`()
        throws
    {
        let before = try contents()
        let other = "COUNTER=changed CounterTool review r --accept all </dev/null; cp -p -r r after"
        let session = try session([.shell(other, after: Self.prompt), .keys("A", after: "")])
        #expect(session.code == 3, "\(session.screen)")
        #expect(session.screen.contains("has changed since it was examined"), "\(session.screen)")
        #expect(try rewritten(since: before) == ["a", "aa", "b", "both"])
        for name in Self.names {
            let after = try Data(contentsOf: workshop.url("after/\(name).hindsight"))
            #expect(try contents()[name] == after, "\(name)")
        }
    }

    @Test(.enabled(if: hasPython)) func `A file that changes between examination and decision is left as it is`() throws
    {
        let before = try contents()
        let session = try session([
            .shell("cp r/same.hindsight r/a.hindsight", after: Self.prompt), .keys("A", after: ""),
        ])
        #expect(session.code == 3, "\(session.screen)")
        #expect(session.screen.contains("r/a.hindsight has changed since it was examined"), "\(session.screen)")
        let after = try contents()
        #expect(after["a"] == before["same"])
        #expect(["aa", "b", "both"].allSatisfy { after[$0] != before[$0] }, "\(session.screen)")
    }

    @Test func `Why a recording cannot be reviewed names it as the user did`() throws {
        try workshop.write("no database", to: "r/bad.hindsight")
        let result = try review("").expecting(code: 3)
        #expect(result.text.contains("not reviewed  r/bad.hindsight\n  r/bad.hindsight"), "\(result.text)")
    }

    /// The milliseconds between the first write and the end of the process.
    @Test(.enabled(if: hasPython), arguments: [0, 1, 3, 10, 30, 100])
    func `A review that is killed while it writes leaves the old file or the new one`(delay: Int) throws {
        try Self.record((0..<1500).map { "add \($0 % 9)" }, to: "r/a.hindsight", in: workshop)
        let before = try contents()
        let script = """
            import os, subprocess, sys, time
            child = subprocess.Popen(["CounterTool", "review", "r", "--accept", "all"], stdin=subprocess.DEVNULL)
            while child.poll() is None and not any(name.startswith(".") for name in os.listdir("r")): time.sleep(0.0005)
            time.sleep(\(delay) / 1000)
            child.kill()
            child.wait()
            time.sleep(0.5)
            """
        try workshop.write(script, to: "kill.py")
        _ = try workshop.shell("COUNTER=changed python3 kill.py")
        _ = try rewritten(since: before)
        // What the killed process left does not disturb the next.
        let next = try review("--accept all")
        #expect(next.code == 0, "\(next.text)\(next.errors)")
        #expect(try rewritten(since: before) == ["a", "aa", "b", "both"])
    }
}
