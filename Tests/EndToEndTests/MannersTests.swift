import Foundation
import Testing

/// Terminals, pipes, and the end of processes.
@Suite struct MannersTests {
    private let workshop = Workshop()

    @Test func `terminal escapes in a state are escaped`() throws {
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

    @Test func `output has colour on request`() throws {
        try Supplies.todo.put(into: workshop)
        #expect(!(try workshop.hindsight("diff", "t.hindsight", "2", "3").text.contains("\u{1B}")))
        #expect(try workshop.hindsight("diff", "t.hindsight", "2", "3", "--color", "always").text.contains("\u{1B}["))
    }

    /// Recordings with long names, wide and combining characters, and values that fill many lines.
    private static let wide = Supplies { workshop in
        let title = "漢字 and é and 👩‍👩‍👧 " + String(repeating: "unbreakable", count: 12)
        let lines = Sessions.todo + [#"{"add":{"title":"\#(title)","tags":["漢字漢字漢字","\#(title)"]}}"#]
        try workshop.record("todo", lines, to: "t.hindsight")
        try FileManager.default.createDirectory(at: workshop.url("runs"), withIntermediateDirectories: true)
        try workshop.record("todo", lines, to: "runs/a-recording-with-a-rather-long-name.hindsight")
    }

    private static let shown = [
        "info t.hindsight", "info runs", "log t.hindsight", "log t.hindsight --path /items", "tail t.hindsight",
        "show t.hindsight 9", "show t.hindsight start", "diff t.hindsight start end", "replay t.hindsight",
        "verify t.hindsight", "recover t.hindsight", "doctor t.hindsight", "--help", "log --help", "tail --help",
        "doctor --help", "verify --help", "jump --help", "view --help",
    ]

    private static func columns(_ line: Substring) -> Int {
        // Sufficient for the text above: Chinese characters and emoji are wide, and marks have no width.
        line.reduce(0) { count, character in
            let first = character.unicodeScalars.first?.value ?? 0
            return count + (first >= 0x2E80 && first < 0xFB00 || first >= 0x1F300 ? 2 : 1)
        }
    }

    @Test(arguments: [40, 60, 80, 132])
    func `no line is wider than COLUMNS`(width: Int) throws {
        try Self.wide.put(into: workshop)
        for line in Self.shown {
            let result = try workshop.shell("COLUMNS=\(width) hindsight \(line)")
            #expect(result.code < 2, "\(line): \(result.errors)")
            for text in result.text.split(separator: "\n") {
                #expect(Self.columns(text) <= width, "\(line) at \(width): \(text)")
            }
        }
        // JSON is one line, however wide.
        let json = try workshop.shell("COLUMNS=\(width) hindsight log t.hindsight --json")
        #expect(json.text.split(separator: "\n").count == 9)
    }

    @Test func `a pipe truncates no line`() throws {
        try Self.wide.put(into: workshop)
        let long = String(repeating: "unbreakable", count: 12)
        for line in [
            "log t.hindsight", "tail t.hindsight", "show t.hindsight 9", "diff t.hindsight start end",
            "replay t.hindsight",
        ] {
            let found = try workshop.shell("unset COLUMNS; hindsight \(line) | grep -c '\(long)'")
            #expect((Int(found.text.split(separator: "\n").first ?? "0") ?? 0) > 0, "\(line): \(found.errors)")
        }
    }

    @Test(.enabled(if: Workshop.succeeds("script -qec true /dev/null"), "needs util-linux's script"))
    func `output fits the terminal's width`() throws {
        try Self.wide.put(into: workshop)
        for width in [40, 60] {
            let result = try workshop.shell(
                "unset COLUMNS; export PAGER=cat; script -qec 'stty cols \(width); hindsight log t.hindsight --color never; hindsight info t.hindsight --color never' /dev/null </dev/null"
            )
            let lines = result.text.replacing("\r\n", with: "\n").split(separator: "\n")
            #expect(lines.count > 20, "\(result.text)\(result.errors)")
            for text in lines { #expect(Self.columns(text) <= width, "at \(width): \(text)") }
        }
    }

    @Test func `a closed output pipe is no error`() throws {
        let many = (0..<5000).map { #"{"edit":{"at":\#($0),"delete":0,"insert":"a"}}"# }
        try workshop.record("notepad", many, to: "n.hindsight")
        let result = try workshop.shell("set -o pipefail; hindsight log n.hindsight | head -n 1").expecting(code: 0)
        #expect(result.errors == "")
        #expect(result.text.split(separator: "\n").count == 1)
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/full"), "needs /dev/full"))
    func `output that cannot be written is an error`() throws {
        try Supplies.todo.put(into: workshop)
        let result = try workshop.shell("hindsight log t.hindsight > /dev/full").expecting(code: 3)
        #expect(result.errors.contains("No space left"))
    }

    @Test func `a closed descriptor is not taken for the recording`() throws {
        let input = try workshop.shell("hindsight record --app todo a.hindsight <&-").expecting(code: 3)
        #expect(input.errors.contains("stdin cannot be read: Bad file descriptor"), "\(input.errors)")

        try workshop.write(Sessions.todo.joined(separator: "\n"), to: "in.jsonl")
        #expect(try workshop.shell("hindsight record --app todo --input in.jsonl b.hindsight >&- 2>&-").code == 3)
        #expect(try workshop.hindsight("verify", "b.hindsight").text == "equal  b.hindsight  8 actions, 56 steps\n")
    }

    @Test(arguments: ["INT", "TERM", "KILL", ""])
    func `an interrupted what-if leaves no unfinished output`(signal: String) throws {
        try workshop.write((1...7).map { #"{"add":{"amount":\#($0)}}"# }.joined(separator: "\n"), to: "in.jsonl")
        // Without a signal, a reducer ends the process.
        let interrupted =
            signal.isEmpty
            ? "COUNTER=trapping CounterTool whatif c.hindsight --skip 2 -o out.hindsight >run.txt 2>&1"
            : """
            set -m
            COUNTER=stuck CounterTool whatif c.hindsight --skip 2 -o out.hindsight >run.txt 2>pid.txt & parent=$!
            for i in $(seq 2400); do [ -s pid.txt ] && break; sleep 0.05; done
            ls -A | grep -q part && echo writing
            child=$(cat pid.txt); kill -\(signal) $parent; wait $parent 2>wait.txt
            for i in $(seq 2400); do kill -0 $child 2>kill.txt || break; sleep 0.05; done
            """
        let result = try workshop.shell(
            """
            CounterTool record --app counter --input in.jsonl c.hindsight >record.txt
            \(interrupted)
            ls -A | grep -e part -e out.hindsight
            """
        )
        #expect(result.text == (signal.isEmpty ? "" : "writing\n"), "\(result.text)\(result.errors)")
    }

    @Test func `the next what-if removes what a killed one has left`() throws {
        try Supplies.todo.put(into: workshop)
        for suffix in ["", "-journal", ".part"] {
            try workshop.write("left", to: ".out.hindsight.0123ABCD.part" + suffix)
        }
        try workshop.write("mine", to: ".other.hindsight.0123ABCD.part")
        let result = try workshop.shell(
            "hindsight whatif t.hindsight --skip 3 -o out.hindsight >run.txt; ls -A | grep -e part -e out.hind"
        )
        #expect(result.text == ".other.hindsight.0123ABCD.part\nout.hindsight\n", "\(result.errors)")
    }

    @Test(arguments: ["t.hindsight", "t.jsonl"])
    func `notes that several processes add at the same time are all there`(file: String) throws {
        try Supplies.todo.put(into: workshop)
        try workshop.hindsight("export", "t.hindsight", "-o", "t.jsonl")
        let result = try workshop.shell(
            """
            for i in 1 2 3 4 5 6 7 8; do hindsight note \(file) $i "note $i" >note$i.txt & all="$all $!"; done
            for id in $all; do wait $id || echo failed; done
            hindsight notes \(file) --json | wc -l; ls -A | grep part
            """
        )
        #expect(result.text.trimmingCharacters(in: .whitespacesAndNewlines) == "8" && result.errors == "", "\(result)")
    }

    @Test(arguments: ["INT", "TERM", "KILL"])
    func `an interrupted replay leaves no process behind`(signal: String) throws {
        try workshop.write(#"{"add":{"amount":7}}"#, to: "in.jsonl")
        let result = try workshop.shell(
            """
            CounterTool record --app counter --input in.jsonl c.hindsight >record.txt
            set -m
            COUNTER=stuck CounterTool verify c.hindsight 2>pid.txt & parent=$!
            for i in $(seq 2400); do [ -s pid.txt ] && break; sleep 0.05; done
            child=$(cat pid.txt); kill -\(signal) $parent; wait $parent 2>wait.txt
            for i in $(seq 2400); do kill -0 $child 2>kill.txt || exit 0; sleep 0.05; done
            kill -9 $child; exit 1
            """
        )
        #expect(result.code == 0, "\(result.errors)")
    }

    @Test func `a recording whose process was killed can be read`() throws {
        // The input pipe stays open, so the session is alive when it is killed.
        let lines = Sessions.todo.prefix(5).joined(separator: "\n")
        try workshop.write(lines + "\n", to: "in.jsonl")
        let script = """
            (cat in.jsonl; exec sleep 600) | hindsight record --app todo k.hindsight & \
            for i in $(seq 2400); do \
                hindsight info k.hindsight --json 2>/dev/null | grep -q '"actions":5,' && break; sleep 0.05; \
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
