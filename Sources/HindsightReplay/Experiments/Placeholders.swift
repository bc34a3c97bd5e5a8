import HindsightTree

/// Values of a recording and what may stand for them: texts, dates, numbers, bytes, and keys of dictionaries.
///
/// A placeholder has the shape of its value: a letter stands for a letter of the same case, a digit for a digit, a scalar
/// of several bytes for one of as many; spaces and punctuation stay. Equal values have equal placeholders, and different
/// ones different. Numbers of the same shape keep their order, and so do texts by their letters, as far as they have room
/// for it. All dates move by the same number of days.
package struct Placeholders {
    /// A value.
    package struct Value: Sendable {
        package enum Kind: String, Codable, Sendable { case text, date, number, data, key }

        /// Where values like this one stand.
        package struct Place: Codable, Hashable, Sendable {
            /// The path in the state at the start, or in an action, with `*` for indices and keys that are no identifiers.
            package let path: String
            package let isInAction: Bool
        }

        package let node: Node
        package let placeholder: Node
        package let kind: Kind
        /// The first place.
        package let place: Place
        /// How often it occurs.
        package fileprivate(set) var count: Int
    }

    package private(set) var values: [Value] = []
    private var indices: [Node: Int] = [:]
    /// The keys of dictionaries.
    private var keys: Set<ScalarKey> = []
    /// The values by their placeholders, for the keys in the paths of changes.
    private var originals: [ScalarKey: String] = [:]

    /// The values that stay because of where they stand.
    private var kept: Set<Node> = []

    /// - Parameters:
    ///   - initial: The first state.
    ///   - actions: The payloads of the actions.
    ///   - keys: The keys of dictionaries in the first state.
    ///   - isKept: Whether a value at a path must stay.
    ///   - seed: Decides the placeholders.
    package init(
        of initial: Node,
        _ actions: [Node],
        keys: Set<ScalarKey>,
        keeping isKept: @escaping (_ path: NodePath, _ isInAction: Bool) -> Bool,
        seed: UInt64
    ) {
        self.keys = keys
        var found = Collector(keys: keys, isKept: isKept)
        found.collect(initial, NodePath(), isInAction: false)
        for action in actions { found.collect(action, NodePath(), isInAction: true) }
        self.keys.formUnion(found.ownKeys)
        var maker = PlaceholderMaker(found.entries.map(\.node), names: found.names, seed: seed)
        let made = maker.make()
        for entry in found.entries {
            guard !found.kept.contains(entry.node), let (kind, placeholder) = made[entry.node],
                placeholder != entry.node
            else { continue }
            indices[entry.node] = values.count
            let isKey = entry.isKey && kind == .text
            values.append(
                Value(
                    node: entry.node,
                    placeholder: placeholder,
                    kind: isKey ? .key : kind,
                    place: entry.place,
                    count: entry.count
                )
            )
            if case .string(let text) = entry.node, case .string(let other) = placeholder {
                originals[ScalarKey(other)] = text
            }
        }
    }

    /// A node with the placeholders of some values.
    package func applied(to node: Node, _ isActive: [Bool]) -> Node {
        switch node {
        case .null, .bool: return node
        case .int, .number, .string, .data:
            guard let index = indices[node], isActive[index] else { return node }
            return values[index].placeholder
        case .array(let elements): return .array(elements.map { applied(to: $0, isActive) })
        case .object(let members):
            return .object(
                members.map { member in
                    Node.Member(key(member.key, isActive), applied(to: member.value, isActive))
                }
            )
        }
    }

    private func key(_ key: String, _ isActive: [Bool]) -> String {
        guard keys.contains(ScalarKey(key)), let index = indices[.string(key)], isActive[index],
            case .string(let other) = values[index].placeholder
        else { return key }
        return other
    }

    /// A path with the recorded keys in place of their placeholders.
    package func original(_ path: NodePath) -> NodePath {
        NodePath(path.components.map { originals[ScalarKey($0)] ?? $0 })
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

    let keys: Set<ScalarKey>
    let isKept: (NodePath, Bool) -> Bool
    private(set) var entries: [Entry] = []
    private(set) var kept: Set<Node> = []
    /// The names of members that are no keys of dictionaries.
    private(set) var names: Set<ScalarKey> = []
    /// Keys in actions that can be no names of members.
    private(set) var ownKeys: Set<ScalarKey> = []
    private var indices: [Node: Int] = [:]

    init(keys: Set<ScalarKey>, isKept: @escaping (NodePath, Bool) -> Bool) { (self.keys, self.isKept) = (keys, isKept) }

    mutating func collect(_ node: Node, _ path: NodePath, isInAction: Bool) {
        switch node {
        case .null, .bool: break
        case .int, .number, .string, .data: add(node, path, isInAction: isInAction, isKey: false)
        case .array(let elements):
            for (index, element) in elements.enumerated() {
                collect(element, path.appending(String(index)), isInAction: isInAction)
            }
        case .object(let members):
            for member in members {
                let inner = path.appending(member.key)
                let key = ScalarKey(member.key)
                if keys.contains(key) {
                    add(.string(member.key), inner, isInAction: isInAction, isKey: true)
                } else if NodePath([member.key]).generalized.components == ["*"], !member.key.hasPrefix("_") {
                    ownKeys.insert(key)
                    add(.string(member.key), inner, isInAction: isInAction, isKey: true)
                } else {
                    names.insert(key)
                }
                collect(member.value, inner, isInAction: isInAction)
            }
        }
    }

    private mutating func add(_ node: Node, _ path: NodePath, isInAction: Bool, isKey: Bool) {
        if isKept(path, isInAction) { kept.insert(node) }
        if let index = indices[node] {
            entries[index].count += 1
            return
        }
        let place = Placeholders.Value.Place(path: path.generalized.description, isInAction: isInAction)
        indices[node] = entries.count
        entries.append(Entry(node: node, place: place, isKey: isKey))
    }
}
