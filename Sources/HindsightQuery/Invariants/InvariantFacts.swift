import HindsightTree

/// What has held so far of the values of one variable.
struct InvariantFacts {
    /// How often a value was looked at because it was written or new.
    private(set) var checks = 0
    private(set) var first: InvariantValue?
    private(set) var isConstant = true
    /// The least number, the largest one, and how often the value came to each.
    private(set) var (least, greatest) = (Double.infinity, -Double.infinity)
    private(set) var (leastCount, greatestCount) = (0, 0)
    /// The texts, unless there are too many.
    private(set) var texts: [InvariantValue]? = []
    private(set) var hasBeenEmpty = false
    /// How often the value rose, and how often it fell.
    private(set) var (rises, falls) = (0, 0)
    private var numbers = 0
    /// Whether there was a value that cannot be compared.
    private(set) var hasOther = false

    private static let mostTexts = 5

    /// Whether all values were numbers, apart from absent ones.
    var isNumber: Bool { numbers > 0 && numbers == checks }

    /// Takes a value.
    ///
    /// - Parameter old: The value before it at the same place; `nil` if it is not known.
    mutating func take(_ value: InvariantValue, after old: InvariantValue?) {
        switch (old, value) {
        case (.number(let old), .number(let new)): count(old, new)
        case (.count(let old), .count(let new)): count(Double(old), Double(new))
        default: break
        }
        if value.isNone {
            // A rule about a value says nothing of where there is none. A constant one is there.
            isConstant = false
            return
        }
        checks += 1
        if let first { isConstant = isConstant && first == value } else { first = value }
        if value == .other { (isConstant, hasOther) = (false, true) }
        if value.isEmpty { hasBeenEmpty = true }
        if let number = value.number {
            numbers += 1
            if number < least { (least, leastCount) = (number, 0) }
            if number > greatest { (greatest, greatestCount) = (number, 0) }
            if number == least { leastCount += 1 }
            if number == greatest { greatestCount += 1 }
        }
        if let texts, !texts.contains(value) {
            self.texts = value.isShortText && texts.count < Self.mostTexts ? texts + [value] : nil
        }
    }

    private mutating func count(_ old: Double, _ new: Double) {
        if new > old { rises += 1 }
        if new < old { falls += 1 }
    }
}

/// Whether an optional value is absent exactly where another value is something.
struct NullRule {
    /// What the other value may be.
    enum Condition: CaseIterable { case null, present, isTrue, isFalse, empty, filled, text, otherText }

    let optional: Int
    let other: Int
    private(set) var conditions: [Condition]
    /// The texts of the other value while the first is absent, and while it is not.
    private(set) var (absentTexts, presentTexts): ([InvariantValue], [InvariantValue]) = ([], [])
    /// How often the first value came or went.
    private(set) var turns = 0
    private var wasAbsent: Bool?

    private static let mostTexts = 8

    init?(_ optional: Int, _ other: Int, of variables: [InvariantScope.Variable]) {
        (self.optional, self.other) = (optional, other)
        let (x, y) = (variables[optional], variables[other])
        guard optional != other, x.isOptional, !x.isCase, !x.path.contains(y.path), !y.path.contains(x.path) else {
            return nil
        }
        var conditions: [Condition] = []
        // Two optional values are one pair.
        if y.isCase || y.isOptional && optional < other { conditions += [.null, .present] }
        if y.isBool { conditions += [.isTrue, .isFalse] }
        if y.kind == .container { conditions += [.empty, .filled] }
        if y.isText { conditions += [.text, .otherText] }
        if conditions.isEmpty { return nil }
        self.conditions = conditions
    }

    var isAlive: Bool { !conditions.isEmpty }

    mutating func check(_ values: [InvariantValue]) {
        let (isAbsent, value) = (values[optional].isNone, values[other])
        if let wasAbsent, wasAbsent != isAbsent { turns += 1 }
        wasAbsent = isAbsent
        if value.isText, absentTexts.count <= Self.mostTexts, presentTexts.count <= Self.mostTexts {
            if isAbsent {
                if !absentTexts.contains(value) { absentTexts.append(value) }
            } else if !presentTexts.contains(value) {
                presentTexts.append(value)
            }
        }
        let isText = value.isText
        let areFew = absentTexts.count <= Self.mostTexts && presentTexts.count <= Self.mostTexts
        let areApart = areFew && !absentTexts.contains(where: presentTexts.contains)
        conditions.removeAll { condition in
            switch condition {
            case .null: isAbsent != value.isNone
            case .present: isAbsent == value.isNone
            case .isTrue: isAbsent != (value == .bool(true))
            case .isFalse: isAbsent != (value == .bool(false))
            case .empty: isAbsent != (!value.isNone && value.isEmpty)
            case .filled: isAbsent != (!value.isNone && !value.isEmpty)
            case .text: !areApart || absentTexts.count > 1 || isAbsent && !isText
            case .otherText: !areApart || presentTexts.count > 1 || !isAbsent && !isText
            }
        }
    }
}

/// Whether a number is another one, or what one computes from others.
struct EqualRule {
    enum Source: Hashable {
        case same(Int)
        case total(Int, Int)
        case sum(container: Int, field: Int)
        case number(of: Int)
        case numberWhere(container: Int, field: Int, Bool)
    }

    let target: Int
    let source: Source
    /// How often the target got another value.
    private(set) var turns = 0
    private(set) var isAlive = true
    private var last: InvariantValue?

    /// By which part of it a sum may differ: fractions are sums of powers of two.
    static let tolerance = 1e-9

    init(_ target: Int, _ source: Source) { (self.target, self.source) = (target, source) }

    /// The variables on which it depends.
    var variables: [Int] {
        switch source {
        case .same(let other): [target, other]
        case .total(let left, let right): [target, left, right]
        case .sum(let container, _), .number(let container), .numberWhere(let container, _, _): [target, container]
        }
    }

    /// - Parameter expected: What the source gives; `none` if that is nothing.
    mutating func check(_ value: InvariantValue, _ expected: InvariantValue) {
        guard !value.isNone, !expected.isNone else { return }
        guard value != .other, expected != .other else {
            isAlive = false
            return
        }
        if let last, last != value { turns += 1 }
        last = value
        if case .same = source {
            isAlive = value == expected
        } else if let number = value.number, let other = expected.number {
            isAlive = abs(number - other) <= Self.tolerance * abs(number)
        } else {
            isAlive = false
        }
    }
}

/// Whether a value is a key of a dictionary, or stands in each element of a container.
struct MemberRule {
    let value: Int
    /// The container, in the same scope or in the whole state.
    let container: Int
    let isInRoot: Bool
    /// The variable of the elements; `nil` for the keys.
    let field: Int?
    private(set) var checks = 0
    private(set) var values: Set<InvariantValue> = []
    var isAlive = true

    init(_ value: Int, in container: Int, isInRoot: Bool, field: Int?) {
        (self.value, self.container, self.isInRoot, self.field) = (value, container, isInRoot, field)
    }

    mutating func note(_ value: InvariantValue) {
        checks += 1
        if values.count < 8 { values.insert(value) }
    }
}

/// Whether no two elements of a container have the same value.
struct UniqueRule {
    let container: Int
    let field: Int
    /// How often there were several values, and other ones than before.
    private(set) var checks = 0
    var isAlive = true
    private var last: Set<InvariantValue> = []

    init(container: Int, field: Int) { (self.container, self.field) = (container, field) }

    mutating func note(_ values: Set<InvariantValue>) {
        if values.count > 1, values != last { checks += 1 }
        last = values
    }
}
