import Foundation
import Testing

/// `view`: pages as the built tool makes them. `make test-browser` opens them.
@Suite struct ViewTests {
    private static let fixtures = Workshop.package.appending(path: "Fixtures")
    private static let hasPython = Workshop.succeeds("python3 -c 'import zlib'")

    /// Prints the text of the recording in a page.
    private static let reader = """
        import base64, re, sys, zlib
        html = open(sys.argv[1], encoding="utf-8", newline="").read()
        element = re.search(r'id="recording"[^>]*data-encoding="(\\w+)"[^>]*>([^<]*)<', html)
        data = base64.b64decode(element[2], validate=True)
        sys.stdout.buffer.write(zlib.decompress(data) if element[1] == "deflate" else data)
        """

    private func workshop(_ names: String...) throws -> Workshop {
        let workshop = Workshop()
        for name in names {
            try FileManager.default.copyItem(at: Self.fixtures.appending(path: name), to: workshop.url(name))
        }
        try workshop.write(Self.reader, to: "read.py")
        return workshop
    }

    @Test(.enabled(if: hasPython, "needs python3"))
    func `the page has what export prints`() throws {
        let workshop = try workshop("checkout.hindsight", "escapes.hindsight", "partial.hindsight")
        for name in ["checkout", "escapes", "partial"] {
            let made = try workshop.hindsight("view", "\(name).hindsight").expecting(code: 0)
            #expect(made.text.contains(" to \(name).html ("), "\(made.text)")
            let result = try workshop.shell(
                "python3 read.py \(name).html >page.jsonl; hindsight export \(name).hindsight | cmp - page.jsonl"
            )
            #expect(result.code == 0, "\(name): \(result.text)\(result.errors)")
        }
    }

    @Test(.enabled(if: hasPython, "needs python3"))
    func `the page of a part has what cut writes, of a recording with files beside it, too`() throws {
        let workshop = try workshop("checkout.hindsight")
        let result = try workshop.shell(
            """
            set -e
            hindsight view checkout.hindsight --from 20 --to 40.1 -o part.html >&2
            hindsight cut checkout.hindsight 20 40 -o part.jsonl >&2
            python3 read.py part.html | cmp - part.jsonl
            mkfifo in
            CounterTool record --app counter c.hindsight <in >/dev/null 2>&1 & recorder=$!
            exec 3>in
            for n in 1 2 3 4 5; do echo '{"add":{"amount":'$n'}}' >&3; done
            for i in $(seq 2400); do hindsight jump c.hindsight 5 >/dev/null 2>&1 && break; sleep 0.05; done
            hindsight view c.hindsight -o live.html >&2
            kill -9 $recorder; wait $recorder || true
            exec 3>&-
            hindsight view c.hindsight --from 2 -o dead.html >&2
            hindsight recover c.hindsight >&2
            hindsight cut c.hindsight 2 end -o dead.jsonl >&2
            python3 read.py live.html | grep -c '^{"action"'
            python3 read.py dead.html >dead.page; grep -c '^{"action"' dead.page
            diff <(tail -n +2 dead.page) <(tail -n +2 dead.jsonl)
            """
        )
        #expect(result.code == 0, "\(result.text)\(result.errors)")
        #expect(result.text == "5\n3\n", "\(result.text)\(result.errors)")
    }

    @Test(.enabled(if: hasPython, "needs python3"))
    func `the page has what the reducers did before the crash, and export does not`() throws {
        let workshop = try workshop()
        try FileManager.default.copyItem(
            at: Self.fixtures.appending(path: "crashed/checkout-crash.hindsight"),
            to: workshop.url("crash.hindsight")
        )
        let result = try workshop.shell(
            """
            hindsight export crash.hindsight >whole.jsonl
            for options in '' '--from 9' '--path /coupons' '--to 11'; do
                hindsight view crash.hindsight $options --force >&2 || exit
                python3 read.py crash.html >page.jsonl
                grep -o '"computed":[0-9nul]*' crash.html
                grep '^{"action"' page.jsonl | tail -n 1 | grep -o '"coupons":\\[{"op":"add"'
                grep '^{"action"' page.jsonl | tail -n 1 | grep -o '"times":.*'
            done
            grep '^{"action"' whole.jsonl | tail -n 1 | grep -c times
            """
        )
        let computed = ["\"computed\":12", "\"coupons\":[{\"op\":\"add\"", "\"times\":[0,0,0,0,0,0]}"]
        let lines = result.text.split(separator: "\n").map(String.init)
        #expect(Array(lines.prefix(9)) == computed + computed + computed, "\(result.text)\(result.errors)")
        // Action 11 finished.
        #expect(lines.count == 12 && lines[9] == "\"computed\":null", "\(result.text)\(result.errors)")
        #expect(lines.last == "0", "\(result.text)\(result.errors)")
    }

    @Test func `view never replaces a page by accident, and names it after the recording`() throws {
        let workshop = try workshop("todo.recording.jsonl")
        #expect(try workshop.hindsight("view", "todo.recording.jsonl").code == 0)
        let names = { try FileManager.default.contentsOfDirectory(atPath: workshop.directory.path) }
        #expect(try names().contains("todo.recording.html"))
        let again = try workshop.hindsight("view", "todo.recording.jsonl").expecting(code: 2)
        #expect(again.errors.contains("todo.recording.html exists"), "\(again.errors)")
        #expect(try workshop.hindsight("view", "todo.recording.jsonl", "--force").code == 0)
        #expect(try !names().contains { $0.hasSuffix(".part") })
    }

    @Test func `--open starts the user's browser with the page, and says what to do without one`() throws {
        let workshop = try workshop("todo.hindsight")
        let result = try workshop.shell(
            #"""
            mkdir programs; printf '#!/bin/sh\nprintf "%%s" "$1" >opened.part; mv opened.part opened\n' >programs/xdg-open
            chmod +x programs/xdg-open; cp programs/xdg-open programs/open
            PATH="$PWD/programs:$PATH" hindsight view todo.hindsight --open
            for i in $(seq 2400); do [ -f opened ] && break; sleep 0.05; done
            cmp "$(cat opened)" todo.html && echo the page
            tool=$(command -v hindsight); PATH=/nowhere "$tool" view todo.hindsight --open --force
            """#
        )
        #expect(result.code == 0, "\(result.errors)")
        let lines = result.text.split(separator: "\n")
        #expect(lines.count == 3 && lines[1] == "the page", "\(result.text)\(result.errors)")
        #expect(!result.text.contains("Open it"), "\(result.text)")
        #expect(result.errors.contains("in a browser") && result.errors.contains("file:///"), "\(result.errors)")
    }

    @Test func `a damaged recording has no page`() throws {
        let workshop = try workshop("todo.hindsight")
        try FileManager.default.copyItem(
            at: Self.fixtures.appending(path: "damaged/bad-steps.hindsight"),
            to: workshop.url("bad.hindsight")
        )
        let result = try workshop.hindsight("view", "bad.hindsight")
        #expect(result.code == 3, "\(result.text)")
        #expect(!FileManager.default.fileExists(atPath: workshop.url("bad.html").path))
    }
}
