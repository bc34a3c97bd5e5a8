import Foundation
import HindsightDebugger
import HindsightFormat
import HindsightRecording
import HindsightReplay
import HindsightSupport
import HindsightTree

/// The recordings of a debugger's branches that nobody named. They are in a folder of the user's alone.
final class BranchFolder {
    private let prefix: String
    private var temporary: TemporaryFolder?
    /// The folder, if there is one.
    var folder: URL? { temporary.map { URL(filePath: $0.path) } }
    /// The recovered copies of recordings, by their paths.
    private var recovered: [String: String] = [:]

    /// Removes the folders that debuggers which were killed have left.
    ///
    /// - Parameter name: What the folder's name begins with, such as `hindsight-debug`.
    init(_ name: String) {
        prefix = name + "-"
        TemporaryFolder.removeAbandoned(named: prefix)
    }

    /// Where the recording of a branch goes. Makes the folder.
    func file(forBranch number: Int) throws -> URL {
        try made().appending(path: "branch-\(number).hindsight")
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
        if let copy = recovered[path] { return copy }
        let folder = try made().appending(path: "recovered-\(recovered.count)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let copy = folder.appending(path: recording.url.lastPathComponent)
        for suffix in [""] + SidecarFiles.suffixes where FileSystem.exists(path + suffix) {
            try FileManager.default.copyItem(atPath: path + suffix, toPath: copy.path + suffix)
        }
        _ = try Recording.recover(at: copy)
        recovered[path] = copy.path
        return copy.path
    }

    /// Runs the changes that wait, by the command `whatif`, into a recording.
    ///
    /// If the action in which the recorded process ended crashes again, the branch leaves it out.
    ///
    /// - Parameters:
    ///   - shown: The name of the recording, for what is printed.
    ///   - run: Runs a command, and returns what it prints.
    ///   - crashed: Takes the failure of the action that is left out.
    /// - Returns: The log that ran, and what was printed.
    func run(
        _ debugger: Debugger,
        to output: URL,
        shown: String,
        by run: ([String]) throws -> [String],
        crashed: (Failure) -> Void
    ) throws -> (log: ChangedLog, lines: [String]) {
        let source = try source(of: debugger.recording)
        func named(_ lines: [String]) -> [String] { lines.map { $0.replacing(escape(source), with: shown) } }
        func attempt() throws -> (ChangedLog, [String]) {
            let log = try debugger.changedLog()
            do {
                let lines = try run(["whatif", source, "--output=\(output.path)"] + Self.words(log.edits))
                return (log, named(lines))
            } catch let failure as Failure {
                throw Failure(failure.code, lines: named(failure.lines))
            }
        }
        do {
            return try attempt()
        } catch let failure as Failure where failure.code == .crash {
            guard case .crashed(let seq, _) = debugger.recording.ending,
                try debugger.changedLog().number(of: seq) != nil, (try? debugger.edit(.skip(seq))) != nil
            else { throw failure }
            do {
                let result = try attempt()
                // There is no option here.
                let lines = failure.lines.filter { !$0.contains("--skip") }
                crashed(Failure(.crash, lines: lines + ["The branch leaves out action \(seq)."]))
                return result
            } catch {
                _ = try debugger.perform(.undo)
                throw failure
            }
        }
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

extension Debugger {
    /// The command line that finds where today's reducers do something else.
    var divergenceWords: [String] { ["verify", recording.url.path, "--isolated", "--json"] }

    /// Takes the answer of ``divergenceWords``.
    ///
    /// - Returns: A sentence about it.
    func supplyDivergences(_ answer: Node) -> String {
        var seqs: Set<Int> = []
        if case .int(let seq)? = answer["divergence"]?["seq"] { seqs.insert(seq) }
        if case .array(let classes)? = answer["classes"] {
            for one in classes {
                guard case .array(let numbers)? = one["seqs"] else { continue }
                for case .int(let seq) in numbers { seqs.insert(seq) }
            }
        }
        supply(divergences: seqs.sorted().map { Recording.Position(seq: $0) })
        let count = seqs.isEmpty ? "no action" : Quantities.counted(seqs.count, "action")
        return "Today's reducers do something else in \(count)."
    }
}
