import Foundation
import HindsightRecording
import HindsightTree
import TestSupport

extension FuzzTarget {
    /// Positions: a parsed position has the same text, and a recording finds it or says why not.
    static let position = FuzzTarget(name: "position") { bytes in
        let text = bytes.text
        if let position = Recording.Position(text) {
            try require(Recording.Position(position.description) == position, "\(position) is read as another position")
        }
        try sample.withLock { sample in
            let recording = try sample ?? Recording(at: FuzzTarget.fixtures.appending(path: "escapes.hindsight"))
            sample = recording
            guard let found = try unless(RecordingError.self, { try recording.position(text) }) else { return }
            _ = try recording.state(at: found)
        }
    }

    /// Paths: a parsed path has the same text, and may lead to a value.
    ///
    /// The input has a path on the first line, and a node's JSON on the second.
    static let path = FuzzTarget(name: "path") { bytes in
        let lines = bytes.lines(atMost: 2)
        guard let path = NodePath(lines[0].text) else { return }
        try require(NodePath(path.description) == path, "\(path) is read as another path")
        try require(path.description.utf8.elementsEqual(lines[0].text.utf8), "\(lines[0].text) is written as \(path)")
        try require(path.contains(path) && path.contains(path.appending("a")), "\(path) does not contain itself")
        guard lines.count == 2, let node = try unless(TreeError.self, { try Node(jsonBytes: lines[1]) }) else { return }
        guard let part = node[path] else { return }
        var changed = node
        try Patch([.replace(path: path, old: part, new: "another")]).apply(to: &changed)
        try require(changed[path] == "another", "\(path) is not where it was found")
    }

    static let fixtures = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../Fixtures")
        .standardizedFileURL
    /// Opened once.
    private static let sample = Guarded<Recording?>(nil)
}
