import HindsightTree

/// Values of a recording and what may stand for them: texts, dates, numbers, bytes, and keys of dictionaries.
///
/// A placeholder has the shape of its value: a letter stands for a letter of the same case, a digit for a digit, a scalar
/// of several bytes for one of as many; spaces and punctuation stay. Equal values have equal placeholders, and different
/// ones different. Numbers of the same shape keep their order, and so do texts by their letters, as far as they have room
/// for it. All dates move by the same number of days.
package struct Placeholders {
    /// A value.
    package struct Value: Codable, Sendable {
        package enum Kind: String, Codable, Sendable { case text, date, number, data, key }

        /// Where values like this one stand.
        package struct Place: Codable, Hashable, Sendable {
            /// The path in the state at the start, or in an action, with `*` for indices and keys that are no identifiers.
            package let path: String
            package let isInAction: Bool
        }

        package let node: Node
        /// `nil` if there is no other value of this shape.
        package let placeholder: Node?
        package let kind: Kind
        /// The first place.
        package let place: Place
        /// How often it occurs.
        package fileprivate(set) var count: Int
    }

    /// A state or an action, and what its type reads as dictionaries.
    package struct Source {
        package let node: Node
        fileprivate let dictionaries: Set<NodePath>

        package init(_ node: Node, dictionaries: Set<NodePath>) {
            self.node = node
            var all = dictionaries
            Self.findDictionaries(in: node, NodePath(), &all)
            self.dictionaries = all
        }

        /// A key that is no identifier is no name of a member.
        private static func findDictionaries(in node: Node, _ path: NodePath, _ found: inout Set<NodePath>) {
            let isObject = if case .object = node { true } else { false }
            for (name, value) in node.children {
                if isObject, NodePath([name]).generalized.components == ["*"], !name.hasPrefix("_") {
                    found.insert(path)
                }
                findDictionaries(in: value, path.appending(name), &found)
            }
        }
    }

    package private(set) var values: [Value] = []
    /// The number of values that stay because of where they stand.
    package let keptCount: Int
    private var indices: [Node: Int] = [:]
    /// The keys by their placeholders, for the paths of changes.
    private var originals: [ScalarKey: String] = [:]

    /// - Parameters:
    ///   - initial: The first state.
    ///   - actions: The payloads of the actions.
    ///   - isKept: Whether a value at a path must stay.
    ///   - isRedacted: Whether a value at a path has a placeholder already. A key at a path is no value.
    ///   - seed: Decides the placeholders.
    package init(
        of initial: Source,
        _ actions: [Source],
        keeping isKept: @escaping (_ path: NodePath, _ isInAction: Bool) -> Bool,
        redacted isRedacted: @escaping (_ path: NodePath, _ isInAction: Bool) -> Bool = { _, _ in false },
        seed: UInt64
    ) {
        var found = Collector(isKept: isKept, isRedacted: isRedacted)
        found.collect(initial, isInAction: false)
        for action in actions { found.collect(action, isInAction: true) }
        var maker = PlaceholderMaker(found.entries.map(\.node), names: found.names, seed: seed)
        let made = maker.make()
        keptCount = found.kept.count
        for entry in found.entries where !found.kept.contains(entry.node) {
            let (kind, placeholder) = made[entry.node].map { ($0.kind, $0.node) } ?? (Self.kind(of: entry.node), nil)
            if placeholder == nil, Self.saysNothing(entry.node) { continue }
            indices[entry.node] = values.count
            values.append(
                Value(
                    node: entry.node,
                    placeholder: placeholder,
                    kind: entry.isKey && kind != .date ? .key : kind,
                    place: entry.place,
                    count: entry.count
                )
            )
            if let placeholder, let key = Self.key(of: placeholder) {
                originals[ScalarKey(key)] = Self.key(of: entry.node)
            }
        }
    }

    private static func kind(of node: Node) -> Value.Kind {
        switch node {
        case .string: .text
        case .data: .data
        default: .number
        }
    }

    /// Whether a value may stay without a word: 0, 1, -1, and texts of spaces.
    private static func saysNothing(_ node: Node) -> Bool {
        switch node {
        case .int(let value): (-1...1).contains(value)
        case .number(let literal): !literal.prefix { $0 != "e" && $0 != "E" }.contains { $0.isNumber && $0 != "0" }
        case .string(let text): text.allSatisfy(\.isWhitespace)
        case .data(let bytes): bytes.isEmpty
        default: true
        }
    }

    /// The value that a text or a key of a dictionary stands for: a number, if it is one.
    fileprivate static func node(of text: String) -> Node {
        if let number = Int(text), String(number) == text { .int(number) } else { .string(text) }
    }

    private static func key(of node: Node) -> String? {
        switch node {
        case .int(let number): String(number)
        case .string(let text): text
        default: nil
        }
    }

    /// A node with the placeholders of some values.
    package func applied(to source: Source, _ isActive: [Bool]) -> Node {
        applied(to: source.node, source.dictionaries.isEmpty ? nil : (source.dictionaries, NodePath()), isActive)
    }

    private func applied(
        to node: Node,
        _ place: (dictionaries: Set<NodePath>, path: NodePath)?,
        _ isActive: [Bool]
    ) -> Node {
        switch node {
        case .null, .bool: return node
        case .string(let text):
            return placeholder(of: Self.node(of: text), isActive).flatMap(Self.key).map { .string($0) } ?? node
        case .int, .number, .data: return placeholder(of: node, isActive) ?? node
        case .array(let elements):
            return .array(
                elements.enumerated().map { index, element in
                    applied(to: element, place.map { ($0.dictionaries, $0.path.appending(String(index))) }, isActive)
                }
            )
        case .object(let members):
            let isDictionary = place.map { $0.dictionaries.contains($0.path) } ?? false
            return .object(
                members.map { member in
                    let inner = place.map { ($0.dictionaries, $0.path.appending(member.key)) }
                    let other = isDictionary ? placeholder(of: Self.node(of: member.key), isActive) : nil
                    let key = other.flatMap(Self.key) ?? member.key
                    return Node.Member(key, applied(to: member.value, inner, isActive))
                }
            )
        }
    }

    private func placeholder(of node: Node, _ isActive: [Bool]) -> Node? {
        guard let index = indices[node], isActive[index] else { return nil }
        return values[index].placeholder
    }

    /// A path in a state with placeholders, with the recorded keys.
    package func original(_ path: NodePath, in state: Node) -> NodePath {
        var node: Node? = state
        return NodePath(
            path.components.map { component in
                defer { node = node?[NodePath([component])] }
                // An index is no key.
                if case .array? = node { return component }
                return originals[ScalarKey(component)] ?? component
            }
        )
    }
}

