import Foundation
import HindsightRecorder
import HindsightRecording
import HindsightStore
import HindsightTree
import Testing

@testable import HindsightCLI

private struct OldList: Codable, Sendable {
    var titel = "List"
    var items: [Int] = []
}

private enum OldListAction: Codable, Sendable {
    case put(Int)
    case clear
}

private struct List: Codable, Sendable {
    var title = "List"
    var items: [Int] = []
}

private enum ListAction: Codable, Sendable {
    case add(id: Int)
    case clear
}

/// `check`, `migrate`, and the schema in `info`.
@Suite struct EvolutionCommandTests {
    private let old = ReplayableApp(
        "list",
        initial: OldList(),
        reducer: Reducer<OldList, OldListAction>("items") { list, action in
            switch action {
            case .put(let id): list.items.append(id)
            case .clear: list.items = []
            }
        }
    )

    private func new(_ migrations: [Migration]) -> ReplayableApp {
        ReplayableApp(
            "list",
            initial: List(),
            reducer: Reducer<List, ListAction>("items") { list, action in
                switch action {
                case .add(let id): list.items.append(id)
                case .clear: list.items = []
                }
            },
            migrations: migrations
        )
    }

    private let migration = Migration(to: 2) {
        $0.renameAction("put", to: "add")
        $0.renameField("/_0", to: "id", in: "add")
        $0.renameField("/titel", to: "title")
    }

    private let scratch = Scratch()
    private var directory: URL { scratch.directory }
    private var file: String { scratch.file("old.hindsight").path }

    /// Records a session of the old app.
    init() throws {
        let session = try old.record(to: scratch.file("old.hindsight"))
        for action in [["put": ["_0": 1]], ["put": ["_0": 2]], ["clear": [:]]] as [Node] {
            try session.dispatch(action, origin: Origin(file: "list.jsonl", line: 1))
        }
        try session.close()
    }

    private func run(_ app: ReplayableApp, _ words: String...) -> (code: ExitCode, text: String, errors: String) {
        let harness = ToolHarness(apps: [app])
        let code = harness.run(words)
        return (code, harness.text, harness.errorText)
    }

