import HindsightTree

/// The divergences of a verification that look alike: the same type of action, reducer, path and cause.
public struct DivergenceClass: Sendable {
    /// The action's type; `nil` for the initial state.
    public let actionType: String?
    /// The reducer's name; `nil` if it is not known.
    public let reducerName: String?
    /// The first differing path as a pattern, such as `/todos/*/title`: an index is `*`, and so are a key that is no
    /// identifier, and a name below the root in whose place four or more classes have different ones.
    public internal(set) var path: NodePath
    /// The likely cause. It is found for the first divergence; the others have the same one by their values alone.
    public let cause: Divergence.Cause
    /// The number of divergences.
    public internal(set) var count: Int
    /// The first divergence.
    public internal(set) var example: Divergence
    /// The numbers of the actions, in order: at most 1,000.
    public internal(set) var seqs: [Int]
}

/// Sorts divergences into classes while a verification runs.
struct DivergenceClasses: Sendable {
    /// What divergences of a class have in common.
    struct Key: Hashable {
        let actionType: String?
        let reducerName: String?
        var path: NodePath
        /// The cause that the two values show; `other` if they show none.
        let apparent: Divergence.Cause
    }

    private static let maxSeqs = 1000
    private static let maxClasses = 1000

    private var classes: [Key: DivergenceClass] = [:]

    /// The first divergence of the class.
    func example(for key: Key) -> Divergence? { classes[key]?.example }

    mutating func add(_ divergence: Divergence, under key: Key) {
        var key = key
        if classes[key] == nil, classes.count >= Self.maxClasses {
            // So many different paths are keys.
            key.path = NodePath(["**"])
        }
        let new = DivergenceClass(
            actionType: key.actionType,
            reducerName: key.reducerName,
            path: key.path,
            cause: divergence.cause,
            count: 0,
            example: divergence,
            seqs: []
        )
        classes[key, default: new].count += 1
        guard let count = classes[key]?.seqs.count, count < Self.maxSeqs else { return }
        classes[key]?.seqs.append(divergence.seq)
    }

    /// The classes, the largest first.
    var sorted: [DivergenceClass] {
        var merged = Array(classes.values)
        let deepest = merged.map(\.path.components.count).max() ?? 0
        // The names at the root are fields.
        for level in 1..<max(1, deepest) { merged = Self.merging(merged, at: level) }
        return merged.sorted {
            ($1.count, $0.example.seq, $0.path.description) < ($0.count, $1.example.seq, $1.path.description)
        }
    }

    /// Merges classes whose paths differ only in one name, if there are four or more of them.
    private static func merging(_ classes: [DivergenceClass], at level: Int) -> [DivergenceClass] {
        struct Rest: Hashable {
            let words: [String?]
            let path: NodePath
        }
        var groups: [Rest: [DivergenceClass]] = [:]
        for one in classes {
            var path = one.path
            if path.components.indices.contains(level) { path.components[level] = "*" }
            let words = [one.actionType, one.reducerName, one.cause.rawValue]
            groups[Rest(words: words, path: path), default: []].append(one)
        }
        return groups.flatMap { rest, group in
            guard group.count >= 4 || group.contains(where: { $0.path == rest.path }) else { return group }
            return [joined(group, as: rest.path)]
        }
    }

    private static func joined(_ group: [DivergenceClass], as path: NodePath) -> DivergenceClass {
        var first = group.min { $0.example.seq < $1.example.seq } ?? group[0]
        first.path = path
        first.count = group.reduce(0) { $0 + $1.count }
        first.seqs = Array(group.flatMap(\.seqs).sorted().prefix(maxSeqs))
        return first
    }
}

extension NodePath {
    /// This path with `*` for each index and for each key that is no identifier.
    var generalized: NodePath {
        NodePath(
            components.map { name in
                let isIdentifier =
                    name.utf8.first.map { !(UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0) } == true
                    && name.unicodeScalars.allSatisfy { $0 == "_" || $0.properties.isXIDContinue }
                return isIdentifier ? name : "*"
            }
        )
    }
}
