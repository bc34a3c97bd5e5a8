extension ValueDiff {
    /// Compares the fields of two values.
    func compareFields(_ old: FieldEncoder, _ new: FieldEncoder) throws {
        guard old.kind == new.kind else { return compareNodes(try old.node(), try new.node()) }
        switch old.kind {
        case .single where old.items.count == 1 && new.items.count == 1:
            try compareItems(old, old.items[0], new, new.items[0])
        case .keyed:
            try compareMembers(old, new)
        case .unkeyed:
            try compareElements(old, new)
        default:
            compareNodes(try old.node(), try new.node())
        }
    }

    private func compareItems(
        _ oldFields: FieldEncoder,
        _ old: FieldEncoder.Item,
        _ newFields: FieldEncoder,
        _ new: FieldEncoder.Item
    ) throws {
        switch (old.content, new.content) {
        case _ where session.isHidden:
            break
        case (.node(let old), .node(let new)):
            compareNodes(old, new)
            return
        case (.double(let old), .double(let new)):
            if old.bitPattern != new.bitPattern { replace(old.node, new.node) }
            return
        case (.nested(let old), .nested(let new)):
            try session.deepen { try compareFields(old, new) }
            return
        case (.field(let old), .field(let new)):
            if try old.compare(to: new, with: self) { return }
        default:
            break
        }
        compareNodes(try oldFields.node(of: old), try newFields.node(of: new))
    }

    private func compareMembers(_ oldFields: FieldEncoder, _ newFields: FieldEncoder) throws {
        if newFields.hasKeys(of: oldFields), !newFields.hasRepeatedKeys {
            let (old, new) = (oldFields.items, newFields.items)
            if old.count == 1, OptionalTag.isLikeTag(old[0].key) {
                return compareNodes(try oldFields.node(), try newFields.node())
            }
            for index in old.indices where !old[index].isSurelySame(as: new[index]) {
                if let missedField, new[index].key == missedField { continue }
                if case .node(let before) = old[index].content, case .node(let after) = new[index].content,
                    before.isPlain, after.isPlain, session.canDescendFreely
                {
                    append(.replace(path: session.nodePath(of: new[index].key), old: before, new: after))
                    continue
                }
                try session.descend(.key(new[index].key)) {
                    try compareItems(oldFields, old[index], newFields, new[index])
                }
            }
            return
        }
        let (old, new) = (oldFields.uniqueItems(), newFields.uniqueItems())
        guard let pairs = commonMembers(old, new) else {
            return replace(try oldFields.node(), try newFields.node())
        }
        let (keptOld, keptNew) = (Set(pairs.map(\.old)), Set(pairs.map(\.new)))
        let path = session.nodePath
        for (index, item) in old.enumerated().reversed() where !keptOld.contains(index) {
            let node = try session.descend(.key(item.key)) { try oldFields.node(of: item) }
            append(.remove(path: path.appending(item.key), old: node, at: index))
        }
        for (index, item) in new.enumerated() where !keptNew.contains(index) {
            let node = try session.descend(.key(item.key)) { try newFields.node(of: item) }
            append(.add(path: path.appending(item.key), value: node, at: index))
        }
        for pair in pairs {
            let item = new[pair.new]
            try session.descend(.key(item.key)) { try compareItems(oldFields, old[pair.old], newFields, item) }
        }
    }

    /// The members that both have; `nil` if there are none, if their order differs, or if one of the two has a single
    /// key that is escaped.
    private func commonMembers(_ old: [FieldEncoder.Item], _ new: [FieldEncoder.Item]) -> [(old: Int, new: Int)]? {
        for items in [old, new] where items.count == 1 && OptionalTag.isLikeTag(items[0].key) { return nil }
        let places = Dictionary(
            old.indices.map { (Array(old[$0].key.utf8), $0) },
            uniquingKeysWith: { first, _ in first }
        )
        var pairs: [(old: Int, new: Int)] = []
        for (index, item) in new.enumerated() {
            guard let place = places[Array(item.key.utf8)] else { continue }
            if let last = pairs.last, place < last.old { return nil }
            pairs.append((place, index))
        }
        return pairs.isEmpty ? nil : pairs
    }

    private func compareElements(_ oldFields: FieldEncoder, _ newFields: FieldEncoder) throws {
        if session.hidesElements { return compareNodes(try oldFields.node(), try newFields.node()) }
        let (old, new) = (oldFields.items, newFields.items)
        let hunks = Alignment.hunks(old.count, new.count) { old[$0].isSurelySame(as: new[$1]) }
        for hunk in hunks {
            if hunk.old.count == hunk.new.count {
                for (old, (index, new)) in zip(old[hunk.old], zip(hunk.new, new[hunk.new])) {
                    try session.descend(.index(index)) { try compareItems(oldFields, old, newFields, new) }
                }
            } else {
                splice(
                    at: hunk.new.lowerBound,
                    try hunk.old.map { try oldFields.node(of: old[$0], at: .index($0)) },
                    try hunk.new.map { try newFields.node(of: new[$0], at: .index($0)) }
                )
            }
        }
    }
}

extension FieldEncoder.Item {
    /// Whether two items are surely the same, without encoding them.
    func isSurelySame(as other: FieldEncoder.Item) -> Bool {
        if isBitwiseEqual(content, other.content) { return true }
        return switch (content, other.content) {
        case (.node(let left), .node(let right)): left == right
        case (.double(let left), .double(let right)): left.bitPattern == right.bitPattern
        case (.float(let left), .float(let right)): left.bitPattern == right.bitPattern
        case (.field(let left), .field(let right)): left.holdsSameBits(as: right)
        default: false
        }
    }
}

extension Node {
    /// Whether a change of this node is always one that replaces it as a whole.
    fileprivate var isPlain: Bool {
        switch self {
        case .null, .bool, .int, .number: true
        default: false
        }
    }
}
