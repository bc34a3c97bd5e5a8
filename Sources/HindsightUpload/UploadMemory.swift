import Foundation
import HindsightFormat
import HindsightSupport

/// What changes when a file of a run is written or replaced. The lock's empty file does not count.
struct RunFingerprint: Equatable, Codable {
    private let files: [String]

    init(of path: String) {
        files = UploadManifest.suffixes.map { suffix in
            let size = FileSystem.size(of: path + suffix)
            return size > 0 ? FileFingerprint(of: path + suffix)?.description ?? "" : ""
        }
    }
}

/// The runs of a directory that are not to be sent again, in a small file there that may be deleted.
struct UploadMemory {
    private struct Entry: Codable, Equatable {
        var run: RunFingerprint
        /// With another token or receiver, a run is asked for again.
        var target: String
    }

    private let directory: URL
    private let target: String
    private var entries: [String: Entry]
    private var isChanged = false

    private var file: URL { directory.appendingPathComponent(".hindsight-uploads.json") }

    /// - Parameter target: The receiver and the token, which are kept as a hash.
    init(in directory: URL, target: String) {
        (self.directory, self.target) = (directory, UploadManifest.hash(of: Array(target.utf8)))
        entries = [:]
        let data = try? Data(contentsOf: file)
        entries = data.flatMap { try? JSONDecoder().decode([String: Entry].self, from: $0) } ?? [:]
    }

    func knows(_ name: String, _ run: RunFingerprint) -> Bool { entries[name] == Entry(run: run, target: target) }

    mutating func note(_ name: String, _ run: RunFingerprint) {
        entries[name] = Entry(run: run, target: target)
        isChanged = true
    }

    /// If it cannot be written, the runs are asked for again: that costs a request each, and loses nothing.
    func save() {
        guard isChanged else { return }
        let present = entries.filter { FileSystem.exists(directory.appendingPathComponent($0.key).path) }
        try? JSONEncoder().encode(present).write(to: file, options: .atomic)
    }
}
