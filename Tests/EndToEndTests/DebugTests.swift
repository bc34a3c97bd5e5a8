import Foundation
import Testing

/// `hindsight debug` from a pipe and from a script.
@Suite struct DebugTests {
    private static let crash = Workshop.package.appending(path: "Fixtures/crashed/checkout-crash.hindsight")

    private let workshop = Workshop()

    init() throws { try FileManager.default.copyItem(at: Self.crash, to: workshop.url("c.hindsight")) }

    private func debug(_ commands: String...) throws -> Finished {
        try workshop.hindsight("debug", "c.hindsight", input: Data(commands.map { $0 + "\n" }.joined().utf8))
    }

    @Test func `a crashed recording opens at the crash`() throws {
        let result = try debug("where").expecting(code: 0)
        #expect(result.text.hasPrefix("12.0  ApplyCoupon(code: \"WELCOME10\")"), "\(result.text)")
        #expect(result.text.contains("its process ended here, in reducer 7 of 9 (cart.totals)"), "\(result.text)")
        #expect(result.text.contains("#0  cart.totals  reducer 7 of 9, in which the process ended"), "\(result.text)")
        // No prompts, and no colours.
        #expect(!result.text.contains(" > ") && !result.text.contains("\u{1B}"), "\(result.text)")
    }

    @Test func `experiments run on the recording, at the position`() throws {
        let shrunk = try debug("shrink /cart/lines/0/quantity = 2")
        #expect(shrunk.text.contains("shrunk  c.hindsight  "), "\(shrunk.text)\(shrunk.errors)")
        #expect(try debug("shrink").errors.contains("error: It does not crash"))
        let cause = try debug("goto 8", "cause /cart/lines/0/quantity")
        #expect(cause.text.contains("/cart/lines/0/quantity is "), "\(cause.text)\(cause.errors)")
        #expect(cause.text.contains("because of action "), "\(cause.text)\(cause.errors)")
        // Where it opens is before the first reducer of the action that crashed.
        let atCrash = try debug("cause /cart/totals/gross", "backi", "cause /cart/totals/gross")
        #expect(atCrash.text.components(separatedBy: "/cart/totals/gross is ").count == 3, "\(atCrash.errors)")
        let within = try debug("goto 8.3", "cause /cart/lines/0/quantity").errors
        #expect(within.contains("goto 8.3 lies within an action") && within.contains("Use goto 8, or goto 7"))
        let others = try debug("shake", "races")
        #expect(others.text.contains("steady  c.hindsight  12 actions"), "\(others.text)\(others.errors)")
        #expect(others.text.contains("no race  c.hindsight"), "\(others.text)\(others.errors)")
        #expect(try debug("cause").errors.contains("error: cause needs"))
        #expect(try debug("scrub").errors.contains("error: scrub needs"))
        #expect(try debug("compare ./nowhere").errors.contains("./nowhere is no executable"))
    }

    @Test func `a debugger writes a test and a recording for others, and compares builds`() throws {
        let session = Workshop.package.appending(path: "Fixtures/todo.hindsight")
        try FileManager.default.removeItem(at: workshop.url("c.hindsight"))
        try FileManager.default.copyItem(at: session, to: workshop.url("c.hindsight"))
        let test = try debug("test --constant=Todo.todoApp 0 2")
        #expect(test.text.contains("import Testing") && test.text.contains("todoApp"), "\(test.text)\(test.errors)")
        #expect(try debug("test --constant Todo.todoApp 0 2").text == test.text)
        #expect(try debug("test 0 2 --constant Todo.todoApp").text == test.text)
        let rules = try debug("invariants")
        #expect(rules.text.contains("24 rules  todo"), "\(rules.text)\(rules.errors)")
        let tool = Workshop.tool.path
        let compared = try debug("compare \(tool)")
        #expect(compared.text.hasPrefix("same  ") && compared.code == 0, "\(compared.text)\(compared.errors)")
        let scrubbed = try debug("scrub shared.hindsight")
        #expect(scrubbed.text.contains("shared.hindsight"), "\(scrubbed.text)\(scrubbed.errors)")
        #expect(try workshop.hindsight("verify", "shared.hindsight").code == 0)
    }

