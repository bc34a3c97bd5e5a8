extension ChangeWalk {
    /// Compares what two values said about themselves.
    func compareShapes(_ old: Shape, _ new: Shape) throws {
        guard old.form == new.form else { return compareNodes(try old.node(), try new.node()) }
        switch old.form {
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

    private func compareItems(_ oldShape: Shape, _ old: Shape.Item, _ newShape: Shape, _ new: Shape.Item) throws {
        switch (old.content, new.content) {
        case _ where session.isHidden:
            break
        case (.node(let old), .node(let new)):
            compareNodes(old, new)
            return
        case (.double(let old), .double(let new)):
            if old.bitPattern != new.bitPattern { replace(old.node, new.node) }
            return
        case (.shape(let old), .shape(let new)):
            try session.deepen { try compareShapes(old, new) }
            return
        case (.field(let old), .field(let new)):
            if try old.findChanges(to: new, in: self) { return }
        default:
            break
        }
        compareNodes(try oldShape.node(of: old), try newShape.node(of: new))
    }

    private func compareMembers(_ oldShape: Shape, _ newShape: Shape) throws {
        if newShape.hasKeys(of: oldShape), !newShape.hasRepeatedKeys {
            let (old, new) = (oldShape.items, newShape.items)
            if old.count == 1, Tag.isLikeTag(old[0].key) {
                return compareNodes(try oldShape.node(), try newShape.node())
            }
            for index in old.indices where !old[index].isSurelySame(as: new[index]) {
                if let missedField, new[index].key == missedField { continue }
                try session.descend(.key(new[index].key)) {
                    try compareItems(oldShape, old[index], newShape, new[index])
                }
            }
            return
        }
        let (old, new) = (oldShape.uniqueItems(), newShape.uniqueItems())
        guard let pairs = commonMembers(old, new) else {
            return replace(try oldShape.node(), try newShape.node())
        }
        let (keptOld, keptNew) = (Set(pairs.map(\.old)), Set(pairs.map(\.new)))
        let path = session.nodePath
        for (index, item) in old.enumerated().reversed() where !keptOld.contains(index) {
            let node = try session.descend(.key(item.key)) { try oldShape.node(of: item) }
            note(.remove(path: path.appending(item.key), old: node, at: index))
        }
        for (index, item) in new.enumerated() where !keptNew.contains(index) {
            let node = try session.descend(.key(item.key)) { try newShape.node(of: item) }
            note(.add(path: path.appending(item.key), value: node, at: index))
        }
        for pair in pairs {
            let item = new[pair.new]
            try session.descend(.key(item.key)) { try compareItems(oldShape, old[pair.old], newShape, item) }
        }
    }

    /// The members that both have; `nil` where there are none, where they do not stand in the same order, or where a
    /// lone key makes the node look different.
    private func commonMembers(_ old: [Shape.Item], _ new: [Shape.Item]) -> [(old: Int, new: Int)]? {
        for items in [old, new] where items.count == 1 && Tag.isLikeTag(items[0].key) { return nil }
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

    private func compareElements(_ oldShape: Shape, _ newShape: Shape) throws {
        let (old, new) = (oldShape.items, newShape.items)
        let gaps = Alignment.gaps(old.count, new.count) { old[$0].isSurelySame(as: new[$1]) }
        for gap in gaps {
            if gap.old.count == gap.new.count {
                for (old, (index, new)) in zip(old[gap.old], zip(gap.new, new[gap.new])) {
                    try session.descend(.index(index)) { try compareItems(oldShape, old, newShape, new) }
                }
            } else {
                splice(
                    at: gap.new.lowerBound,
                    try gap.old.map { try oldShape.node(of: old[$0], at: .index($0)) },
                    try gap.new.map { try newShape.node(of: new[$0], at: .index($0)) }
                )
            }
        }
    }
}

extension Shape.Item {
    /// Whether two items are the same for sure, seen without encoding them.
    func isSurelySame(as other: Shape.Item) -> Bool {
        switch (content, other.content) {
        case (.node(let left), .node(let right)): left == right
        case (.double(let left), .double(let right)): left.bitPattern == right.bitPattern
        case (.field(let left), .field(let right)): left.holdsSameBits(as: right)
        default: false
        }
    }
}
