extension Node {
    /// Whether this node comes before `other` in the canonical order.
    ///
    /// The order is total and the same in every process: null, then booleans (false first), numbers (by their exact
    /// decimal value, then by their literal), strings (by UTF-8 bytes), data (by bytes), arrays (element by element),
    /// objects (member by member: key, then value). A prefix comes before what it is a prefix of. Sets, and the keys
    /// of dictionaries, are sorted in this order.
    func precedes(_ other: Node) -> Bool {
        order(of: other) < 0
    }

    /// Less than, equal to or more than 0 as this node comes before, equals or comes after `other`.
    func order(of other: Node) -> Int {
        switch (self, other) {
        case (.null, .null): return 0
        case (.bool(let left), .bool(let right)): return (left ? 1 : 0) - (right ? 1 : 0)
        case (.int(let left), .int(let right)): return left < right ? -1 : left == right ? 0 : 1
        case (.int(let left), .number(let right)): return Self.order(ofLiteral: String(left), to: right)
        case (.number(let left), .int(let right)): return Self.order(ofLiteral: left, to: String(right))
        case (.number(let left), .number(let right)): return Self.order(ofLiteral: left, to: right)
        case (.string(let left), .string(let right)): return left.order(byScalarsOf: right)
        case (.data(let left), .data(let right)):
            return left.withUnsafeBufferPointer { left in right.withUnsafeBufferPointer { left.order(byBytesOf: $0) } }
        case (.array(let left), .array(let right)):
            for (left, right) in zip(left, right) {
                let order = left.order(of: right)
                if order != 0 { return order }
            }
            return left.count - right.count
        case (.object(let left), .object(let right)):
            for (left, right) in zip(left, right) {
                let order = left.key.order(byScalarsOf: right.key)
                if order != 0 { return order }
                let valueOrder = left.value.order(of: right.value)
                if valueOrder != 0 { return valueOrder }
            }
            return left.count - right.count
        default: return rank - other.rank
        }
    }

    /// Less than, equal to or more than 0 as a JSON number is less than, equal to or more than another, by their exact
    /// values.
    package static func order(ofNumber left: String, _ right: String) -> Int {
        DecimalLiteral(left).order(of: DecimalLiteral(right))
    }

    private var rank: Int {
        switch self {
        case .null: 0
        case .bool: 1
        case .int, .number: 2
        case .string: 3
        case .data: 4
        case .array: 5
        case .object: 6
        }
    }

    private static func order(ofLiteral left: String, to right: String) -> Int {
        let order = DecimalLiteral(left).order(of: DecimalLiteral(right))
        return order != 0 ? order : left.order(byScalarsOf: right)
    }
}

/// The exact value of a JSON number: ± 0.d₁d₂d₃… × 10^`exponent`, without leading and trailing zeros.
///
/// An exponent beyond 2^56 counts as 2^56. The text of two literals tells apart those that differ only beyond.
private struct DecimalLiteral {
    var isNegative = false
    var digits: ArraySlice<UInt8>
    var exponent = 0

    init(_ literal: String) {
        var mantissa: [UInt8] = []
        var pointPlace: Int?
        var written: Int?
        var isExponentNegative = false
        for byte in literal.utf8 {
            switch byte {
            case UInt8(ascii: "-"):
                if written == nil { isNegative = true } else { isExponentNegative = true }
            case UInt8(ascii: "."):
                pointPlace = mantissa.count
            case UInt8(ascii: "e"), UInt8(ascii: "E"):
                written = 0
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                guard let value = written else {
                    mantissa.append(byte)
                    continue
                }
                // The limit keeps the next digit, and the sum below, from overflowing.
                written = min(value * 10 + Int(byte - UInt8(ascii: "0")), 1 << 56)
            default:
                break
            }
        }
        let zeros = mantissa.prefix { $0 == UInt8(ascii: "0") }.count
        digits = mantissa.dropFirst(zeros)
        while digits.last == UInt8(ascii: "0") { digits.removeLast() }
        if digits.isEmpty {
            isNegative = false
        } else {
            let power = written ?? 0
            exponent = (pointPlace ?? mantissa.count) - zeros + (isExponentNegative ? -power : power)
        }
    }

    func order(of other: DecimalLiteral) -> Int {
        if sign != other.sign { return sign - other.sign }
        let magnitude =
            exponent != other.exponent
            ? (exponent < other.exponent ? -1 : 1)
            : digits.withUnsafeBufferPointer { left in
                other.digits.withUnsafeBufferPointer { left.order(byBytesOf: $0) }
            }
        return sign < 0 ? -magnitude : magnitude
    }

    private var sign: Int { digits.isEmpty ? 0 : isNegative ? -1 : 1 }
}
