// Taking the contents out of a node, so that nobody else holds them and they change in place.
//
// A payload that a `switch` binds is held by the node and by the binding, and the compiler may keep the node's hold for
// longer than it is needed; one change would then copy 100,000 neighbours. So contents are taken out in functions of
// their own: when these return, nothing but their result holds what they took.

extension Node {
    /// The elements; none where this is no array. What is left is null.
    @inline(never)
    mutating func takeElements() -> [Node] {
        guard case .array(let elements) = take() else { return [] }
        return elements
    }

    /// The members; none where this is no object. What is left is null.
    @inline(never)
    mutating func takeMembers() -> [Member] {
        guard case .object(let members) = take() else { return [] }
        return members
    }

    /// The string; empty where this is none. What is left is null.
    @inline(never)
    mutating func takeString() -> String {
        guard case .string(let string) = take() else { return "" }
        return string
    }

    /// The data; empty where this is none. What is left is null.
    @inline(never)
    mutating func takeData() -> [UInt8] {
        guard case .data(let data) = take() else { return [] }
        return data
    }

    /// How many elements there are; `nil` where this is no array.
    var elementCount: Int? {
        guard case .array(let elements) = self else { return nil }
        return elements.count
    }

    /// How many members there are; `nil` where this is no object.
    var memberCount: Int? {
        guard case .object(let members) = self else { return nil }
        return members.count
    }

    /// The place of the member `key`; `nil` where this is no object or has no such member.
    func memberIndex(ofKey key: String) -> Int? {
        guard case .object(let members) = self else { return nil }
        return members.index(ofKey: key)
    }

    private mutating func take() -> Node {
        var taken = Node.null
        swap(&self, &taken)
        return taken
    }
}
