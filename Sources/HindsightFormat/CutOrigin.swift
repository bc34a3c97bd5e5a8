import HindsightTree

/// The recording from which another was cut.
package struct CutOrigin: Codable, Sendable, Hashable {
    /// The name of the file.
    package var file: String
    /// The position with whose state the cut begins. Action 1 of the cut is the one after it.
    package var first: Int
    /// The last action of the cut.
    package var last: Int
    /// The time of the first position, in nanoseconds since 1970.
    package var since: Int64 = 0

    private enum CodingKeys: String, CodingKey {
        case file
        case first = "from"
        case last = "to"
    }

    package init(file: String, first: Int, last: Int, since: Int64) {
        (self.file, self.first, self.last, self.since) = (file, first, last, since)
    }

    package var node: Node {
        ["file": .string(file), "from": .int(first), "to": .int(last), "since": .int(Int(since))]
    }

    /// Reads what a cut says of itself.
    ///
    /// - Returns: `nil` if it is not valid.
    package init?(json: String) {
        guard let node = try? Node(json: json), case .string(let file)? = node["file"],
            case .int(let first)? = node["from"], case .int(let last)? = node["to"],
            case .int(let since)? = node["since"], 0 <= first, first <= last,
            last <= RecordingPosition.lastPossibleAction
        else { return nil }
        self.init(file: file, first: first, last: last, since: Int64(since))
    }
}
