import Foundation
import Testing

/// The completion scripts in their shells, the manual page in `man`, and their installation.
@Suite struct CompletionTests {
    /// A function that completes a line as bash does.
    private static let harness = #"""
        source <(hindsight completion bash)
        COMP_WORDBREAKS=$' \t\n"\'><=;|&(:'
        complete_line() {
            COMP_LINE=$1 COMP_POINT=${#1}
            _hindsight_complete hindsight
            if ((${#COMPREPLY[@]})); then printf '%s\n' "${COMPREPLY[@]}"; fi
        }

        """#

    private let workshop = Workshop()

    init() throws { try Supplies.todo.put(into: workshop) }

    private static let lines: [(line: String, expected: [String])] = [
        ("hindsight lo", ["log"]), ("hindsight log t.hindsight --type ", ["add", "annotate", "clearDone"]),
        ("hindsight diff t.hindsight --color ", ["auto", "always", "never"]),
        ("hindsight jump t.hindsight e", ["end"]), ("hindsight log ./t.hindsight --path /item", ["/items"]),
        ("hindsight show t.hindsight at:", ["1"]), ("hindsight log 't.hindsight' --type=ann", ["annotate"]),
        ("hindsight log a\\ b.hindsight --type ", ["add", "annotate", "clearDone"]),
        ("hindsight log \"a b.hindsight\" --path \"/item", ["/items"]),
        ("hindsight log ~/t.hindsight --type ", ["add", "annotate", "clearDone"]),
        ("hindsight log no.hindsight --path /", []), ("hindsight log ", []),
    ]

    private static func quoted(_ line: String) -> String { "'" + line.replacing("'", with: #"'\''"#) + "'" }

    @Test func `bash completes with the script`() throws {
        #expect(try workshop.hindsight("note", "t.hindsight", "2", "at:1").code == 0)
        #expect(try workshop.shell("cp t.hindsight 'a b.hindsight'").code == 0)
        for (line, expected) in Self.lines {
            try workshop.write(Self.harness + "HOME=$PWD; complete_line \(Self.quoted(line))\n", to: "run.sh")
            let result = try workshop.shell("bash run.sh")
            let words = result.text.split(separator: "\n").map(String.init)
            #expect(Array(words.prefix(expected.count)) == expected, "\(line): \(result.text)\(result.errors)")
            #expect(words.isEmpty == expected.isEmpty, "\(line)")
        }
    }

    /// Names that would run a command if a shell evaluated them.
    private static let names = [
        "$(touch pwned)", "`touch pwned`", "a; touch pwned", "a' ; touch pwned; '", "a\"; touch pwned; \"", "~", "*",
        "a b", "a&&touch pwned", "<(touch pwned)", #"\$(touch pwned)"#, "!!", "é 漢",
    ]

    @Test(.enabled(if: Workshop.hasSQLiteShell, "needs the sqlite3 shell"))
    func `hostile names of a recording run nothing in bash`() throws {
        let tags = String(
            decoding: try JSONSerialization.data(withJSONObject: Self.names + ["e\u{1B}[2J", "x\ny"]),
            as: UTF8.self
        )
        try workshop.record("todo", [#"{"add":{"title":"Milk","tags":\#(tags)}}"#], to: "h.hindsight")
        let notes = (Self.names + ["e\u{1B}]0;owned\u{7}", "x\ny"]).map { name in
            "INSERT INTO note(seq, name, at) VALUES (1, '\(name.replacing("'", with: "''"))', 0);"
        }
        try workshop.write(notes.joined(separator: "\n"), to: "notes.sql")
        #expect(try workshop.shell("sqlite3 h.hindsight < notes.sql").code == 0)
        // Runs each inserted word as the shell would when the user presses return.
        let script =
            Self.harness + #"""
                for kind in note path; do
                    for open in '' \' \"; do
                        if [ $kind = note ]; then
                            complete_line "hindsight show h.hindsight $open"
                        else
                            complete_line "hindsight log h.hindsight --path $open/counts/byTag/"
                        fi >words.txt
                        while IFS= read -r word; do
                            eval "printf '%s\\0' $open$word$open"
                        done <words.txt >"$kind${#open}$open.out"
                    done
                done
                ls
                """#
        try workshop.write(script, to: "run.sh")
        let result = try workshop.shell("bash run.sh")
        #expect(result.errors == "")
        #expect(!result.text.contains("pwned\n"), "\(result.text)")
        func words(_ file: String) throws -> Set<String> {
            let text = String(decoding: try Data(contentsOf: workshop.url(file)), as: UTF8.self)
            return Set(text.split(separator: "\0").map(String.init))
        }
        let paths = Self.names.map { "/counts/byTag/" + $0.replacing("~", with: "~0").replacing("/", with: "~1") }
        #expect(try words("note0.out") == Set(Self.names + ["start", "end"]))
        #expect(try words("path0.out") == Set(paths))
        // Within quotes, those that nothing in them ends or expands.
        let single = Self.names.filter { !$0.contains("'") }
        let double = Self.names.filter { !$0.contains(/["$`\\!]/) }
        #expect(try words("note1'.out") == Set(single + ["start", "end"]))
        #expect(try words("note1\".out") == Set(double + ["start", "end"]))
        #expect(try words("path1'.out") == Set(paths.filter { !$0.contains("'") }))
        // Names with control characters are in no answer.
        let answer = try workshop.hindsight("@complete", "show", "h.hindsight", "").expecting(code: 0)
        #expect(!answer.text.contains("\u{1B}") && !answer.text.contains("owned"), "\(answer.text)")
    }

    @Test func `no words are refused, and a file that is no recording completes nothing`() throws {
        #expect(try workshop.hindsight("@complete").code == 2)
        #expect(try workshop.hindsight("@complete", "log", "/dev/null", "--path", "/").text == "")
    }

    @Test(.enabled(if: Workshop.succeeds("command -v zsh"), "needs zsh")) func `zsh accepts its script`() throws {
        let result = try workshop.shell(
            "hindsight completion zsh > _hindsight && zsh -n _hindsight && zsh -fc 'autoload -U compinit; compinit -u -D; source ./_hindsight; print $_comps[hindsight]'"
        )
        #expect(result.code == 0 && result.text == "_hindsight_complete\n", "\(result.text)\(result.errors)")
    }

    @Test(.enabled(if: Workshop.succeeds("command -v fish"), "needs fish")) func `fish completes with its script`()
        throws
    {
        let result = try workshop.shell(
            "hindsight completion fish > c.fish && fish -Nc 'source c.fish; complete -C \"hindsight log t.hindsight --type to\"'"
        )
        #expect(result.text == "toggle\n", "\(result.text)\(result.errors)")
    }

    @Test(.enabled(if: Workshop.succeeds("command -v groff"), "needs groff")) func `groff formats the manual page`()
        throws
    {
        let result = try workshop.shell("hindsight --man > h.1 && groff -ww -man -Tutf8 h.1 | col -b")
        #expect(result.code == 0 && result.errors == "", "\(result.errors)")
        for words in ["HINDSIGHT(1)", "hindsight log [--from P]", "EXIT STATUS", "HINDSIGHT_PAGER", "--type TYPE", "≈"]
        {
            #expect(result.text.contains(words), "\(words)")
        }
    }

    @Test func `the tool, its manual page and completions are installed below a prefix`() throws {
        let script = Workshop.package.appending(path: ".make/install").path
        let result = try workshop.shell(
            "'\(script)' '\(Workshop.tool.path)' \"$PWD/usr dir\" && cd 'usr dir' && find . -type f | sort"
        )
        let files = [
            "./bin/hindsight", "./share/bash-completion/completions/hindsight",
            "./share/fish/vendor_completions.d/hindsight.fish", "./share/man/man1/hindsight.1",
            "./share/zsh/site-functions/_hindsight",
        ]
        #expect(
            result.text.split(separator: "\n").suffix(5).map(String.init) == files,
            "\(result.text)\(result.errors)"
        )
        let check = try workshop.shell(
            "cd 'usr dir/share' && bash -n bash-completion/completions/hindsight && head -n 1 zsh/site-functions/_hindsight man/man1/hindsight.1"
        )
        #expect(
            check.code == 0 && check.text.contains("#compdef hindsight") && check.text.contains(".TH \"HINDSIGHT\" 1")
        )
    }

    @Test func `--app may be left out if the tool has one app`() throws {
        try workshop.write(#"{"add":{"amount":3}}"#, to: "in.jsonl")
        let result = try workshop.shell("CounterTool record --input in.jsonl c.hindsight")
        #expect(result.text == "Recorded 1 action of counter in c.hindsight.\n", "\(result.text)\(result.errors)")
    }
}
