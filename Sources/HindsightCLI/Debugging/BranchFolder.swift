import Foundation
import HindsightDebugger
import HindsightFormat
import HindsightRecording
import HindsightReplay
import HindsightSupport
import HindsightTree

/// The recordings of unnamed branches, in a private folder.
final class BranchFolder {
    private let prefix: String
    private var temporary: TemporaryFolder?
    /// The folder, if there is one.
    var folder: URL? { temporary.map { URL(filePath: $0.path) } }
    /// The recovered copy of the recording that was opened last. Another one may have its path now.
    private var recovered: (recording: Recording, path: String)?

    /// Removes the folders that debuggers which were killed have left.
    ///
    /// - Parameter name: What the folder's name begins with, such as `hindsight-debug`.
    init(_ name: String) {
        prefix = name + "-"
        TemporaryFolder.removeAbandoned(named: prefix)
    }

    private func made() throws -> URL {
        let folder = try temporary ?? TemporaryFolder(named: prefix)
        temporary = folder
        return URL(filePath: folder.path)
    }

    /// A text with the names of branches in place of the paths of their files, which are of no use later.
    func hidingPaths(in text: String) -> String {
        temporary.map { text.replacing("\(escape($0.path))/", with: "") } ?? text
    }

    /// The path of a recording whose beginning a branch can copy: a recovered copy, if the recording needs recovery.
    private func source(of recording: Recording) throws -> String {
        let path = recording.url.path
        guard !recording.sidecarFiles.isEmpty, recording.ending != .open(live: true) else { return path }
        if let recovered, recovered.recording === recording { return recovered.path }
        recovered = nil
        let folder = try made().appending(path: "recovered")
        // An earlier copy, or what is left of one that could not be made.
        if FileSystem.exists(folder.path) { try FileManager.default.removeItem(at: folder) }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let copy = folder.appending(path: recording.url.lastPathComponent)
        for suffix in [""] + SidecarFiles.suffixes where FileSystem.exists(path + suffix) {
            try FileManager.default.copyItem(atPath: path + suffix, toPath: copy.path + suffix)
        }
        _ = try Recording.recover(at: copy)
        recovered = (recording, copy.path)
        return copy.path
    }

    /// A branch that has run.
    struct Branch {
        let name: String
        /// How it differs from where it comes from, as `whatif` prints it.
        let lines: [String]
        let events: [DebuggerEvent]
    }

    /// Runs the changes that wait into a recording, and goes to that branch.
    ///
    /// If the action in which the recorded process ended crashes again, the branch leaves it out.
    ///
    /// - Parameters:
    ///   - file: Where the recording goes; `nil` for a temporary one.
    ///   - shown: The name of the present recording, for what is printed.
    ///   - crashed: Takes the failure of the action that is left out.
    func run(
        _ debugger: Debugger,
        to file: String? = nil,
        shown: String,
        by tool: Tool,
        _ title: String,
        isStopped: () -> Bool,
        crashed: (Failure) -> Void
    ) throws -> Branch {
        if let file, FileSystem.exists(file) {
            throw Failure(.usage, "\(escape(file)) exists.", "Choose another name.")
        }
        let number = debugger.branches.count
        let output = try file.map { URL(filePath: $0) } ?? made().appending(path: "branch-\(number).hindsight")
        let source = try source(of: debugger.recording)
        func named(_ lines: [String]) -> [String] { lines.map { $0.replacing(escape(source), with: shown) } }
        func attempt() throws -> (ChangedLog, [String]) {
            let log = try debugger.changedLog()
            let task = BranchTask(file: source, output: output.path, edits: Self.words(log.edits))
            defer { DraftFile.removeAbandoned(beside: output.path) }
            do {
                return (log, named(try tool.answer(to: task, title, isStopped: isStopped)))
            } catch let failure as Failure {
                throw Failure(failure.code, lines: named(failure.lines))
            }
        }
        let result: (log: ChangedLog, lines: [String])
        do {
            result = try attempt()
        } catch let failure as Failure where failure.code == .crash {
            guard case .crashed(let seq, _) = debugger.recording.ending,
                try debugger.changedLog().number(of: seq) != nil, (try? debugger.edit(.skip(seq))) != nil
            else { throw failure }
            do {
                result = try attempt()
                crashed(Failure(.crash, lines: failure.lines + ["The branch leaves out action \(seq)."]))
            } catch {
                _ = try debugger.perform(.undo)
                throw failure
            }
        }
        let name = file ?? output.deletingPathExtension().lastPathComponent
        let events = debugger.addBranch(try Recording(at: output), named: name, running: result.log)
        return Branch(name: name, lines: result.lines, events: events)
    }

    /// The options of `whatif` for changes.
    private static func words(_ edits: [ChangedLog.Edit]) -> [String] {
        edits.flatMap { edit in
            switch edit {
            case .skip(let seq): ["--skip=\(seq)"]
            case .edit(let seq, let action): ["--edit=\(seq)=\(action.json)"]
            case .insert(let action, let moment): ["--insert=\(moment)=\(action.json)"]
            case .move(let seq, let moment): ["--move=\(seq)=\(moment)"]
            case .skipAll(let seqs, _): seqs.map { "--skip=\($0)" }
            }
        }
    }

    /// Removes the folder and what is in it, and notes it if it cannot.
    func remove(_ console: Console) {
        guard let folder = temporary else { return }
        temporary = nil
        if let error = folder.remove() {
            console.note("\(escape(folder.path)) could not be removed: \(Messages.lines(of: error).first ?? "")")
        }
    }
}

/// Runs changed actions into a recording, and answers with the lines of `whatif` about it.
struct BranchTask: AnsweringTask {
    static let name = "branch"
    let file: String
    let output: String
    /// The options of `whatif`.
    let edits: [String]

    var words: [String] { [WhatIfCommand.syntax.name, file, "--output=\(output)"] + edits }

    func answer(in tool: Tool) throws -> [String] {
        let (captured, text) = tool.capturing()
        let arguments = try Parser(syntax: WhatIfCommand.syntax).parse(Array(words.dropFirst()))
        _ = try WhatIfCommand.run(arguments, in: captured, saysWhatItWrote: false)
        captured.console.finish()
        return String(decoding: text.output, as: UTF8.self).split(separator: "\n").map(String.init)
    }
}