    @Test func `check prints that a recording fits`() throws {
        let (code, text, errors) = run(old, "check", file)
        #expect(code == .fine)
        #expect(errors == "")
        #expect(
            text == """
                fits  \(file)  3 actions, schema 1
                  fragile   put: the payload has no label (_0); give it one before you add another

                """
        )
    }

    @Test func `check prints the migrations that apply`() throws {
        let (code, text, _) = run(new([migration]), "check", file)
        #expect(code == .fine)
        #expect(text == "fits  \(file)  3 actions, schema 1, this build 2: migrates to 2\n")
    }

    @Test func `check prints the values that missing fields get, and the fields that are not read`() throws {
        let wide = ReplayableApp(
            "list",
            initial: WideNested(),
            reducer: Reducer<WideNested, OldListAction>.combine(
                Reducer("items") { _, _ in },
                Reducer("pages") { _, _ in }
            )
        )
        let (code, text, _) = run(wide, "check", file)
        #expect(code == .fine)
        #expect(
            text == """
                fits with defaults  \(file)  3 actions, schema 1
                  defaults  /page = 3
                  fragile   put: the payload has no label (_0); give it one before you add another
                  reducers  new: pages

                """
        )
    }

    private struct WideNested: Codable, Sendable {
        var titel = "List"
        var items: [Int] = []
        var page = 3
    }

    @Test func `check prints what does not fit, and the line to add`() throws {
        let (code, text, _) = run(new([]), "check", file)
        #expect(code == .doesNotFit)
        #expect(
            text == """
                does not fit  \(file)  3 actions, schema 1
                  state /title: the field "title" is missing, and "titel" beside it is not read, as if it had been renamed (4 states, first the initial state)
                    Migration(to: 2) { $0.renameField("/titel", to: "title") }
                  action put: this build has no action type of that name (2 actions, first action 1)
                    Migration(to: 2) { $0.renameAction("put", to: "…") }, or splitAction("put") { … } or removeAction("put")
                  defaults  /title = "List"
                  unread    /titel
                  fragile   put: the payload has no label (_0); give it one before you add another

                """
        )
        let error = run(new([]), "replay", file).errors
        #expect(error.contains(#"Migration(to: 2) { $0.renameField("/titel", to: "title") }"#), "\(error)")
    }

    @Test func `check counts the problems that it does not list`() throws {
        let reducer = Reducer<List, [String: [String: Int]]>("items") { _, _ in }
        let session = try ReplayableApp("list", initial: List(), reducer: reducer)
            .record(to: scratch.file("many.hindsight"))
        for name in ["clear"] + (1...23).map({ "unknown\($0)" }) {
            try session.dispatch([name: [:]], origin: Origin(file: "list.jsonl", line: 1))
        }
        try session.close()
        let (code, text, _) = run(new([]), "check", scratch.file("many.hindsight").path)
        #expect(code == .doesNotFit)
        #expect(text.contains("  … and 3 more problems (--json has all)\n"), "\(text)")
    }

    @Test func `check --json has the verdict, and exits with 3 for a file that cannot be read`() throws {
        let (code, text, _) = run(new([]), "check", file, directory.path + "/none.hindsight", "--json")
        #expect(code == .doesNotFit, "the highest exit code of all files")
        let lines = try text.split(separator: "\n").map { try Node(json: String($0)) }
        #expect(lines.count == 2)
        #expect(lines[0]["verdict"] == "does not fit")
        #expect(
            lines[0]["problems"]?[0]?["migration"] == #"Migration(to: 2) { $0.renameField("/titel", to: "title") }"#
        )
        #expect(lines[1]["error"] != nil)
        #expect(run(old, "check", directory.path + "/none.hindsight").code == .badFile)
    }

    @Test func `a recording of a newer version of the app does not fit`() throws {
        let output = directory.appending(path: "new.hindsight").path
        #expect(run(new([migration]), "migrate", file, "-o", output).code == .fine)
        let (code, text, _) = run(old, "check", output)
        #expect(code == .doesNotFit)
        #expect(text.contains("it was made by a newer version of the app: its schema is 2, and this build's is 1"))
        let replay = run(old, "replay", output)
        #expect(replay.code == .doesNotFit)
        #expect(replay.errors.contains("it was made by a newer version of the app"))
        #expect(replay.errors.contains("Use a newer build of the app."), "a migration cannot help")
    }

    @Test func `migrate writes a recording that verifies, and info shows its schema`() throws {
        let output = directory.appending(path: "new.hindsight").path
        let app = new([migration])
        let (code, text, _) = run(app, "migrate", file, "-o", output)
        #expect(code == .fine)
        #expect(text == "migrated  \(file)  schema 1 to 2, 3 actions, in \(output)\n")
        #expect(run(app, "verify", output).code == .fine)
        #expect(run(app, "info", output).text.hasPrefix("app       list, schema 2\n"))
        #expect(run(app, "info", output, "--json").text.contains(#""schema":2"#))
        #expect(run(old, "info", file).text.hasPrefix("app       list\n"))
        let again = run(app, "migrate", file, "-o", output)
        #expect(again.code == .usage)
        #expect(again.errors.contains("Choose another name, or replace it with --force."))
        #expect(run(app, "migrate", file, "-o", output, "--force").code == .fine)
        #expect(run(app, "migrate", file, file, "-o", output).code == .usage)
        let folder = directory.appending(path: "migrated")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        #expect(run(app, "migrate", file, "-o", folder.path).code == .fine)
        #expect(try Recording(at: folder.appending(path: "old.hindsight")).app.schema == 2)
        let other = folder.appending(path: "old.hindsight").path
        let same = run(app, "migrate", file, other, "-o", directory.path, "--force")
        #expect(same.code == .usage && same.errors.contains("would both be written to"), "\(same.errors)")
    }

    @Test func `migrate --in-place replaces recordings once, and -o refuses the recording itself`() throws {
        let app = new([migration])
        for words in [["-o", file], ["-o", file, "--force"]] {
            let harness = ToolHarness(apps: [app]).running(["migrate", file] + words, .usage)
            #expect(
                harness.errorText.contains("Replace it with 'tool migrate --in-place \(file)'."),
                "\(harness.errorText)"
            )
        }
        let (code, text, errors) = run(app, "migrate", directory.path, "--in-place")
        #expect(code == .fine && text == "migrated  \(file)  schema 1 to 2, 3 actions\n", "\(errors)")
        #expect(run(app, "verify", file).text == "equal  \(file)  3 actions, 3 steps\n")
        let again = run(app, "migrate", file, "--in-place")
        #expect(again.text == "fits  \(file)  has this build's form, left as it is\n")
        #expect(run(app, "migrate", file, "--in-place", "--json").text.contains(#""written":null"#))
        #expect(run(app, "migrate", file, "--in-place", "--force").code == .usage)
        #expect(run(app, "migrate", file, "--in-place", "-o", "x").code == .usage)
    }

    @Test func `review accepts a change of a recording that migrates`() throws {
        let app = ReplayableApp(
            "list",
            initial: List(),
            reducer: Reducer<List, ListAction>("items") { list, action in
                switch action {
                case .add(let id): list.items.append(-id)
                case .clear: list.items = []
                }
            },
            migrations: [migration]
        )
        #expect(run(app, "verify", file).code == .difference)
        let (code, text, errors) = run(app, "review", directory.path, "--accept", "all")
        #expect(code == .fine && text.contains("rewritten  \(file)"), "\(text)\(errors)")
        #expect(run(app, "verify", file).text == "equal  \(file)  3 actions, 3 steps\n")
        let rewritten = try Recording(at: URL(filePath: file))
        #expect(rewritten.app.schema == 2)
    }

    private struct Tagged<Tags: Codable & Sendable>: Codable, Sendable { var tags: Tags }

    private enum TagAction: Codable, Sendable { case tag(Int) }

    private func tagged<Tags: Codable & Sendable>(_ tags: Tags, _ tag: @escaping @Sendable (inout Tags, Int) -> Void)
        -> ReplayableApp
    {
        ReplayableApp(
            "tags",
            initial: Tagged(tags: tags),
            reducer: Reducer<Tagged<Tags>, TagAction>("tags") { state, action in
                if case .tag(let id) = action { tag(&state.tags, id) }
            }
        )
    }

    private struct Tag: Codable, Sendable, Hashable { var id: Int }

    @Test func `an array that is a dictionary now does not fit, in all commands, with the place and the line to add`()
        throws
    {
        let file = scratch.file("tags.hindsight")
        let session = try tagged([Tag]()) { $0.append(Tag(id: $1)) }.record(to: file)
        for id in 1...4 { try session.dispatch(["tag": ["_0": .int(id)]], origin: Origin(file: "x", line: id)) }
        try session.close()
        let apps = [
            tagged([String: Tag]()) { $0["\($1)"] = Tag(id: $1) },
            tagged([Tag: Tag]()) { $0[Tag(id: $1)] = Tag(id: $1) },
        ]
        for app in apps {
            let line = #"Migration(to: 2) { $0.convertField("/tags") { … } }"#
            let check = run(app, "check", file.path)
            #expect(check.code == .doesNotFit && check.text.contains(line), "\(check.text)")
            #expect(!check.text.contains("addField"), "\(check.text)")
            for command in ["verify", "replay", "review"] {
                let (code, text, errors) = run(app, command, file.path)
                #expect(code == .doesNotFit, "\(command): \(text)\(errors)")
                let message = text + errors
                #expect(message.contains("\(file.path): the recorded "), "\(command): \(message)")
                #expect(message.contains(line), "\(command): \(message)")
            }
        }
    }

    @Test func `verify says why it compares states, and refuses to compare steps of a recording that migrates`() throws
    {
        let app = new([migration])
        let row = "  schema   1, migrated to 2: compared by states, because migrations apply\n"
        #expect(run(app, "verify", file).text == "equal  \(file)  3 actions, 3 steps\n" + row)
        let steps = run(app, "verify", "--level", "steps", file)
        #expect(steps.code == .doesNotFit)
        #expect(steps.errors.contains("cannot be compared, because migrations apply"), "\(steps.errors)")
    }

    @Test func `migrate refuses what this build cannot read, and a removed action is named`() throws {
        let output = directory.appending(path: "new.hindsight").path
        let (code, _, errors) = run(new([Migration(to: 2) { _ in }]), "migrate", file, "-o", output)
        #expect(code == .doesNotFit)
        #expect(errors.contains(#"Migration(to: 3) { $0.renameField("/titel", to: "title") }"#), "\(errors)")
        #expect(!FileManager.default.fileExists(atPath: output))
        let removing = Migration(to: 2) {
            $0.removeAction("put")
            $0.renameField("/titel", to: "title")
        }
        let words = "actions 1, 2 were removed by the migration to schema 2; their recorded changes remain in the"
        #expect(run(new([removing]), "verify", file).text.contains(words))
    }
}
