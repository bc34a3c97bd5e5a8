import Foundation
import Testing

/// The sample sessions, recorded by the built tool.
@Suite struct FixtureTests {
    private let workshop = Workshop()

    static let apps = ["todo", "checkout", "notepad"]

    private func record(_ app: String, to name: String) throws {
        let input = Workshop.package.appending(path: "Fixtures/\(app).jsonl").path
        let result = try workshop.hindsight("record", "--app", app, "--input", input, name)
        try #require(result.code == 0, "\(result.errors)")
    }

    @Test(arguments: apps)
    func `every command works on a sample session`(app: String) throws {
        try record(app, to: "f.hindsight")
        for line in [
            "info f.hindsight", "log f.hindsight", "show f.hindsight 7", "show f.hindsight 7.2",
            "jump f.hindsight 50%", "jump f.hindsight 50% --replayed", "replay f.hindsight",
            "replay f.hindsight --to 3",
            "verify f.hindsight", "diff f.hindsight 5 5", "search f.hindsight a", "stats f.hindsight",
        ] {
            for options in ["", " --json"] {
                let result = try workshop.hindsight((line + options).split(separator: " ").map(String.init))
                #expect(result.code == 0, "\(line)\(options): \(result.errors)")
                guard !options.isEmpty else { continue }
                for text in result.text.split(separator: "\n") {
                    _ = try JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed)
                }
            }
        }
        #expect(try workshop.hindsight("diff", "f.hindsight", "start", "end").code == 1)
    }

    @Test(.enabled(if: Workshop.hasSQLiteShell, "needs the sqlite3 shell"), arguments: apps)
    func `two recordings of the same session are equal except for times`(app: String) throws {
        for name in ["a", "b"] {
            try record(app, to: "\(name).hindsight")
            let result = try workshop.shell(
                """
                sqlite3 \(name).hindsight 'select seq, type, payload, parent, origin, changes, paths, problem from history' \
                    > \(name).history && sqlite3 \(name).hindsight 'select * from changes' > \(name).changes
                """
            )
            try #require(result.code == 0, "\(result.errors)")
        }
        for table in ["history", "changes"] {
            let first = try Data(contentsOf: workshop.url("a.\(table)"))
            #expect(!first.isEmpty)
            #expect(try first == Data(contentsOf: workshop.url("b.\(table)")))
        }
    }

    /// Applies each patch to its old state, and compares with the new state.
    private static let script = """
        import json, jsonpatch, subprocess, sys
        def hindsight(*arguments):
            return json.loads(subprocess.run(["hindsight", *arguments], stdout=subprocess.PIPE).stdout)
        for pair in sys.argv[2:]:
            p, q = pair.split("-")
            old, new = (hindsight("jump", sys.argv[1], position, "--json") for position in (p, q))
            patch = hindsight("diff", sys.argv[1], p, q, "--format", "json-patch")
            assert jsonpatch.apply_patch(old, patch) == new, f"{p} to {q}"
        """

    @Test(.enabled(if: Workshop.hasJSONPatch, "needs python3 with the package jsonpatch"), arguments: apps)
    func `any tool can apply a diff as JSON Patch`(app: String) throws {
        try record(app, to: "f.hindsight")
        try workshop.write(Self.script, to: "check.py")
        let result = try workshop.shell(
            "python3 check.py f.hindsight start-end end-start 3-4 10-11 20-40 40-20 7.1-7.4 50%-60% 30-30"
        )
        #expect(result.code == 0, "\(result.errors)")
    }
}
