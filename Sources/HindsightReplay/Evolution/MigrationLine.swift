import HindsightRecorder
import HindsightRecording
import HindsightTree

/// The line of a migration that would make a recording fit, for messages.
struct MigrationLine {
    /// The schema to which the migration would lead.
    private let schema: Int
    private let app: ReplayableApp

    /// If the recording is of the app's schema, the next one; otherwise there is a migration to the app's schema, to
    /// which the line belongs.
    init(_ recording: Recording, _ app: ReplayableApp) {
        schema = recording.app.schema == app.schema ? app.schema + 1 : app.schema
        self.app = app
    }

    /// The line for a field that seems to be renamed or moved.
    func remedy(for suspect: RecordedForm.Suspect) -> String {
        if suspect.isMoved { return line("moveField(\(literal(suspect.unread)), to: \(literal(suspect.target)))") }
        return line(
            "renameField(\(literal(suspect.unread)), to: \(Node.string(suspect.target.components.last ?? "").json))"
        )
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

    /// Whether an action failed to decode because this build has no type of its name.
    func isUnknown(_ type: String, _ error: any Error) -> Bool {
        app.names.isName(type) == false || (error as? RecordingError)?.code == .unknownAction
    }

    /// The line for an action that does not decode; `nil` if the place is unknown.
    ///
    /// - Parameters:
    ///   - error: The app's error.
    ///   - action: The action in the app's schema.
    ///   - type: Its name, without those of the cases inside.
    func remedy(for error: any Error, inAction action: Node, ofType type: String) -> String? {
        if isUnknown(type, error) { return rename(action: type, to: app.names.nearest(to: type)) }
        guard let error = error as? TreeError, let path = error.path else { return nil }
        let cases = [type] + action.nestedCases
        if cases.count > 1, path.components.filter({ !$0.isPayloadPosition }) == cases {
            return rename(action: cases.joined(separator: "."), to: nil)
        }
        // The payload of the innermost case, in which the path of the line begins.
        var (place, node, names) = (0, action, cases.count)
        for component in path.components.dropLast() where names > 0 {
            guard let next = node[NodePath([component])] else { break }
            (place, node) = (place + 1, next)
            if !component.isPayloadPosition { names -= 1 }
        }
        guard place > 0 else { return nil }
        let (outside, inside) = (Array(path.components[..<place]), Array(path.components[place...]))
        let name = outside.filter { !$0.isPayloadPosition }.joined(separator: ".")
        if inside.count == 1, node[inside[0]] == nil, let other = member(renamedTo: inside[0], at: outside, in: action)
        {
            let (old, new) = (Node.string("/" + other).json, Node.string(inside[0]).json)
            return line("renameField(\(old), to: \(new), in: \(Node.string(name).json))")
        }
        return remedy(for: TreeError(error.code, at: NodePath(inside), error.reason), in: node, of: name)
    }

    /// The first member of a payload that decodes under the name of a missing field.
    private func member(renamedTo field: String, at payload: [String], in action: Node) -> String? {
        guard case .object(let members)? = action[NodePath(payload)] else { return nil }
        return members.map(\.key).first { name in
            let renamed = members.map { Node.Member($0.key == name ? field : $0.key, $0.value) }
            do {
                _ = try app.reencoded(action: action.replacing(literally: payload[...]) { _ in .object(renamed) })
                return true
            } catch {
                // The next missing field has another name.
                guard let path = (error as? TreeError)?.path?.components else { return false }
                return path != payload + [name] && !path.starts(with: payload + [field])
            }
        }
    }

    /// The line for an action that this build does not have.
    private func rename(action: String, to today: String?) -> String {
        let name = Node.string(action).json
        return line("renameAction(\(name), to: \(today.map { Node.string($0).json } ?? "\"…\""))")
            + ", or splitAction(\(name)) { … } or removeAction(\(name))"
    }

    func line(_ call: String) -> String { "Migration(to: \(schema)) { $0.\(call) }" }

    private func literal(_ path: NodePath) -> String { Node.string(path.pattern).json }
}
