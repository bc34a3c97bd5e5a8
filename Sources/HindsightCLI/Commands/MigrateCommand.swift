import Foundation
import HindsightRecording
import HindsightReplay
import HindsightSupport
import HindsightTree

/// `hindsight migrate FILE… -o OUT`
enum MigrateCommand: FilesCommand {
    static let files = Positional("FILE", repeating: true, help: "Recordings of earlier schemas.")
    static let output = Option<String>(
        "output",
        short: "o",
        value: "OUT",
        expected: "a path",
        help: "The new recording, or a directory for several."
    ) { $0.isEmpty ? nil : $0 }
    static let force = Flag("force", help: "Replace OUT if it exists.")

    static let syntax = Syntax(
        "migrate",
        abstract: "Rewrites recordings into the schema of this build, by the app's migrations",
        discussion: """
            The new recording has the migrated actions and states; the changes of each reducer are computed again from
            the recorded states. No reducer runs. Times, durations, origins, problems and notes stay. If a migration
            splits an action, its parts get numbers of their own, and the states between them are left out, since they
            were not recorded. An action that a migration removes vanishes; if it changed the state, it stays as a gap
            with its changes. What it had dispatched becomes a child of its parent.
            A recording that is still being recorded, or must be recovered, is refused. FILE never changes.
            OUT is a text if its name ends in .jsonl, a database if it ends in .hindsight, and else like FILE.
            OUT appears once it is complete. If another process creates or changes it meanwhile, that file stays, and
            this is an error. A killed run may leave a file .NAME.XXXXXXXX.part beside OUT, which the next one removes.
            """,
        arguments: [files.declaration, output.declaration, force.declaration],
        examples: [
            Syntax.Example(arguments: "migrate old.hindsight -o new.hindsight", help: "One recording."),
            Syntax.Example(arguments: "migrate Fixtures/*.hindsight -o Migrated/", help: "Several, into a directory."),
        ],
        jsonShape: """
            a line a file, {file, output, from (schema), to (schema), actions (in FILE), written (actions in the
            output)}; or {file, error} if it could not be migrated
            """
    )

    static func runsReducers(_ arguments: Arguments) -> Bool { true }

    static func run(_ arguments: Arguments, in tool: Tool) throws -> ExitCode {
        let output = try arguments.require(output)
        let files = try recordings(arguments)
        var isDirectory: ObjCBool = false
        let exists = FileManager.default.fileExists(atPath: output, isDirectory: &isDirectory)
        let intoDirectory = exists && isDirectory.boolValue
        guard files.count == 1 || intoDirectory else {
            throw Failure(
                .usage,
                "\(escape(output)) is no directory, and there are \(files.count) files.",
                "Create it first."
            )
        }
        if tool.isProcess { TerminationSignal.removeDraftsAtEnd() }
        return runEach(files, arguments, in: tool) { file in
            let name = URL(filePath: file).lastPathComponent
            let target = intoDirectory ? Tool.path(of: name, in: output) : output
            try migrate(file, to: target, overwrite: arguments[force], arguments[GlobalOptions.json], tool)
            return .fine
        }
    }

    private static func migrate(_ file: String, to output: String, overwrite: Bool, _ asJSON: Bool, _ tool: Tool) throws
    {
        let recording = try tool.open(file)
        let app = try tool.app(of: recording)
        try tool.requireRecovered(recording)
        let migrated = try app.migrate(recording, to: URL(filePath: output), overwrite: overwrite) { seq in
            guard seq.isMultiple(of: 500) else { return }
            let all = Quantities.grouped(recording.actionCount)
            tool.console.progress("\(escape(file)): \(Quantities.grouped(seq)) of \(all) actions")
        }
        tool.console.clearProgress()
        let actions = recording.actionCount - recording.droppedCount
        if asJSON {
            let shape: Node = [
                "file": .string(file), "output": .string(output), "from": .int(recording.app.schema),
                "to": .int(app.schema), "actions": .int(actions), "written": .int(migrated),
            ]
            return tool.console.print(printable(shape))
        }
        let schemas =
            recording.app.schema == app.schema
            ? "of this build's schema \(app.schema) already, copied" : "schema \(recording.app.schema) to \(app.schema)"
        let counts =
            migrated == actions
            ? Quantities.counted(actions, "action")
            : "\(Quantities.counted(actions, "action")), now \(Quantities.grouped(migrated))"
        let label = tool.console.style.good("migrated")
        tool.console.print("\(label)  \(tool.shown(recording))  \(schemas), \(counts), in \(escape(output))")
    }
}
