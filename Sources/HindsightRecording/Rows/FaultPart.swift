/// The damaged part of a recording. Later versions may add parts.
package struct FaultPart: RawRepresentable, Codable, Sendable, Hashable {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }

    /// The file as a whole: its header, its length, its tables.
    package static let file = FaultPart(rawValue: "file")
    /// SQLite's pages.
    package static let pages = FaultPart(rawValue: "pages")
    /// The recording's facts about itself: the table `recording`.
    package static let head = FaultPart(rawValue: "head")
    /// A reducer's name.
    package static let reducer = FaultPart(rawValue: "reducer")
    /// A name that actions refer to.
    package static let name = FaultPart(rawValue: "name")
    /// Actions that are missing or cannot be read.
    package static let missing = FaultPart(rawValue: "missing")
    /// An action.
    package static let action = FaultPart(rawValue: "action")
    /// The steps of an action.
    package static let steps = FaultPart(rawValue: "steps")
    /// A keyframe.
    package static let state = FaultPart(rawValue: "state")
    /// A part that is too large to examine, or would take too long. Nothing is known of it.
    package static let limit = FaultPart(rawValue: "limit")
    /// A note.
    package static let note = FaultPart(rawValue: "note")
    /// The journal beside the file.
    package static let journal = FaultPart(rawValue: "journal")
    /// The journal that should be beside the file, and is missing or empty. Nothing is known of what came after
    /// the last action.
    package static let missingJournal = FaultPart(rawValue: "missing journal")
}
