import Foundation
import Testing

/// Recordings as text: `export`, `record` into a text, and what git shows of them.
@Suite struct TextRecordingTests {
    private static let fixtures = Workshop.package.appending(path: "Fixtures")
    private static let hasGit = Workshop.succeeds("command -v git")

    /// A recording of the todo sample, and the same as text.
    private static let supplies = Supplies { workshop in
        try workshop.record("todo", Sessions.todo, to: "s.hindsight")
        let result = try workshop.hindsight("export", "s.hindsight", "-o", "s.jsonl")
        try #require(result.code == 0, "\(result.errors)")
        #expect(result.text == "Wrote 8 actions to s.jsonl.\n")
    }

    private let workshop = Workshop()

    init() throws { try Self.supplies.put(into: workshop) }

    @Test func `the text of the golden recording stays as it is`() throws {
        let golden = Self.fixtures.appending(path: "todo.recording.jsonl")
        let exported = try workshop.hindsight("export", Self.fixtures.appending(path: "todo.hindsight").path)
        #expect(exported.code == 0, "\(exported.errors)")
        #expect(try exported.output == Data(contentsOf: golden))
        let verified = try workshop.hindsight("verify", golden.path).expecting(code: 0)
        #expect(verified.text.contains("67 actions"), "\(verified.text)")
        #expect(try workshop.hindsight("export", golden.path, "-o", "-").output == Data(contentsOf: golden))
    }

    @Test func `every command shows of a text what it shows of the recording`() throws {
        for line in [
            "info", "log", "tail -n 3", "show 2", "show 2.3", "jump end", "jump 50%", "jump 3.2 --replayed",
            "diff start end",
            "replay", "verify",
        ] {
            for options in [[], ["--json"]] as [[String]] {
                var words = line.split(separator: " ").map(String.init)
                words.insert("s.hindsight", at: line.hasPrefix("tail") ? 3 : 1)
                let original = try workshop.hindsight(words + options)
                let text = try workshop.hindsight(words.map { $0.replacing("s.hindsight", with: "s.jsonl") } + options)
                #expect(text.code == original.code, "\(line): \(text.errors)")
                // The sizes of the two files differ; names may be padded.
                if line == "info" || options.isEmpty && ["diff", "replay", "verify"].contains(words[0]) { continue }
                #expect(text.text == original.text.replacing("s.hindsight", with: "s.jsonl"), "\(line)")
            }
        }
        #expect(try workshop.hindsight("diff", "s.jsonl:end", "s.hindsight:end").code == 0)
        let recovered = try workshop.hindsight("recover", "s.jsonl")
        #expect(recovered.code == 0 && recovered.text.contains("nothing to recover"), "\(recovered.text)")
        let examined = try workshop.hindsight("doctor", "s.jsonl")
        #expect(examined.code == 0 && examined.text.contains("a recording in text"), "\(examined.text)")
        let directory = try workshop.hindsight("verify", ".").expecting(code: 0)
        #expect(directory.text.contains("s.jsonl") && directory.text.contains("s.hindsight"), "\(directory.text)")
    }

    @Test func `record makes a text, and leaves no other file`() throws {
        try workshop.write(Sessions.todo.joined(separator: "\n"), to: "in.jsonl")
        let arguments = ["record", "--app", "todo", "--input", "in.jsonl", "out.jsonl"]
        let result = try workshop.hindsight(arguments).expecting(code: 0)
        #expect(result.text == "Recorded 8 actions of todo in out.jsonl.\n")
        let names = try FileManager.default.contentsOfDirectory(atPath: workshop.directory.path)
        #expect(Set(names.filter { $0.hasPrefix("out") }) == ["out.jsonl"])
        #expect(try workshop.hindsight("verify", "out.jsonl").code == 0)

        let again = try workshop.hindsight(arguments)
        #expect(again.code == 2 && again.errors.contains("out.jsonl exists"), "\(again.errors)")
        #expect(try workshop.hindsight(arguments + ["--force"]).code == 0)
        let onInput = try workshop.hindsight("record", "--app", "todo", "--force", "--input", "in.jsonl", "in.jsonl")
        #expect(onInput.code == 2 && onInput.errors.contains("the input itself"), "\(onInput.errors)")
    }

