// Moving the payload out of a node, so that it has one reference and changes in place.
//
// If a `switch` binds a payload, the node and the binding both refer to it, and the compiler may keep the node's
// reference for longer than it is needed. One change would then copy 100,000 neighbours. After a function returns, only
// its result refers to the payload.

extension Node {
    /// Moves the elements out, and leaves `null`; none if this is no array.
    @inline(never)
    mutating func extractElements() -> [Node] {
        guard case .array(let elements) = take() else { return [] }
        return elements
    }

    /// Moves the members out, and leaves `null`; none if this is no object.
    @inline(never)
    mutating func extractMembers() -> [Member] {
        guard case .object(let members) = take() else { return [] }
        return members
    }

    /// Moves the string out, and leaves `null`; empty if this is none.
    @inline(never)
    mutating func extractString() -> String {
        guard case .string(let string) = take() else { return "" }
        return string
    }

    /// Moves the data out, and leaves `null`; empty if this is none.
    @inline(never)
    mutating func extractData() -> [UInt8] {
        guard case .data(let data) = take() else { return [] }
        return data
    }

    /// The number of elements; `nil` if this is no array.
    var elementCount: Int? {
        guard case .array(let elements) = self else { return nil }
        return elements.count
    }

    /// The number of members; `nil` if this is no object.
    var memberCount: Int? {
        guard case .object(let members) = self else { return nil }
        return members.count
    }

    /// The index of the member `key`; `nil` if this is no object or has no such member.
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