    @Test func `the steps until the crash are computed, and marked, in all that reads them`() throws {
        func answer(_ command: String, at position: String = "12.6") throws -> Finished {
            try debug("goto \(position)", command)
        }
        let mark = "≈ computed by this build's reducers, not recorded"
        let step = try debug("stepi 5", "stepi", "stepi", "rs")
        #expect(step.text.contains("\n12.5  coupons  ApplyCoupon("), "\(step.text)")
        #expect(step.text.contains("  + /coupons/applied  {percent: {code: \"WELCOME10\", off: 10}}\n  \(mark)\n"))
        #expect(step.text.contains("\n12.6  shipping  ApplyCoupon("), "\(step.text)")
        #expect(step.text.contains("The recording ends here.\n12.6  shipping"), "\(step.text)")
        #expect(step.text.contains("\n11  ChooseShipping("), "\(step.text)")
        for (command, expected, position) in [
            ("diff", "12.5 coupons\n  + /coupons/applied", "12.5"), ("diff 12.4", "+ /coupons/applied", "12.6"),
            ("p coupons", "/coupons  {applied: {percent: {code: \"WELCOME10\"", "12.6"),
            ("p coupons.applied.percent.off", "/coupons/applied/percent/off  10", "12.6"),
            ("p old(/coupons/applied) is null", "\ntrue\n", "12.5"),
            ("p /cart/totals/gross + 1", "\n49.35\n", "12.6"),
            ("why /coupons/applied/percent/off", "became 10 at ≈ 12.5, in coupons, by ApplyCoupon", "12.6"),
            ("why /cart/totals/gross", "became 48.35 at 11.7, in cart.totals", "12.6"),
            ("where", "#0  shipping  reducer 6 of 9", "12.6"),
            ("history /coupons/applied", "  coupons  ApplyCoupon(code: \"WELCOME10\")  nothing → {percent: ", "12.6"),
        ] {
            let result = try answer(command, at: position)
            #expect(result.code == 0 && result.text.contains(expected), "\(command): \(result.text)\(result.errors)")
            #expect((result.text + result.errors).contains("computed by this build's reducers"), "\(command)")
        }
        let history = try answer("history /coupons/applied", at: "12.6").text
        #expect(history.components(separatedBy: "nothing → {percent: ").count == 2, "\(history)")
    }

    @Test func `find says why nothing was found`() throws {
        try workshop.record("todo", Sessions.todo, to: "c.hindsight")
        for (expression, expected) in [
            ("type = 'toggel'", "There is no action of type toggel."), ("/nosuch = 1", "There is nothing at /nosuch"),
        ] {
            let result = try debug("find \(expression)")
            #expect(result.code == 2 && result.errors.contains(expected), "\(result.text)\(result.errors)")
        }
        let result = try debug("find seq = -1")
        #expect(result.code == 0 && result.text.contains("is true at none of"), "\(result.text)\(result.errors)")
    }

    @Test func `print takes names and expressions where the state was not recorded`() throws {
        let partial = Workshop.package.appending(path: "Fixtures/partial.hindsight")
        try FileManager.default.removeItem(at: workshop.url("c.hindsight"))
        try FileManager.default.copyItem(at: partial, to: workshop.url("c.hindsight"))
        for (text, expected) in [
            ("/counts/open", "/counts/open  5"), ("counts.open", "/counts/open  5"), ("type", "\"annotate\""),
            ("1+1", "2"),
            ("/counts/open > 1", "not known: it needs a value that was redacted, or not recorded"),
        ] {
            let result = try debug("goto 45", "print \(text)")
            #expect(result.code == 0 && result.text.hasSuffix("\n\(expected)\n"), "\(result.text)\(result.errors)")
        }
    }

