extension Node {
    /// The node at `path`; `nil` where nothing is there.
    ///
    /// An element's index is written without zeros in front. Costs a step a name: a comparison a member of the objects
    /// on the way, less where their members are many and sorted.
    public subscript(path: NodePath) -> Node? {
        var node = self
        for component in path.components {
            switch node {
            case .array(let elements):
                guard let index = NodePath.index(component), index < elements.count else { return nil }
                node = elements[index]
            case .object(let members):
                guard let index = members.index(ofKey: component) else { return nil }
                node = members[index].value
            default:
                return nil
            }
        }
        return node
    }
}

extension NodePath {
    /// The index that `component` is: digits only, no zeros in front, small enough for an `Int`.
    static func index(_ component: String) -> Int? {
        let digits = component.utf8
        guard let first = digits.first, first != UInt8(ascii: "0") || digits.count == 1,
            digits.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 })
        else { return nil }
        return Int(component)
    }
}
