import Foundation
import Testing

/// How the tool gets along with terminals, pipes, and the end of processes.
@Suite struct MannersTests {
    @Test func `terminal escapes in a state are shown, not obeyed`() throws {
        let workshop = try Workshop()
        let evil = #"\u001b[2J\u009b31m\u202eevil\u0007\r"#
        try workshop.record("todo", [#"{"add":{"title":"\#(evil)","tags":["\#(evil)"]}}"#], to: "e.hindsight")
        for line in [
            "info e.hindsight", "log e.hindsight", "show e.hindsight 1", "jump e.hindsight end", "replay e.hindsight",
            "diff e.hindsight start end", "log e.hindsight --json", "jump e.hindsight end --json",
            "diff e.hindsight start end --format json-patch", "jump e.hindsight end --path /items/0/titel",
            "jump e.hindsight end --path /counts/byTag/\u{1B}[2J", "info \u{1B}[2J", "log e.hindsight --type \u{1B}c",
        ] {
            let result = try workshop.hindsight(line.split(separator: " ").map(String.init))
            for scalar in (result.text + result.errors).unicodeScalars where scalar != "\n" {
                let isHarmless = scalar.value >= 0x20 && !(0x7F..<0xA0).contains(scalar.value) && scalar.value != 0x202E
                #expect(isHarmless, "\(line) prints U+\(String(scalar.value, radix: 16))")
                if !isHarmless { break }
            }
        }
        let title = try #require(
            (try workshop.hindsight("jump", "e.hindsight", "end", "--path", "/items/0", "--json").json())["title"]
                as? String
        )
        #expect(title == "\u{1B}[2J\u{9B}31m\u{202E}evil\u{7}\r")
    }

    @Test func `colour is used when it is asked for`() throws {
        let workshop = try Workshop()
        try workshop.record("todo", Sessions.todo, to: "t.hindsight")
        #expect(!(try workshop.hindsight("diff", "t.hindsight", "2", "3").text.contains("\u{1B}")))
        #expect(try workshop.hindsight("diff", "t.hindsight", "2", "3", "--color", "always").text.contains("\u{1B}["))
    }

    @Test func `a reader that leaves is no error`() throws {
        let workshop = try Workshop()
        let many = (0..<5000).map { #"{"edit":{"at":\#($0),"delete":0,"insert":"a"}}"# }
        try workshop.record("notepad", many, to: "n.hindsight")
        let result = try workshop.shell("set -o pipefail; hindsight log n.hindsight | head -n 1")
        #expect(result.code == 0)
        #expect(result.errors == "")
        #expect(result.text.split(separator: "\n").count == 1)
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/full"), "needs /dev/full"))
    func `output that cannot be written is an error`() throws {
        let workshop = try Workshop()
        try workshop.record("todo", Sessions.todo, to: "t.hindsight")
        let result = try workshop.shell("hindsight log t.hindsight > /dev/full")
        #expect(result.code == 3)
        #expect(result.errors.contains("No space left"))
    }

    @Test func `a closed descriptor is not taken for the recording`() throws {
        let workshop = try Workshop()
        let input = try workshop.shell("hindsight record --app todo a.hindsight <&-")
        #expect(input.code == 3)
        #expect(input.errors.contains("stdin cannot be read: Bad file descriptor"), "\(input.errors)")

        try workshop.write(Sessions.todo.joined(separator: "\n"), to: "in.jsonl")
        #expect(try workshop.shell("hindsight record --app todo --input in.jsonl b.hindsight >&- 2>&-").code == 3)
        #expect(try workshop.hindsight("verify", "b.hindsight").text == "equal  b.hindsight  8 actions, 56 steps\n")
    }

    @Test(arguments: ["INT", "TERM", "KILL"])
    func `a replay that is stopped leaves no process behind`(signal: String) throws {
        let workshop = try Workshop()
        try workshop.write(#"{"add":{"amount":7}}"#, to: "in.jsonl")
        let result = try workshop.shell(
            """
            CounterTool record --app counter --input in.jsonl c.hindsight >record.txt
            set -m
            COUNTER=stuck CounterTool verify c.hindsight 2>pid.txt & parent=$!
            for i in $(seq 200); do [ -s pid.txt ] && break; sleep 0.05; done
            child=$(cat pid.txt); kill -\(signal) $parent; wait $parent 2>wait.txt
            for i in $(seq 100); do kill -0 $child 2>kill.txt || exit 0; sleep 0.05; done
            kill -9 $child; exit 1
            """
        )
        #expect(result.code == 0, "\(result.errors)")
    }

    @Test func `what was recorded before a kill can be read`() throws {
        let workshop = try Workshop()
        // The session is fed through a pipe that stays open, so that it is alive when it is killed.
        let lines = Sessions.todo.prefix(5).joined(separator: "\n")
        try workshop.write(lines + "\n", to: "in.jsonl")
        let script = """
            (cat in.jsonl; exec sleep 60) | hindsight record --app todo k.hindsight & \
            for i in $(seq 200); do \
                n=$(hindsight info k.hindsight --json 2>/dev/null | grep -o '"actions":[0-9]*'); \
                [ "$n" = '"actions":5' ] && break; sleep 0.05; \
            done; \
            live=$(hindsight info k.hindsight --json); kill -9 %1 2>/dev/null; kill -9 $! ; wait; echo "$live"
            """
        let result = try workshop.shell("set -m; " + script)
        #expect(try result.json()["live"] as? Bool == true, "\(result.text) \(result.errors)")
        let info = try workshop.hindsight("info", "k.hindsight", "--json").json()
        #expect(info["ended"] as? String == "open")
        #expect(info["live"] as? Bool == false)
        #expect(info["actions"] as? Int == 5)
        try workshop.record("todo", Array(Sessions.todo.prefix(5)), to: "w.hindsight")
        #expect(try workshop.hindsight("diff", "k.hindsight:end", "w.hindsight:end").code == 0)
        #expect(try workshop.hindsight("verify", "k.hindsight").code == 0)
    }
}
