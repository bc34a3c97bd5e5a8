import HindsightRecorder
import HindsightRecording
import HindsightTree

/// The line of a migration that would make a recording fit, for messages.
struct MigrationLine {
    /// The schema to which the migration would lead.
    private let schema: Int

    /// If the recording is of the app's schema, the next one; otherwise there is a migration to the app's schema, to
    /// which the line belongs.
    init(_ recording: Recording, _ app: ReplayableApp) {
        schema = recording.app.schema == app.schema ? app.schema + 1 : app.schema
    }

    func rename(_ path: NodePath, _ target: NodePath) -> String {
        line("renameField(\(literal(path)), to: \(Node.string(target.components.last ?? "").json))")
    }

    /// The line for a state or an action that does not decode; `nil` if the place is unknown.
    ///
    /// - Parameters:
    ///   - error: The app's error.
    ///   - node: The state, or the payload of the action.
    ///   - action: The name of the action; `nil` for a state.
    func remedy(for error: any Error, in node: Node, of action: String? = nil) -> String? {
        guard let path = (error as? TreeError)?.path, !path.isRoot else { return nil }
        let suffix = action.map { ", in: \(Node.string($0).json)" } ?? ""
        if node[path] != nil { return line("convertField(\(literal(path))\(suffix)) { … }") }
        guard case .object? = node[NodePath(Array(path.components.dropLast()))] else { return nil }
        return line("addField(\(literal(path)), default: …\(suffix))")
    }

    /// The line for an action that this build does not have.
    func rename(action: String, to today: String?) -> String {
        let name = Node.string(action).json
        return line("renameAction(\(name), to: \(today.map { Node.string($0).json } ?? "\"…\""))")
            + " or removeAction(\(name))"
    }

    func line(_ call: String) -> String { "Migration(to: \(schema)) { $0.\(call) }" }

    private func literal(_ path: NodePath) -> String { Node.string(path.pattern).json }
}
