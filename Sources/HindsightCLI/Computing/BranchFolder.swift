import Foundation
import HindsightDebugger
import HindsightSupport
import HindsightTree

/// The recordings of a debugger's branches that nobody named. They are in a folder of the user's alone.
final class BranchFolder {
    private let prefix: String
    private(set) var folder: URL?

    /// - Parameter prefix: What the folder's name begins with.
    init(_ prefix: String) { self.prefix = prefix }

    /// Where the recording of a branch goes. Makes the folder.
    func file(forBranch number: Int) throws -> URL {
        let folder = folder ?? FileManager.default.temporaryDirectory.appending(path: "\(prefix)-\(UUID().uuidString)")
        self.folder = folder
        try FileManager.default.createDirectory(
            at: folder,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        return folder.appending(path: "branch-\(number).hindsight")
    }

    /// Removes the folder and what is in it, and notes it if it cannot.
    func remove(_ console: Console) {
        guard let folder else { return }
        self.folder = nil
        do {
            try FileManager.default.removeItem(at: folder)
        } catch {
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
