import HindsightTree

/// A kind of object whose values may be related: the whole state, or each element of an array or dictionary in it.
final class InvariantScope {
    /// A place in the object of a scope, without `*`.
    struct Variable {
        enum Kind { case leaf, object, container }

        /// The path from the object.
        let path: NodePath
        let kind: Kind
        let kinds: StateShape.Kinds
        /// Whether it is absent or null at times although what it is in is there.
        let isOptional: Bool
        /// The member that stands for a case of an enum.
        let isCase: Bool
        /// The scope of the elements of a container.
        var elements: Int?
        let isDictionary: Bool
        /// Whether it is a number, or nothing.
        var isNumber: Bool { kind == .leaf && kinds.subtracting(.null) == .number }
        var isBool: Bool { kind == .leaf && kinds.subtracting(.null) == .bool }
        var isText: Bool { kind == .leaf && kinds.subtracting(.null) == .string }
    }

    /// The path to the object, with `*` for elements.
    let pattern: NodePath
    fileprivate(set) var variables: [Variable] = []

    fileprivate init(_ pattern: NodePath) { self.pattern = pattern }

    /// Whether it is the whole state.
    var isRoot: Bool { pattern.isRoot }

    /// The place of a variable, with `*` for elements.
    func place(_ variable: Int) -> NodePath { NodePath(pattern.components + variables[variable].path.components) }
}

/// Which places of a state belong to which scope.
struct InvariantScopes {
    /// A place in the tree of patterns.
    final class Place {
        let scope: Int
        /// The variables of the scope at the place, or below it.
        fileprivate(set) var variables: [Int] = []
        fileprivate(set) var fields: [ScalarKey: Place] = [:]
        /// The place of the elements, and the variable of their container.
        fileprivate(set) var elements: (place: Place, container: Int)?
        fileprivate(set) var isArray = false

        fileprivate init(_ scope: Int) { self.scope = scope }
    }

    private(set) var scopes: [InvariantScope] = []
    private(set) var root = Place(0)
    /// The number of places beyond ``mostPlaces``.
    private(set) var leftOut = 0

    /// The most places that are looked at.
    private static let mostPlaces = 5000
    /// The most arrays and dictionaries in one another.
    private static let deepest = 3
    private var count = 0

    /// - Parameter isHidden: Whether the recordings hide what is at a pattern.
    init(_ shape: StateShape, isHidden: (NodePath) -> Bool) {
        scopes = [InvariantScope(NodePath())]
        root = place(of: shape, in: 0, NodePath(), depth: 0, isHidden)
    }

    private mutating func place(
        of shape: StateShape,
        in scope: Int,
        _ path: NodePath,
        isOptional: Bool = false,
        isCase: Bool = false,
        depth: Int,
        _ isHidden: (NodePath) -> Bool
    ) -> Place {
        let place = Place(scope)
        count += 1
        guard count <= Self.mostPlaces else {
            leftOut += 1
            return place
        }
        if isHidden(NodePath(scopes[scope].pattern.components + path.components)) || shape.isMixed { return place }
        let isContainer = shape.kinds.contains(.array) || shape.isDictionary
        let kind: InvariantScope.Variable.Kind =
            isContainer ? .container : shape.kinds.contains(.object) ? .object : .leaf
        let number = scopes[scope].variables.count
        scopes[scope].variables.append(
            InvariantScope.Variable(
                path: path,
                kind: kind,
                kinds: shape.kinds,
                isOptional: isOptional,
                isCase: isCase,
                isDictionary: shape.isDictionary
            )
        )
        place.variables = [number]
        if isContainer {
            place.isArray = shape.kinds.contains(.array)
            guard let element = shape.element, depth < Self.deepest else { return place }
            let components = scopes[scope].pattern.components + path.components + ["*"]
            scopes.append(InvariantScope(NodePath(components)))
            let inner = scopes.count - 1
            scopes[scope].variables[number].elements = inner
            place.elements = (self.place(of: element, in: inner, NodePath(), depth: depth + 1, isHidden), number)
            return place
        }
        for (name, member) in shape.fields {
            let field = self.place(
                of: member,
                in: scope,
                path.appending(name),
                isOptional: shape.isOptional(member),
                isCase: shape.isEnum,
                depth: depth,
                isHidden
            )
            place.fields[ScalarKey(name)] = field
            place.variables += field.variables
        }
        return place
    }
}

/// What is at a variable, as far as rules compare it.
///
/// Texts are compared by their scalars, as SQL does.
enum InvariantValue: Hashable {
    /// Nothing, or null.
    case none
    case bool(Bool)
    case number(Double)
    case text(ScalarKey)
    /// The number of elements of a container, or of members.
    case count(Int)
    /// Data, a number that no double has, or a text with NUL, at which SQL ends it.
    case other

    init(_ node: Node?) {
        switch node {
        case nil, .null: self = .none
        case .bool(let value): self = .bool(value)
        case .int(let value): self = value.magnitude <= 1 << 53 ? .number(Double(value)) : .other
        case .number(let text):
            // A double has 15 digits of any number, and all those of one that is written as itself.
            let value = Double(text)
            let isExact = text.count(where: \.isNumber) <= 15 || value.map { "\($0)" == text } ?? false
            if let value, value.isFinite, isExact { self = .number(value) } else { self = .other }
        case .string(let text): self = text.utf8.contains(0) ? .other : .text(ScalarKey(text))
        case .data: self = .other
        case .array(let elements): self = .count(elements.count)
        case .object(let members): self = .count(members.count)
        }
    }

    var isText: Bool { if case .text = self { true } else { false } }
    /// The key of a dictionary that a whole number or a text is.
    var asKey: InvariantValue {
        if case .number(let value) = self, let whole = Int64(exactly: value) {
            .text(ScalarKey("\(whole)"))
        } else {
            self
        }
    }
    /// Whether it may be one of a few texts that stand for something.
    var isShortText: Bool { if case .text(let text) = self { text.key.utf8.count <= 24 } else { false } }
    var number: Double? { if case .number(let value) = self { value } else { nil } }
    var isNone: Bool { self == .none }
    var isEmpty: Bool {
        switch self {
        case .text(let text): text.key.isEmpty
        case .count(let count): count == 0
        default: false
        }
    }
}
