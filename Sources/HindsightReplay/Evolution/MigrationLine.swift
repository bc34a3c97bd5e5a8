import HindsightRecorder
import HindsightRecording
import HindsightTree

/// The line of a migration that would make a recording fit, for messages.
struct MigrationLine {
    /// The schema to which the migration would lead.
    private let schema: Int
    let app: ReplayableApp
    let file: String

    /// If the recording is of the app's schema, the next one; otherwise there is a migration to the app's schema, to
    /// which the line belongs.
    init(_ recording: Recording, _ app: ReplayableApp) {
        schema = recording.app.schema == app.schema ? app.schema + 1 : app.schema
        self.app = app
        file = recording.url.path
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
        func pattern(_ path: NodePath) -> NodePath {
            if action != nil { return path }
            var keys = DictionaryKeys(app)
            return keys.generalized(path, in: node)
        }
        if node[path] != nil {
            guard let error = error as? TreeError, error.isUnknownCase else {
                return conversion(of: pattern(path), suffix)
            }
            let name = error.nearestCase ?? (action == nil ? initialCase(beside: path) : nil)
            return line(
                "renameField(\(literal(pattern(path))), to: \(name.map { Node.string($0).json } ?? "\"…\"")\(suffix))"
            )
        }
        let parent = Array(path.components.dropLast())
        guard case .object? = node[NodePath(parent)], let field = path.components.last else { return nil }
        if action == nil, let other = member(renamedTo: field, at: parent, in: node, app.checkDecodes) {
            return line(
                "renameField(\(literal(pattern(NodePath(parent + [other])))), to: \(Node.string(field).json))"
            )
        }
        return line("addField(\(literal(pattern(path))), default: …\(suffix))")
    }

    /// The case that today's initial state has in place of an unknown one.
    private func initialCase(beside path: NodePath) -> String? {
        do {
            return try app.typed.encodeInitial(nil)[NodePath(Array(path.components.dropLast()))]?.soleMember?.key
        } catch {
            return nil
        }
    }

    /// The line for a field that has another type now.
    func conversion(of path: NodePath, _ suffix: String = "") -> String {
        line("convertField(\(literal(path))\(suffix)) { … }")
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
        if let name = action.actionName(at: path), error.isUnknownCase {
            return rename(action: name, to: error.nearestCase)
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
        if inside.count == 1, node[inside[0]] == nil,
            let other = member(renamedTo: inside[0], at: outside, in: action, { _ = try app.reencoded(action: $0) })
        {
            let (old, new) = (Node.string("/" + other).json, Node.string(inside[0]).json)
            return line("renameField(\(old), to: \(new), in: \(Node.string(name).json))")
        }
        return remedy(for: TreeError(error.code, at: NodePath(inside), error.reason), in: node, of: name)
    }

    /// The member of an object that decodes under the name of a missing field, and that is not read itself; the one
    /// with the most similar name if there are several.
    private func member(
        renamedTo field: String,
        at place: [String],
        in node: Node,
        _ decode: (Node) throws -> Void
    ) -> String? {
        guard case .object(let members)? = node[NodePath(place)] else { return nil }
        let candidates = members.filter { member in
            // A value of another kind in its old place shows whether today's type reads it there.
            var other = Node.bool(true)
            if case .bool = member.value { other = "hindsight" }
            let renamed = members.map { $0.key == member.key ? Node.Member($0.key, other) : $0 }
            let object = Node.object(renamed + [Node.Member(field, member.value)])
            do {
                try decode(node.replacing(literally: place[...]) { _ in object })
                return true
            } catch {
                // The next missing field has another name, or is in another element.
                guard let path = (error as? TreeError)?.path?.components else { return false }
                return path != place + [member.key] && !path.starts(with: place + [field])
            }
        }
        return candidates.map(\.key).min { $0.distance(to: field) < $1.distance(to: field) }
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

extension TreeError {
    /// Whether an object is none of the cases of an enum.
    var isUnknownCase: Bool { reason.contains(" is no case of ") }

    /// The case with the most similar name.
    fileprivate var nearestCase: String? {
        guard let start = reason.range(of: ", which has \"")?.upperBound, reason.last == "\"" else { return nil }
        return String(reason[start...].dropLast())
    }
}

extension Node {
    /// The name of an action's case at a path, with those of the cases around it; `nil` if it is in a value.
    fileprivate func actionName(at path: NodePath) -> String? {
        let names = path.components
        guard let first = names.first else { return nil }
        let inside = names.indices.dropFirst()
        // The names alternate with those of payloads; a registered enum is the payload itself.
        let candidates = [inside.filter { $0.isMultiple(of: 2) }, inside.filter { !$0.isMultiple(of: 2) }]
        return candidates.map { ([first] + $0.map { names[$0] }).joined(separator: ".") }.first {
            $0 != first && casePlace($0) == NodePath(Array(names.dropLast()))
        }
    }
}