/// Finds the values that may have placeholders, in the order in which they stand.
private struct Collector {
    struct Entry {
        let node: Node
        let place: Placeholders.Value.Place
        let isKey: Bool
        var count = 1
    }

    let isKept: (NodePath, Bool) -> Bool
    let isRedacted: (NodePath, Bool) -> Bool
    private(set) var entries: [Entry] = []
    private(set) var kept: Set<Node> = []
    /// The names of members that are no keys of dictionaries.
    private(set) var names: Set<ScalarKey> = []
    private var indices: [Node: Int] = [:]

    init(isKept: @escaping (NodePath, Bool) -> Bool, isRedacted: @escaping (NodePath, Bool) -> Bool) {
        (self.isKept, self.isRedacted) = (isKept, isRedacted)
    }

    mutating func collect(_ source: Placeholders.Source, isInAction: Bool) {
        collect(source.node, (NodePath(), NodePath()), source.dictionaries, isInAction)
    }

    /// A path, and the same with `*` for indices and keys of dictionaries.
    private typealias Path = (whole: NodePath, shown: NodePath)

    private mutating func collect(_ node: Node, _ path: Path, _ dictionaries: Set<NodePath>, _ isInAction: Bool) {
        func inner(_ name: String, isKey: Bool) -> Path {
            (path.whole.appending(name), path.shown.appending(isKey ? "*" : name))
        }
        switch node {
        case .null, .bool: break
        case .int, .number, .data, .string:
            if isRedacted(path.whole, isInAction) { return }
            let value = if case .string(let text) = node { Placeholders.node(of: text) } else { node }
            add(value, path, isInAction: isInAction, isKey: false)
        case .array(let elements):
            for (index, element) in elements.enumerated() {
                collect(element, inner(String(index), isKey: true), dictionaries, isInAction)
            }
        case .object(let members):
            let isDictionary = dictionaries.contains(path.whole)
            for member in members {
                let place = inner(member.key, isKey: isDictionary)
                if isDictionary {
                    add(Placeholders.node(of: member.key), place, isInAction: isInAction, isKey: true)
                } else {
                    names.insert(ScalarKey(member.key))
                }
                collect(member.value, place, dictionaries, isInAction)
            }
        }
    }

    private mutating func add(_ node: Node, _ path: Path, isInAction: Bool, isKey: Bool) {
        if isKept(path.whole, isInAction) { kept.insert(node) }
        if let index = indices[node] {
            entries[index].count += 1
            return
        }
        let place = Placeholders.Value.Place(path: path.shown.description, isInAction: isInAction)
        indices[node] = entries.count
        entries.append(Entry(node: node, place: place, isKey: isKey))
    }
}
