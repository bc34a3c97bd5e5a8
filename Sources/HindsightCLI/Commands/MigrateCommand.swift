import Foundation
import HindsightRecording
import HindsightReplay
import HindsightSupport
import HindsightTree

/// `hindsight migrate FILE… -o OUT`
enum MigrateCommand: FilesCommand {
    static let files = Positional("FILE", repeating: true, help: "Recordings of earlier schemas.")
    static let output = Option<String>(
        output: "OUT",
        help: "The new recording, or a directory for several. --in-place replaces each FILE instead."
    )
    static let inPlace = Flag("in-place", help: "Replace each FILE by its new recording.")

    static let syntax = Syntax(
        "migrate",
        abstract: "Rewrites recordings into the form of this build, by the app's migrations",
        discussion: """
            The new recording has the migrated actions, and the migrated states as this build writes them: with the values
            that its types convert, with this build's values of fields that are missing, and without fields that it does
            not read. The changes of each reducer are computed again from these states. No reducer runs. Times, durations, origins, problems and notes stay. If a migration
            splits an action, its parts get numbers of their own, and the states between them are left out, since they
            were not recorded. An action that a migration removes vanishes; if it changed the state, it stays as a gap
            with its changes. What it had dispatched becomes a child of its parent.
            A recording that is still being recorded, or must be recovered, is refused. Without
            --in-place, FILE never changes. With it, a recording that has this build's form already is left as it is.
            OUT is a text if its name ends in .jsonl, a database if it ends in .hindsight, and else like FILE.
            OUT appears once it is complete. If another process creates or changes it meanwhile, that file stays, and
            this is an error. A killed run may leave a file .NAME.XXXXXXXX.part beside OUT, which the next one removes.
            """,
        arguments: [files, output, inPlace, SharedArguments.force],
        examples: [
            "migrate old.hindsight -o new.hindsight": "One recording.",
            "migrate Fixtures/*.hindsight -o Migrated/": "Several, into a directory.",
            "migrate Fixtures --in-place": "All in a directory, at their places.",
        ],
        jsonShape: """
            a line a file, {file, output, from (schema), to (schema), actions (in FILE), written (actions in the
            output; --in-place: null if FILE is left as it is)}; or {file, error} if it could not be migrated
            """
    )

    static func runsReducers(_ arguments: Arguments) -> Bool { true }

    static func run(_ arguments: Arguments, in tool: Tool) throws -> ExitCode {
        try arguments.checkAtMostOne(of: inPlace, output)
        try arguments.checkAtMostOne(of: inPlace, SharedArguments.force)
        let output = arguments[inPlace] ? nil : try arguments.require(output)
        let files = try recordings(arguments)
        let directory = output.flatMap { FileSystem.isDirectory($0) ? $0 : nil }
        if let output, directory == nil, files.count != 1 {
            throw Failure(
                .usage,
                "\(escape(output)) is no directory, and there are \(files.count) files.",
                "Create it first."
            )
        }
        func target(of file: String) -> String? {
            directory.map { Tool.path(of: URL(filePath: file).lastPathComponent, in: $0) } ?? output
        }
        if directory != nil {
            let sources = Dictionary(grouping: files) { target(of: $0) ?? "" }
            if let (target, same) = sources.filter({ $0.value.count > 1 }).min(by: { $0.key < $1.key }) {
                throw Failure(
                    .usage,
                    "\(escape(same[0])) and \(escape(same[1])) would both be written to \(escape(target)).",
                    "Write them into different directories."
                )
            }
        }
        if tool.isProcess { TerminationSignal.removeDraftsAtEnd() }
        return runEach(files, arguments, in: tool) { file in
            try migrate(file, to: target(of: file), arguments, tool)
            return .fine
        }
    }

    /// - Parameter output: The new recording; `nil` to replace the file.
    private static func migrate(_ file: String, to output: String?, _ arguments: Arguments, _ tool: Tool) throws {
        let recording = try tool.open(file)
        let app = try tool.app(of: recording)
        try tool.requireRecovered(recording)
        let actions = recording.actionCount - recording.droppedCount
        if let output, FileSystem.place(of: output) == FileSystem.place(of: file) {
            let command = ShellQuoting.command(tool.name, "migrate", "--in-place", ShellQuoting.quote(file))
            let remedy = "Replace it with \(command)."
            throw RecordingError(.unwritable, file: output, reason: RecordingError.isSource, remedy: remedy)
        }
        func progress(_ seq: Int) {
            tool.showProgress(seq, of: recording.actionCount, in: file, each: 500)
        }
        let written: Int?
        if let output {
            let overwrite = arguments[SharedArguments.force]
            written = try app.migrate(recording, to: URL(filePath: output), overwrite: overwrite, progress: progress)
        } else {
            written = try app.migrate(inPlace: URL(filePath: file), progress: progress)
        }
        tool.console.clearProgress()
        if arguments[GlobalOptions.json] {
            let shape: Node = [
                "file": .string(file), "output": .string(output ?? file), "from": .int(recording.app.schema),
                "to": .int(app.schema), "actions": .int(actions), "written": .optional(written.map(Node.int)),
            ]
            return tool.console.print(json: shape)
        }
        let name = tool.shown(recording)
        guard let written else {
            return tool.console.print(
                "\(tool.console.style.good("fits"))  \(name)  has this build's form, left as it is"
            )
        }
        let schemas =
            recording.app.schema == app.schema
            ? "schema \(app.schema)" : "schema \(recording.app.schema) to \(app.schema)"
        let counts =
            written == actions
            ? Quantities.counted(actions, "action")
            : "\(Quantities.counted(actions, "action")), now \(Quantities.grouped(written))"
        let label = tool.console.style.good("migrated")
        let place = output.map { ", in \(escape($0))" } ?? ""
        tool.console.print("\(label)  \(name)  \(schemas), \(counts)\(place)")
    }
}
