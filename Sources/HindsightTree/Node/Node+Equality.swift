extension Node: Hashable {
    /// Whether both have the same JSON text.
    ///
    /// Costs a walk over both, up to the first difference. Strings and data are compared at memory speed.
    public static func == (left: Node, right: Node) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.int(let left), .int(let right)): left == right
        case (.number(let left), .number(let right)), (.string(let left), .string(let right)):
            left.hasSameScalars(as: right)
        case (.int(let int), .number(let literal)), (.number(let literal), .int(let int)):
            literal.hasSameScalars(as: String(int))
        case (.data(let left), .data(let right)):
            left.withUnsafeBufferPointer { left in right.withUnsafeBufferPointer { left.hasSameBytes(as: $0) } }
        case (.array(let left), .array(let right)): left == right
        case (.object(let left), .object(let right)): left == right
        default: false
        }
    }

    public func hash(into hasher: inout Hasher) {
        switch self {
        case .null:
            hasher.combine(0)
        case .bool(let value):
            hasher.combine(1)
            hasher.combine(value)
        case .int(let value):
            hasher.combine(2)
            hasher.combine(value)
        case .number(let literal):
            // The literal of an integer is equal to the integer, so it must hash the same.
            if let int = Int(literal), literal.hasSameScalars(as: String(int)) {
                hasher.combine(2)
                hasher.combine(int)
            } else {
                hasher.combine(3)
                literal.hashScalars(into: &hasher)
            }
        case .string(let value):
            hasher.combine(4)
            value.hashScalars(into: &hasher)
        case .data(let bytes):
            hasher.combine(5)
            hasher.combine(bytes.count)
            bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
        case .array(let elements):
            hasher.combine(6)
            hasher.combine(elements)
        case .object(let members):
            hasher.combine(7)
            hasher.combine(members)
        }
    }

    /// Whether both are equal apart from the order of members, at any depth.
    ///
    /// Costs what `==` costs, and a sort of the keys of each object whose members are in another order.
    package func isEquivalent(to other: Node) -> Bool {
        switch (self, other) {
        case (.array(let left), .array(let right)):
            return left.count == right.count && zip(left, right).allSatisfy { $0.isEquivalent(to: $1) }
        case (.object(let left), .object(let right)):
            guard left.count == right.count else { return false }
            if zip(left, right).allSatisfy({ $0.key.hasSameScalars(as: $1.key) }) {
                return zip(left, right).allSatisfy { $0.value.isEquivalent(to: $1.value) }
            }
            return zip(left.sortedByKey(), right.sortedByKey()).allSatisfy {
                $0.key.hasSameScalars(as: $1.key) && $0.value.isEquivalent(to: $1.value)
            }
        default:
            return self == other
        }
    }
}

extension Node.Member: Hashable {
    public static func == (left: Node.Member, right: Node.Member) -> Bool {
        left.key.hasSameScalars(as: right.key) && left.value == right.value
    }

    public func hash(into hasher: inout Hasher) {
        key.hashScalars(into: &hasher)
        hasher.combine(value)
    }
}

extension Node {
    /// Hashes so that equivalent nodes hash the same.
    func hashEquivalently(into hasher: inout Hasher) {
        switch self {
        case .array(let elements):
            hasher.combine(6)
            hasher.combine(elements.count)
            for element in elements { element.hashEquivalently(into: &hasher) }
        case .object(let members):
            hasher.combine(7)
            var sum = 0
            for member in members {
                var inner = Hasher()
                member.key.hashScalars(into: &inner)
                member.value.hashEquivalently(into: &inner)
                sum &+= inner.finalize()
            }
            hasher.combine(sum)
        default:
            hash(into: &hasher)
        }
    }
}