    @Test func `runs stop in the steps until the crash`() throws {
        let result = try debug("goto start", "watch /coupons/applied", "c", "c", "rc", "c")
        let stops = result.text.split(separator: "\n").filter { $0.hasPrefix("1  watch /coupons/applied: nothing → ") }
        #expect(stops.count == 2 && result.text.contains("\n12.5  coupons  ApplyCoupon("), "\(result.text)")
        let both = try debug("goto start", "watch /coupons/applied", "break reducer coupons", "c")
        #expect(both.text.contains("\n1  watch /coupons/applied: nothing → "), "\(both.text)")
        #expect(both.text.contains("\n2  break reducer coupons\n12.5  coupons"), "\(both.text)")
    }

    @Test func `a branch of a recording that crashes again, and was not recovered, goes up to the crash`() throws {
        let workshop = Workshop()
        let actions = Sessions.crashingCheckout
        try workshop.write(actions.map { $0 + "\n" }.joined(), to: "session.jsonl")
        _ = try workshop.shell("CheckoutTool record --input session.jsonl c.hindsight")
        func files() throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: workshop.url(".").path).filter { $0.hasPrefix("c.") }
                .sorted()
        }
        let before = try files()
        #expect(before.contains("c.hindsight-ahead"), "\(before)")
        try workshop.write("goto 1\ndispatch \(actions[1])\nrun\nbranches\nprint /cart\n", to: "script")
        let result = try workshop.shell("CheckoutTool debug c.hindsight -x script")
        #expect(result.text.contains("It crashed again where the recorded process ended"), "\(result.text)")
        #expect(result.text.contains("The branch leaves out action"), "\(result.text)")
        #expect(result.text.contains("* 1  branch-1"), "\(result.text)")
        #expect(!result.text.contains("hindsight-debug-"), "\(result.text)")
        #expect(try files() == before)
    }

    @Test func `running back stops at the changes that history lists`() throws {
        let path = "/cart/totals/gross"
        var positions: [String] = []
        for line in try workshop.hindsight("history", "c.hindsight", path, "--json").text.split(separator: "\n") {
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            if let position = object?["position"] as? String { positions.append(position) }
        }
        #expect(positions.count >= 5)
        let commands = ["watch \(path)"] + Array(repeating: "rcontinue", count: positions.count + 1)
        let input = Data(commands.map { $0 + "\n" }.joined().utf8)
        let result = try workshop.hindsight("debug", "c.hindsight", input: input)
        let stops = result.text.split(separator: "\n").filter { $0.contains("cart.totals  ") }
            .map { $0.prefix { !$0.isWhitespace } }
        #expect(stops.map(String.init) == positions.reversed(), "\(result.text)")
        #expect(result.text.contains("The recording begins here."), "\(result.text)")
    }

    @Test func `continue stops where find says`() throws {
        let expression = "type = 'ChooseShipping'"
        let found = try workshop.hindsight("find", "c.hindsight", expression, "--json")
        let positions = try found.text.split(separator: "\n").compactMap { line -> String? in
            try (JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])?["position"] as? String
        }
        let result = try debug("goto start", "break \(expression)", "c", "c", "c")
        let stops = result.text.split(separator: "\n").filter { $0.contains("ChooseShipping(") }
            .map { String($0.prefix { !$0.isWhitespace }) }
        #expect(positions == ["9", "11"] && stops == positions, "\(result.text)\(positions)")
        #expect(result.text.contains("The recording ends here."), "\(result.text)")
    }

    @Test func `a script prints what a pipe does, and the exit code is that of the first failure`() throws {
        let commands = [
            "# a comment", "", "goto 3", "print /cart/currency", "nonsense", "goto 99", "step 2", "p cart.lines",
        ]
        try workshop.write(commands.joined(separator: "\n"), to: "steps.txt")
        let script = try workshop.hindsight("debug", "c.hindsight", "-x", "steps.txt")
        let pipe = try workshop.hindsight(
            "debug",
            "c.hindsight",
            input: Data(commands.joined(separator: "\n").utf8)
        )
        #expect(script.output == pipe.output && script.errors == pipe.errors && script.code == pipe.code)
        #expect(script.code == 2, "\(script.text)\(script.errors)")
        #expect(script.errors.contains("There is no command \"nonsense\"."), "\(script.errors)")
        // The commands after the failures have run.
        #expect(script.text.contains("\n5  ChangeQuantity"), "\(script.text)")
        #expect(script.text.contains("/cart/lines"), "\(script.text)")
        #expect(try workshop.hindsight("debug", "c.hindsight", "-x", "no.txt").code == 3)
        #expect(try workshop.hindsight("debug", "c.hindsight", "--json").code == 2)
    }

    @Test func `planned changes run into a branch, whose file is removed at the end`() throws {
        let commands = [
            "skip 8", "branches", "run", "branches", "print /cart/lines/0/quantity", "checkout 0", "goto 11",
            "print /cart/lines/0/quantity", "goto 8", "skip", "run kept.hindsight", "branches",
        ]
        try workshop.write(commands.joined(separator: "\n"), to: "steps.txt")
        let result = try workshop.shell(
            "TMPDIR=\"$PWD\" hindsight debug c.hindsight -x steps.txt; ls -d hindsight-debug*"
        )
        #expect(result.text.contains("planned: skip 8"), "\(result.text)\(result.errors)")
        #expect(result.text.contains("12 places at the end"), "\(result.text)\(result.errors)")
        #expect(result.text.contains("* 1  branch-1"), "\(result.text)")
        #expect(result.text.contains("/cart/lines/0/quantity  2"), "\(result.text)")
        #expect(result.text.contains("/cart/lines/0/quantity  0"), "\(result.text)")
        #expect(result.text.contains("* 2  kept.hindsight"), "\(result.text)")
        // Nothing matches `hindsight-debug*` any more.
        #expect(result.code != 0, "\(result.text)")
        #expect(try workshop.hindsight("info", "kept.hindsight").text.contains("what-if"))
        #expect(try Data(contentsOf: workshop.url("c.hindsight")) == Data(contentsOf: Self.crash))
    }

    @Test func `a what-if on a crash says whether the crash is gone, in the words of whatif`() throws {
        let verdict = "Action 11 of the changed log, in which the recorded process ended, ran through: no crash."
        let result = try debug("skip 8", "run")
        #expect(result.text.contains("\n\(verdict)\n8  ChooseShipping"), "\(result.text)\(result.errors)")
        #expect(try workshop.hindsight("whatif", "c.hindsight", "--skip", "8").errors.contains(verdict))
        // Nothing is said of an action that did not run.
        #expect(!(try debug("skip 12", "run").text.contains("no crash")))
    }

    @Test func `errors and answers in a branch do not show where its file is`() throws {
        let commands = [
            "skip 8", "run", "goto 99", "print /nothing", "why /cart/totals/gross", "history /cart/totals/gross",
        ]
        try workshop.write(commands.joined(separator: "\n"), to: "steps.txt")
        let result = try workshop.shell("mkdir tmp; TMPDIR=$PWD/tmp hindsight debug c.hindsight -x steps.txt")
        #expect(result.errors.contains("branch-1.hindsight has no position “99”"), "\(result.errors)")
        #expect(result.text.contains("/cart/totals/gross became"), "\(result.text)")
        #expect(!(result.text + result.errors).contains("hindsight-debug-"), "\(result.text)\(result.errors)")
    }

    @Test func `why shows the beginning of a long answer`() throws {
        try workshop.record("todo", (1...120).map { #"{"add":{"title":"item \#($0)"}}"# }, to: "c.hindsight")
        let result = try debug("goto end", "why /items")
        let lines = result.text.split(separator: "\n")
        #expect(lines.count < 260 && lines.last?.hasSuffix("which the command blame prints") == true, "\(lines.count)")
    }

    @Test func `a killed debugger's branches are removed at the next start`() throws {
        // What a process that was killed has left: its lock is free.
        let left =
            "mkdir -p tmp/hindsight-debug-AbCdEf; cd tmp/hindsight-debug-AbCdEf; touch lock branch-1.hindsight; cd ../.."
        let result = try workshop.shell("\(left); echo where | TMPDIR=$PWD/tmp hindsight debug c.hindsight; ls -A tmp")
        #expect(result.text.contains("#0  cart.totals") && !result.text.contains("hindsight-debug"), "\(result.text)")
    }

    @Test func `an action that is too long for a command line runs, and leaves no file`() throws {
        try workshop.record("todo", (1...4).map { #"{"add":{"title":"item \#($0)"}}"# }, to: "c.hindsight")
        let title = String(repeating: "x", count: 300_000)
        let commands = [
            #"edit 2 {"add":{"title":"\#(title)"}}"#, "run", "print /items/1/title like 'xxx%'", "branches",
        ]
        try workshop.write(commands.joined(separator: "\n"), to: "steps.txt")
        let result = try workshop.shell(
            "mkdir tmp; TMPDIR=$PWD/tmp hindsight debug c.hindsight -x steps.txt; ls -A tmp"
        )
        #expect(result.text.contains("* 1  branch-1"), "\(result.text.suffix(2000))\(result.errors)")
        #expect(result.text.contains("\ntrue"), "\(result.text.suffix(2000))\(result.errors)")
        // The action is not shown as a whole.
        #expect(result.text.split(separator: "\n").allSatisfy { $0.utf8.count < 2000 })
        #expect(!result.text.contains("hindsight-"), "\(result.text.suffix(2000))")
    }

    #if os(Linux)
        @Test(
            .enabled(if: Workshop.succeeds("command -v python3"), "needs python3"),
            arguments: ["TERM", "HUP", "INT"]
        )
        func `a signal ends it at a pipe, and removes the branches`(signal: String) throws {
            // A shell ignores SIGINT for what runs in the background, so python3 starts it.
            try workshop.write(
                """
                import glob, os, signal, subprocess, time
                signal.signal(signal.SIGINT, signal.default_int_handler)
                os.mkdir("tmp")
                tool = subprocess.Popen(
                    ["hindsight", "debug", "c.hindsight"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                    env=dict(os.environ, TMPDIR=os.getcwd() + "/tmp"))
                tool.stdin.write(b"skip 8\\nrun\\nbranches\\n")
                tool.stdin.flush()
                while not tool.stdout.readline().startswith(b"* 1  branch-1"): pass
                print(len(glob.glob("tmp/*")))
                tool.send_signal(signal.SIG\(signal))
                print(tool.wait(100), os.listdir("tmp"))

                """,
                to: "client.py"
            )
            let result = try workshop.shell("timeout 200 python3 client.py")
            // It ends by the signal, because a shell's loop would go on after a plain exit.
            let code = ["TERM": -SIGTERM, "HUP": -SIGHUP, "INT": -SIGINT][signal] ?? 0
            #expect(result.text == "1\n\(code) []\n", "\(result.text)\(result.errors)")
        }
    #endif

    @Test func `a breakpoint on divergences stops where verify finds one`() throws {
        let result = try debug("goto start", "break divergence", "continue", "continue")
        #expect(result.text.contains("\n8  ChangeQuantity"), "\(result.text)\(result.errors)")
        #expect(result.text.contains("The recording ends here."), "\(result.text)")
    }

    @Test func `a note is kept, and is a position`() throws {
        let result = try debug("goto 8", "note the bug", "goto start", "goto the bug", "note").expecting(code: 0)
        #expect(result.text.split(separator: "\n").count { $0.hasPrefix("8  ChangeQuantity") } == 2, "\(result.text)")
        #expect(try workshop.hindsight("notes", "c.hindsight").text.contains("the bug"))
    }

    @Test func `an expression that reads a redacted value is not known`() throws {
        try workshop.write(#"{"add":{"title":"secret"}}"#, to: "session.jsonl")
        let record = "record --app todo --force --input session.jsonl --redact '/**/title' c.hindsight"
        _ = try workshop.shell("hindsight \(record)")
        let result = try debug("s", "p /items/0/title like 's%'", "goto start", "break /items/0/title > 'a'", "c")
        #expect(result.text.contains("\nnot known: it needs a value that was redacted"), "\(result.text)")
        #expect(result.text.contains("\nNot known at 1 position on the way"), "\(result.text)")
        #expect(!result.text.contains("secret"))
    }

    @Test func `text of a recording reaches the output only escaped`() throws {
        let title = #"{"add":{"title":"a\u001b[2Jb\nc","tags":["\u001b]0;x\u0007"]}}"#
        try workshop.record("todo", [title, title], to: "c.hindsight")
        let result = try debug("s", "diff", "p /items", "p /items/0", "where", "l", "why /items", "watch /items", "c")
        #expect(!result.text.contains("\u{1B}") && !result.text.contains("\u{7}"), "\(result.text)")
        #expect(result.text.contains("[2Jb"), "\(result.text)")
    }
}

/// `hindsight debug` on a pseudo-terminal. Needs `python3`.
@Suite(.enabled(if: Workshop.succeeds("command -v python3"), "needs python3")) struct DebugTerminalTests {
    private static let hasLibedit = Workshop.succeeds("python3 -c 'import ctypes; ctypes.CDLL(\"libedit.so.2\")'")

    private static let supplies = Supplies { workshop in
        let lines = (1...60).map { #"{"add":{"title":"item \#($0)"}}"# }
        try workshop.record("todo", lines, to: "t.hindsight")
    }

    /// A text that grows by a letter in each of some actions.
    private static func edits(_ count: Int) -> Supplies {
        Supplies { workshop in
            let lines = (0..<count).map { #"{"edit":{"at":\#($0),"delete":0,"insert":"a"}}"# }
            try workshop.record("notepad", lines, to: "t.hindsight")
        }
    }

    private static let manyEdits = edits(5_000)
    private static let mostEdits = edits(20_000)

    private let workshop = Workshop()

    init() throws { try Self.supplies.put(into: workshop) }

    private func line(_ environment: String = "") -> String {
        "env -u NO_COLOR -u HINDSIGHT_EDITING TERM=xterm XDG_STATE_HOME=$PWD/state \(environment) hindsight debug t.hindsight"
    }

    @Test(arguments: ["", "HINDSIGHT_EDITING=no"])
    func `the prompt says where one is, Enter repeats, and Ctrl-D ends`(environment: String) throws {
        let session = try TerminalSession(
            line(environment),
            [
                .keys("step\r", after: "0/60 0% > "), .keys("\r", after: "1/60 1% > "),
                .keys("stepi\r", after: "2/60 3% > "), .keys("rs\r", after: " 1/7 5% > "),
                .keys("goto end\r", after: "2/60 3% > "), .keys("\u{4}", after: "60/60 100% > "),
            ],
            in: workshop
        )
        #expect(session.code == 0, "\(session.screen)")
        #expect(session.isRestored)
        #expect(session.screen.contains("t.hindsight: 60 actions."), "\(session.screen)")
        // The names of actions are not painted, but positions are.
        #expect(session.screen.contains("\u{1B}[1m2\u{1B}[0m  add("), "\(session.screen)")
    }

    private static let initFiles: [(file: String, environment: String)] = [
        ("config/hindsight/debug-init", "XDG_CONFIG_HOME=$PWD/config"),
        (".config/hindsight/debug-init", "XDG_CONFIG_HOME= HOME=$PWD"),
        // A relative folder is none.
        (".config/hindsight/debug-init", "XDG_CONFIG_HOME=config HOME=$PWD"),
    ]

    @Test(arguments: initFiles.indices)
    func `a prompt first runs the commands of the init file, and a script does not`(index: Int) throws {
        let (file, environment) = Self.initFiles[index]
        let path = workshop.url(file)
        try FileManager.default.createDirectory(
            at: path.deletingLastPathComponent(),
            withIntermediateDirectories: true
        )
        try Data("# mine\ngoto 7\nwatch /nextID\nnonsense\ngoto 9\n".utf8).write(to: path)
        let session = try TerminalSession(
            line("HINDSIGHT_EDITING=no \(environment)"),
            // The mistake ends the file.
            [.keys("c\r", after: "7/60 11% > "), .keys("q\r", after: "8/60 ids")],
            in: workshop
        )
        #expect(session.code == 0, "\(session.screen)")
        #expect(session.screen.contains("There is no command \"nonsense\""), "\(session.screen)")
        let script = try workshop.shell("echo breakpoints | env \(environment) hindsight debug t.hindsight")
        #expect(script.text.hasPrefix("There are no breakpoints."), "\(script.text)\(script.errors)")
    }

    @Test(.enabled(if: hasLibedit, "needs libedit"))
    func `Tab completes, and the history is kept for the next run`() throws {
        let session = try TerminalSession(
            line(),
            [
                .keys("goto 5\r", after: "0/60 0% > "), .keys("pri\t", after: "5/60 8% > "),
                .keys("/counts/op\t", after: "nt "), .keys("\r", after: "en"), .keys("q\r", after: "5/60 8% > "),
            ],
            in: workshop
        )
        #expect(session.code == 0 && session.isRestored, "\(session.screen)")
        #expect(session.screen.contains("/counts/open"), "\(session.screen)")
        let history = workshop.url("state/hindsight/debug-history")
        #expect(try String(contentsOf: history, encoding: .utf8).contains("goto"))
        let mode = try FileManager.default.attributesOfItem(atPath: history.path)[.posixPermissions] as? Int
        #expect(mode == 0o600)

        // The keys for three lines up, from `q` and `print` to `goto 5`.
        let next = try TerminalSession(
            line(),
            [.keys("\u{1B}[A\u{1B}[A\u{1B}[A\r", after: "0/60 0% > "), .keys("q\r", after: "5/60 8% > ")],
            in: workshop
        )
        #expect(next.code == 0, "\(next.screen)")
    }

    @Test(.enabled(if: hasLibedit, "needs libedit"))
    func `Ctrl-C at the prompt gives the line up, and not the tool`() throws {
        let session = try TerminalSession(
            line(),
            [
                .keys("nonsense", after: "0/60 0% > "), .keys("\u{3}", after: "nonsense"),
                .keys("step\r", after: "0/60 0% > "), .keys("q\r", after: "1/60 1% > "),
            ],
            in: workshop
        )
        #expect(session.code == 0 && session.isRestored, "\(session.screen)")
        #expect(!session.screen.contains("There is no command"), "\(session.screen)")
    }

    @Test(.enabled(if: hasLibedit, "needs libedit"))
    func `a signal that ends the tool leaves no branches behind`() throws {
        let session = try TerminalSession(
            line("TMPDIR=$PWD"),
            [
                .keys("skip 5\r", after: "0/60 0% > "), .keys("run\r", after: "0/60 0% > "),
                .signal(SIGTERM, after: "[1] 5/59 8% > "),
            ],
            in: workshop
        )
        #expect(session.code == -Int(SIGTERM) && session.isRestored, "\(session.screen)")
        let left = try FileManager.default.contentsOfDirectory(atPath: workshop.directory.path)
        #expect(!left.contains { $0.hasPrefix("hindsight-debug") }, "\(left)")
    }

    @Test(arguments: ["", "HINDSIGHT_EDITING=no"])
    func `Ctrl-C stops a long run, and not the tool`(environment: String) throws {
        try Self.mostEdits.put(into: workshop)
        // Takes more than a millisecond at every position, so half a minute for all.
        let numbers = "json_each('[1,2,3,4,5,6,7,8,9,10]')"
        let slow = "exists (select 1 from \(numbers) a, \(numbers) b, \(numbers) c where length(/text) + a.value < 0)"
        let steps: [TerminalSession.Step] = [
            .keys("break \(slow)\r", after: "0/20000 0% > "), .keys("goto end\r", after: "0/20000 0% > "),
            .keys("rc\r", after: "20000/20000 100% > "), .keys("\u{3}", after: "Running back"),
            .keys("step\r", after: "% > "), .keys("q\r", after: "% > "),
        ]
        let session = try TerminalSession(line(environment), steps, in: workshop)
        #expect(session.code == 0 && session.isRestored, "\(session.screen.suffix(2000))")
        #expect(session.screen.contains("Stopped."), "\(session.screen.suffix(2000))")
        #expect(!session.screen.contains("The recording begins here."), "\(session.screen.suffix(2000))")
    }

    #if os(Linux)
        @Test(arguments: ["history /text", "why /text"])
        func `Ctrl-C stops a search that does not end`(question: String) throws {
            try Self.manyEdits.put(into: workshop)
            // Halts the process that searches, as if it read a much longer recording.
            try workshop.write(
                """
                import glob, os, signal, time
                end = time.time() + 50
                open("halting", "w").close()
                while time.time() < end:
                    for path in glob.glob("/proc/[0-9]*"):
                        try:
                            words = open(path + "/cmdline", "rb").read().split(b"\\0")
                            if len(words) < 2 or words[1] not in (b"history", b"blame"): continue
                            if os.readlink(path + "/cwd") != os.getcwd(): continue
                            os.kill(int(path[6:]), signal.SIGSTOP)
                            raise SystemExit
                        except OSError: pass

                """,
                to: "halt.py"
            )
            let session = try TerminalSession(
                line("HINDSIGHT_EDITING=no"),
                [
                    .shell("python3 halt.py > /dev/null 2>&1 &", after: "0/5000 0% > "),
                    .keys("goto end\r", after: ""),
                    .shell("until [ -e halting ]; do sleep 0.02; done", after: "5000/5000 100% > "),
                    .keys("\(question)\r", after: ""),
                    .keys("\u{3}", after: "Searching: "), .keys("step\r", after: "100% > "),
                    .keys("q\r", after: "100% > "),
                ],
                in: workshop
            )
            #expect(session.code == 0 && session.isRestored, "\(session.screen)")
            #expect(session.screen.contains("Stopped. Nothing has changed."), "\(session.screen)")
        }
    #endif

    @Test(arguments: ["", "HINDSIGHT_EDITING=no"])
    func `answers follow the width of the window`(environment: String) throws {
        let long = String(repeating: "word ", count: 20)
        try workshop.record("todo", [#"{"add":{"title":"\#(long)"}}"#], to: "t.hindsight")
        let resize =
            "import fcntl,os,struct,sys,termios;"
            + "fcntl.ioctl(os.open(sys.argv[1],os.O_RDWR|os.O_NOCTTY),termios.TIOCSWINSZ,struct.pack('HHHH',24,150,0,0))"
        try workshop.write(resize, to: "resize.py")
        let session = try TerminalSession(
            line(environment),
            [
                .keys("step\r", after: "0/1 0% > "), .keys("print /items/0\r", after: "1/1 100% > "),
                .shell("python3 resize.py \"$(cat terminal)\"", after: "1/1 100% > "),
                .keys("print /items/0\r", after: ""), .keys("q\r", after: "1/1 100% > "),
            ],
            in: workshop
        )
        #expect(session.code == 0, "\(session.screen)")
        // With colours, which take a few characters.
        let widths = session.screen.split(whereSeparator: \.isNewline).filter { $0.contains(" title ") }.map(\.count)
        #expect(widths.count == 2 && widths[0] < 100 && widths[1] > 100, "\(session.screen)")
    }

    @Test func `why and history print what the commands do`() throws {
        let session = try TerminalSession(
            line("HINDSIGHT_EDITING=no"),
            [
                .keys("goto end\r", after: "0/60 0% > "), .keys("why /counts/open\r", after: "60/60 100% > "),
                .keys("history /nothing\r", after: "60/60 100% > "), .keys("q\r", after: "60/60 100% > "),
            ],
            in: workshop
        )
        #expect(session.code == 0, "\(session.screen)")
        // In colours, as in a terminal.
        #expect(session.screen.contains("\u{1B}[1m/counts/open\u{1B}[0m became 60"), "\(session.screen)")
        #expect(session.screen.contains("/nothing"), "\(session.screen)")
    }
}
