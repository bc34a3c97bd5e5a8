/// One name on the way to the value that is being encoded or decoded.
enum PathStep {
    case key(String)
    case index(Int)
    /// A dictionary's key, which is data.
    case entry(String)

    var name: String {
        switch self {
        case .key(let key), .entry(let key): key
        case .index(let index): String(index)
        }
    }
}

extension PathStep: CodingKey {
    init?(stringValue: String) { self = .key(stringValue) }
    init?(intValue: Int) { self = .index(intValue) }
    var stringValue: String { name }
    var intValue: Int? { if case .index(let index) = self { index } else { nil } }
}

/// Knows where in a value an encoder or decoder stands.
final class CodingSession {
    // Nothing that the app has written runs while the path or the depth is being changed.
    @exclusivity(unchecked) private(set) var path: [PathStep] = []
    /// What hides parts of the values; `nil` where nothing does.
    let redactor: Redactor?
    /// Where the session's place is in what the redactor looks for; ``PathAutomaton/nothing`` where nothing at or below
    /// it is to be hidden.
    var watch: Int
    @exclusivity(unchecked) private var depth = 0
    /// Where the error was thrown that is on its way up; a user's code may also catch it and go on.
    private var failedAt: [PathStep]?
    /// Whether a user's code has asked for its coding path.
    var wasAskedWhere = false
    /// Whether a class instance was met.
    @exclusivity(unchecked) var sawInstance = false

    init(redactor: Redactor? = nil) {
        self.redactor = redactor
        watch = redactor?.automaton.start ?? PathAutomaton.nothing
    }

    var nodePath: NodePath { NodePath(path.map(\.name)) }

    /// Runs `body` one level deeper.
    ///
    /// - Throws: ``TreeError/Code/tooDeep`` at ``TreeLimits/depth``, before any stack overflows.
    @inline(__always)
    func descend<Result>(_ step: PathStep, _ body: () throws -> Result) throws -> Result {
        path.append(step)
        let outer = watch
        if outer != PathAutomaton.nothing { watch = self.watch(after: step) }
        defer {
            path.removeLast()
            watch = outer
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
        let outer = watch
        if outer != PathAutomaton.nothing { watch = self.watch(after: steps) }
        defer {
            path.removeLast(steps.count)
            watch = outer
        }
        return try descend(step, body)
    }

    /// Runs `body`, which calls a user's code, one level deeper without naming a place: a value may stand for another
    /// one through a single value container.
    @inline(__always)
    func deepen<Result>(_ body: () throws -> Result) throws -> Result {
        depth += 1
        defer { depth -= 1 }
        guard depth <= TreeLimits.depth else { throw tooDeep() }
        return try body()
    }

    /// Runs `body` as if it stood so many names and values deep; whatever asks for the path is then told a wrong one.
    func standing<Result>(_ names: Int, within values: Int, _ body: (CodingSession) throws -> Result) throws -> Result {
        if path.count != names { path = Array(repeating: .index(0), count: names) }
        depth = values
        return try body(self)
    }

    private func tooDeep() -> TreeError {
        // A path of hundreds of names helps nobody: the first few tell where it starts.
        TreeError(
            .tooDeep,
            at: NodePath(path.prefix(8).map(\.name)),
            "the value is nested deeper than \(TreeLimits.depth) levels below this place"
        )
    }

    /// The error for what a user's `encode(to:)` or `init(from:)` threw here.
    func wrap(_ error: any Error, _ code: TreeError.Code) -> TreeError {
        switch error {
        case let error as TreeError:
            error
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

    private func sentence(_ text: String) -> String {
        text.hasSuffix(".") ? String(text.dropLast()) : text
    }
}
