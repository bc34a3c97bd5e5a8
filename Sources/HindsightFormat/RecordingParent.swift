import HindsightTree

/// The recording of which another one is a what-if, and the changes of its actions.
package struct RecordingParent: Codable, Sendable, Hashable {
    /// The name of the parent's file.
    package var file: String
    /// When its recorder was created, in nanoseconds since 1970. With the file's name, it identifies the parent.
    package var created: Int64
    /// The number of its last action.
    package var actionCount: Int
    /// The number of the last action before the first change. Up to there, both have the same actions and states.
    package var kept: Int
    /// The changes as text, in their order: `skip 12`, `edit 20={"clear":{}}`. Positions are those of the parent.
    package var edits: [String]

    private enum CodingKeys: String, CodingKey {
        case file, created
        case actionCount = "actions"
        case kept, edits
    }

    package init(file: String, created: Int64, actionCount: Int, kept: Int, edits: [String]) {
        (self.file, self.created, self.actionCount) = (file, created, actionCount)
        (self.kept, self.edits) = (kept, edits)
    }

    /// The JSON text in the table `recording`.
    package var json: String {
        get throws(TreeError) { try Node(answer: self).json }
    }

    /// - Returns: `nil` if the text is none that a what-if writes.
    package init?(json: String) {
        guard let node = try? Node(json: json), let parent = try? NodeDecoder().decode(Self.self, from: node) else {
            return nil
        }
        self = parent
    }
}

extension RecordingParent: Answer {
    package static let notes = ["kept": "the last action before the first change"]
}
