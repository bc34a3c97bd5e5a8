import Foundation
import HindsightFormat
import HindsightRecording
import HindsightSupport
import HindsightTree

/// The names in a recording that begin with a text, for completion. What cannot be read gives no names.
///
/// Names that a terminal would interpret are left out.
struct RecordedNames {
    private let recording: Recording
    private let start: String
    /// The state whose paths count; `nil` for the last one.
    private var state: Node?

    /// Longer recordings are not read as a whole.
    private static let mostActions = 20_000
    private static let mostElements = 100

    /// Opens a recording, or the newest one in a directory.
    init?(of path: String, startingWith start: String) {
        do {
            var url = Self.url(path)
            if RunDirectory.exists(at: url.path) {
                guard let newest = try RunDirectory(at: url).newest() else { return nil }
                url = newest
            }
            recording = try Recording(at: url)
        } catch {
            return nil
        }
        self.start = start
    }

    /// Takes the names of an open recording.
    ///
    /// - Parameter state: The state whose paths count; `nil` for the last one.
    init(of recording: Recording, startingWith start: String, in state: Node? = nil) {
        (self.recording, self.start, self.state) = (recording, start, state)
    }

    static func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: url(path).path) }

    /// Shells do not expand the tilde in the words that they pass.
    private static func url(_ path: String) -> URL {
        URL(filePath: path.hasPrefix("~/") ? NSHomeDirectory() + path.dropFirst() : path)
    }

    /// The names of a kind, and whether they may go on, as paths do.
    func values(of kind: ValueKind) -> (words: [String], isOpen: Bool) {
        do {
            switch kind {
            case .position: return (fitting(try positions()), false)
            case .actionType: return (fitting(try types()), false)
            case .reducer: return (fitting(recording.reducers), false)
            case .path: return try paths()
            default: return ([], false)
            }
        } catch {
            // A damaged recording; the command itself will say so.
            return ([], false)
        }
    }

    private func fitting(_ names: [String]) -> [String] {
        var seen: Set<String> = []
        return names.filter { $0.utf8.starts(with: start.utf8) && escape($0) == $0 && seen.insert($0).inserted }
    }

    private func positions() throws -> [String] {
        var names = ["start", "end"]
        if case .crashed = recording.ending { names.append("crash") }
        return names + (try recording.notes().map(\.text))
    }

    private func types() throws -> [String] {
        let (first, last) = (recording.start.seq + 1, recording.actionCount)
        guard last - first > Self.mostActions else {
            return try recording.summary().types.flatMap(\.names).sorted()
        }
        var types: Set<String> = []
        for range in [first...first + Self.mostActions / 2, last - Self.mostActions / 2...last] {
            var entries = try recording.entries(in: range, withSteps: false)
            while let (action, _) = try entries.next() { types.insert(action.type) }
        }
        return types.sorted()
    }

    /// The parts of the last state one level below the path so far. A whole path is followed by what is in it.
    private func paths() throws -> ([String], Bool) {
        let state = try state ?? recording.state(at: recording.end)
        var words: [String] = []
        var isOpen = false
        if let whole = NodePath(start), !whole.isRoot, let node = state[whole] {
            let inner = children(of: node, at: whole)
            words = inner.isEmpty ? [] : inner.map(\.path)
            isOpen = !inner.isEmpty
        }
        let parent = start.lastIndex(of: "/").map { String(start[..<$0]) } ?? ""
        if start.isEmpty || start.hasPrefix("/"), let outer = NodePath(parent), let node = state[outer] {
            for child in children(of: node, at: outer) where child.path.utf8.starts(with: start.utf8) {
                words.append(child.path)
                isOpen = isOpen || child.isContainer
            }
        }
        return (fitting(words), isOpen)
    }

    private func children(of node: Node, at path: NodePath) -> [(path: String, isContainer: Bool)] {
        switch node {
        case .object(let members):
            members.prefix(Completer.most).map { (path.appending($0.key).description, Self.isContainer($0.value)) }
        case .array(let elements):
            elements.prefix(Self.mostElements).enumerated()
                .map { (path.appending("\($0)").description, Self.isContainer($1)) }
        default: []
        }
    }

    private static func isContainer(_ node: Node) -> Bool {
        switch node {
        case .object(let members): !members.isEmpty
        case .array(let elements): !elements.isEmpty
        default: false
        }
    }
}
