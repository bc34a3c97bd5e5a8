import HindsightRecorder
import HindsightRecording
import HindsightTree

/// The line of a migration that would make a recording fit, for messages. Each line was tried on the state or the action
/// that does not fit.
struct MigrationLine {
    /// The schema to which the migration would lead: the next one, since there may be recordings of the app's.
    private let schema: Int
    let app: ReplayableApp
    let file: String

    private typealias Build = (inout Migration) -> Void

    init(_ recording: Recording, _ app: ReplayableApp) {
        schema = app.schema + 1
        self.app = app
        file = recording.url.path
    }

    /// The line for a field that seems to be renamed or moved; `nil` if it does not do that.
    ///
    /// - Parameter state: A state that has the recorded field, in the app's schema.
    func remedy(for suspect: RecordedForm.Suspect, in state: Node) -> String? {
        var keys = DictionaryKeys(app)
        let unread = keys.generalized(suspect.unread, in: state)
        let target = keys.generalized(suspect.target, in: state)
        let migration = Migration(to: schema) {
            if suspect.isMoved {
                $0.moveField("\(unread)", to: "\(target)")
            } else {
                $0.renameField("\(unread)", to: target.components.last ?? "")
            }
        }
        // The missing field may have got its default.
        let recorded = state.replacing(literally: suspect.target.components.dropLast()) { object in
            guard case .object(let members) = object else { return object }
            return .object(members.filter { $0.key != suspect.target.components.last })
        }
        guard let migrated = try? migration.state(recorded) else { return nil }
        return migrated[suspect.target] != nil && migrated[suspect.unread] == nil ? line(of: migration) : nil
    }

    /// The line for a state that does not decode; `nil` if none is known.
    ///
    /// - Parameters:
    ///   - error: The app's error.
    ///   - state: The state in the app's schema.
    func remedy(for error: any Error, in state: Node) -> String? {
        guard let error = error as? TreeError, error.code != .isDescription, let path = error.path, !path.isRoot else {
            return nil
        }
        var keys = DictionaryKeys(app)
        if let place = keys.misreadArrays(in: state).first(where: { $0.contains(path) }) {
            return conversion(of: keys.generalized(place, in: state))
        }
        let place = keys.generalized(path, in: state)
        let parent = Array(path.components.dropLast())
        guard let field = path.components.last else { return nil }
        func tried(_ build: Build) -> String? {
            let migration = Migration(to: schema, build)
            return helps(error, at: { keys.generalized($0, in: state) }) {
                try app.checkDecodes(migration.state(state))
            } ? line(of: migration) : nil
        }
        guard state[path] == nil else {
            guard error.isUnknownCase else { return conversion(of: place) }
            guard let name = error.nearestCase ?? initialCase(beside: path) else {
                return line("renameField(\(literal(place)), to: \"…\")")
            }
            return tried { $0.renameField("\(place)", to: name) }
        }
        guard case .object? = state[NodePath(parent)] else { return nil }
        if let other = member(renamedTo: field, at: parent, in: state, app.checkDecodes) {
            let old = keys.generalized(NodePath(parent + [other]), in: state)
            if let line = tried({ $0.renameField("\(old)", to: field) }) { return line }
        }
        return firstTried { value in tried { $0.addField("\(place)", default: value) } }
    }

    /// The line that adds a field, if it helps with one of the values that a field may have.
    private func firstTried(_ line: (Node) -> String?) -> String? {
        let values: [Node] = [false, 0, "", .array([]), .object([]), .null]
        for value in values {
            if let found = line(value) { return found }
        }
        return nil
    }

    /// Whether a state or an action decodes, or fails for another reason than before.
    ///
    /// - Parameter place: What a path names, with `*` for each element.
    private func helps(_ error: TreeError, at place: (NodePath) -> NodePath, _ decode: () throws -> Void) -> Bool {
        do {
            try decode()
            return true
        } catch let next as TreeError {
            // The next element may have the same problem only if its migration did not reach it.
            let places = [error, next].map { $0.path.map { place($0).pattern } }
            return next.reason != error.reason || places[0] != places[1]
        } catch {
            return false
        }
    }

    /// The case that today's initial state has in place of an unknown one.
    private func initialCase(beside path: NodePath) -> String? {
        let initial = try? app.typed.encodeInitial(nil)
        return initial?[NodePath(Array(path.components.dropLast()))]?.soleMember?.key
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
        var (depth, node, names) = (0, action, cases.count)
        for component in path.components.dropLast() where names > 0 {
            guard let next = node[NodePath([component])] else { break }
            (depth, node) = (depth + 1, next)
            if !component.isPayloadPosition { names -= 1 }
        }
        guard depth > 0 else { return nil }
        let (outside, inside) = (path.components[..<depth], path.components[depth...])
        let name = outside.filter { !$0.isPayloadPosition }.joined(separator: ".")
        var keys = DictionaryKeys(app, ofActions: true)
        func place(_ path: NodePath) -> NodePath {
            NodePath(Array(keys.generalized(path, in: action).components[outside.count...]))
        }
        func decode(_ action: Node) throws { _ = try app.typed.reencoded(action: action) }
        func tried(_ build: Build) -> String? {
            let migration = Migration(to: schema, build)
            return helps(error, at: { keys.generalized($0, in: action) }) {
                for part in try migration.action(action) { try decode(part) }
            } ? line(of: migration) : nil
        }
        guard let field = inside.last, action[path] == nil else {
            return inside.isEmpty ? nil : conversion(of: place(path), ", in: \(Node.string(name).json)")
        }
        let parent = Array(path.components.dropLast())
        guard case .object? = action[NodePath(parent)] else { return nil }
        if let other = member(renamedTo: field, at: parent, in: action, decode) {
            let old = place(NodePath(parent + [other])).pattern
            if let line = tried({ $0.renameField(old, to: field, in: name) }) { return line }
        }
        let new = place(path).pattern
        return firstTried { value in tried { $0.addField(new, default: value, in: name) } }
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

    private func line(of migration: Migration) -> String { line(migration.calls.joined(separator: "; $0.")) }

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
