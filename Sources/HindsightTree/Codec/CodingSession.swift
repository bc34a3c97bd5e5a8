/// The state of encoding or decoding one value: the path, the depth, and what is redacted.
final class CodingSession {
    // No code of the app runs while the path or the depth is changed.
    private(set) var path: [PathStep] = []
    let redactor: Redactor?
    /// The redactor's state at the path; ``PathAutomaton/dead`` if nothing at or below the path is hidden.
    var redactionState: Int
    private var depth = 0
    /// The path at which the error was thrown that is being propagated. The app's code may also catch it and go on.
    private(set) var failedAt: [PathStep]?
    /// Whether the app's code has read its coding path.
    var didReadCodingPath = false
    /// Whether a class instance was encoded.
    var sawInstance = false
    /// The types because of which a part was described: see ``Described``.
    var typesWithoutCoding: [String] = []
    /// The places that were read as dictionaries; `nil` if they are not collected.
    var dictionaries: Set<NodePath>?

    init(redactor: Redactor? = nil) {
        self.redactor = redactor
        redactionState = redactor?.automaton.start ?? PathAutomaton.dead
    }

    var nodePath: NodePath { NodePath(path.map(\.name)) }

    /// The path of a member of the value at the session's path.
    func nodePath(of key: String) -> NodePath {
        if path.isEmpty { return NodePath([key]) }
        var names: [String] = []
        names.reserveCapacity(path.count + 1)
        for step in path { names.append(step.name) }
        names.append(key)
        return NodePath(names)
    }

    /// Whether a step down would change nothing but the path: it hides nothing, is not too deep, and no error is kept.
    var canDescendFreely: Bool {
        redactionState == PathAutomaton.dead && failedAt == nil && path.count < TreeLimits.depth
    }

    /// Runs `body` one level deeper.
    ///
    /// - Throws: ``TreeError/Code/tooDeep`` at ``TreeLimits/depth``, before any stack overflows.
    @inline(__always)
    func descend<Result>(_ step: PathStep, _ body: () throws -> Result) throws -> Result {
        path.append(step)
        let outer = redactionState
        if outer != PathAutomaton.dead { redactionState = self.redactionState(after: step) }
        defer {
            path.removeLast()
            redactionState = outer
        }
        guard path.count <= TreeLimits.depth else { throw tooDeep() }
        do {
            let result = try body()
            if failedAt != nil { failedAt = nil }
            return result
        } catch {
            if failedAt == nil { failedAt = path }
            throw error
        }
    }

    /// Runs `body` as many levels deeper as `steps` has, and one.
    func descend<Result>(_ steps: [PathStep], _ step: PathStep, _ body: () throws -> Result) throws -> Result {
        path.append(contentsOf: steps)
        let outer = redactionState
        if outer != PathAutomaton.dead { redactionState = self.redactionState(after: steps) }
        defer {
            path.removeLast(steps.count)
            redactionState = outer
        }
        return try descend(step, body)
    }

    /// Runs `body`, which calls the app's code, one level deeper at the same path: a value may encode another one
    /// through a single value container.
    @inline(__always)
    func deepen<Result>(_ body: () throws -> Result) throws -> Result {
        depth += 1
        defer { depth -= 1 }
        guard depth <= TreeLimits.depth else { throw tooDeep() }
        return try body()
    }

    /// Runs `body` at a path of so many names, within so many values. The names are made up.
    func atDepth<Result>(names: Int, values: Int, _ body: (CodingSession) throws -> Result) throws -> Result {
        if path.count != names { path = Array(repeating: .index(0), count: names) }
        depth = values
        return try body(self)
    }

    private func tooDeep() -> TreeError {
        // The first names tell where the nesting starts. Hundreds of names are no help.
        TreeError(
            .tooDeep,
            at: NodePath(path.prefix(8).map(\.name)),
            "the value is nested deeper than \(TreeLimits.depth) levels below this place"
        )
    }

    /// Converts an error that an `encode(to:)` or `init(from:)` threw.
    ///
    /// - Parameter node: The whole node that was to be decoded.
    func wrap(_ error: any Error, _ code: TreeError.Code, decoding node: Node? = nil) -> TreeError {
        switch error {
        case DecodingError.typeMismatch(let type, let context)
        where context.debugDescription.hasPrefix("Invalid number of keys found"):
            noCase(of: type, at: NodePath(context.codingPath.map(\.stringValue)), in: node, code)
        case let error as TreeError:
            error
        case let error as UndecodableDescription:
            TreeError(.isDescription, at: NodePath((failedAt ?? path).map(\.name)), error.description)
        case EncodingError.invalidValue(_, let context):
            TreeError(code, at: NodePath(context.codingPath.map(\.stringValue)), sentence(context.debugDescription))
        case DecodingError.keyNotFound(let key, let context):
            TreeError(
                code,
                at: NodePath((context.codingPath + [key]).map(\.stringValue)),
                key.intValue == nil ? "the field \"\(key.stringValue)\" is missing" : sentence(context.debugDescription)
            )
        case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context),
            DecodingError.dataCorrupted(let context):
            TreeError(code, at: NodePath(context.codingPath.map(\.stringValue)), sentence(context.debugDescription))
        default:
            TreeError(code, at: NodePath((failedAt ?? path).map(\.name)), sentence("\(error)"))
        }
    }

    /// The error for an object that is no case of an enum. The compiler's own error only counts the keys.
    private func noCase(of type: Any.Type, at path: NodePath, in node: Node?, _ code: TreeError.Code) -> TreeError {
        let keys = (node?[path]?.unescapedMembers ?? []).map(\.key)
        guard keys.count == 1, let key = keys.first else {
            return TreeError(
                code,
                at: path,
                "expected an object with one key, a case of \(type), found \(keys.count) keys"
            )
        }
        let nearest = (type as? any Decodable.Type).flatMap { Self.nearest(to: key, in: $0) }
        let question = nearest.map { ", which has \(Node.string($0).brief)" } ?? ""
        return TreeError(code, at: path.appending(key), "\(Node.string(key).brief) is no case of \(type)\(question)")
    }

    private static func nearest<T: Decodable>(to key: String, in type: T.Type) -> String? {
        ActionNames(of: type).nearest(to: key)
    }

    private func sentence(_ text: String) -> String {
        text.hasSuffix(".") ? String(text.dropLast()) : text
    }
}