    @Test func `record that fails leaves the recording beside the text`() throws {
        try workshop.write(Sessions.todo[0] + "\nnonsense\n", to: "in.jsonl")
        let result = try workshop.hindsight("record", "--app", "todo", "--input", "in.jsonl", "out.jsonl")
        #expect(result.code == 3)
        #expect(result.errors.contains("1 action is in out.jsonl.hindsight"), "\(result.errors)")
        #expect(!FileManager.default.fileExists(atPath: workshop.url("out.jsonl").path))
        #expect(try workshop.hindsight("log", "out.jsonl.hindsight").code == 0)

        let again = try workshop.hindsight("record", "--app", "todo", "--input", "in.jsonl", "out.jsonl")
        #expect(again.code == 2, "\(again.errors)")
        for words in ["recover out.jsonl.hindsight'", "export out.jsonl.hindsight -o out.jsonl'", "deletes"] {
            #expect(again.errors.contains(words), "\(again.errors)")
        }
        #expect(try workshop.hindsight("export", "out.jsonl.hindsight", "-o", "out.jsonl").code == 0)
    }

    @Test func `the two kinds of lines are told apart`() throws {
        try workshop.write(Sessions.todo.joined(separator: "\n"), to: "in.jsonl")
        let opened = try workshop.hindsight("info", "in.jsonl").expecting(code: 3)
        #expect(opened.errors.contains("list of actions"), "\(opened.errors)")
        #expect(opened.errors.contains("hindsight record --app NAME --input FILE"), "\(opened.errors)")
        let fed = try workshop.hindsight("record", "--app", "todo", "--input", "s.jsonl", "t.hindsight")
        #expect(fed.code == 3)
        #expect(fed.errors.contains("s.jsonl is a recording in text, not a list of actions"), "\(fed.errors)")
    }

    @Test func `a merge conflict is named with its line`() throws {
        var lines = try String(contentsOf: workshop.url("s.jsonl"), encoding: .utf8).split(separator: "\n")
        lines.insert("<<<<<<< HEAD", at: 4)
        try workshop.write(lines.joined(separator: "\n") + "\n", to: "s.jsonl")
        for command in ["info", "verify", "doctor", "recover"] {
            let result = try workshop.hindsight(command, "s.jsonl")
            #expect(result.code == 3, "\(command)")
            #expect(result.errors.contains("line 5: it is a mark of a merge conflict"), "\(command): \(result.errors)")
        }
    }

    @Test(.enabled(if: hasGit && Workshop.hasSQLiteShell, "needs git and the sqlite3 shell"))
    func `git shows a changed effect of one action as one changed line`() throws {
        let result = try workshop.shell(
            #"""
            set -e
            export HOME=$PWD GIT_CONFIG_NOSYSTEM=1
            git init -q . && git config user.name t && git config user.email t@example.com
            echo '*.hindsight diff=hindsight' > .gitattributes
            git config diff.hindsight.textconv "hindsight export -o -"
            git add .gitattributes s.hindsight s.jsonl && git commit -qm one
            sqlite3 s.hindsight "update action set steps = replace(steps, '\"Milk\"', '\"Oats\"') where seq = 1"
            hindsight export s.hindsight --force -o s.jsonl >&2
            for file in s.hindsight s.jsonl; do
                git diff -U0 $file | grep -c '^-{' ; git diff -U0 $file | grep -c '^+{'
                git diff -U0 $file | grep '^+{' | grep -c '"action":"add".*Oats'
            done
            git diff --numstat s.jsonl | cut -f 1,2
            """#
        )
        #expect(result.code == 0, "\(result.errors)")
        #expect(result.text == "1\n1\n1\n1\n1\n1\n1\t1\n", "\(result.text)\(result.errors)")
    }
}
