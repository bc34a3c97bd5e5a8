import HindsightSQLite
import HindsightTree

/// Numbers of states as SQLite's values, without loss.
///
/// An integer of 64 bits is an INTEGER, whatever its scale. Another number is a REAL if no digit is lost, and otherwise TEXT with all digits
/// and a mark that ``compare(_:_:)`` knows.
enum ExactNumber {
    /// The mark of text that is a number.
    static let mark = UInt8(ascii: "N")

    /// The nearest `Double`, if its shortest form has the same value.
    private static func double(_ literal: String) -> Double? {
        guard let double = Double(literal), double.isFinite else { return nil }
        return Node.order(ofNumber: literal, "\(double)") == 0 ? double : nil
    }

    /// Whether SQLite rounds a number. It reports other texts that are no numbers.
    static func isRounded(_ literal: String) -> Bool {
        literal.utf8.allSatisfy { "0123456789.eE+-".utf8.contains($0) } && Int64(literal) == nil
            && double(literal) == nil
    }

    static func value(of literal: String) -> SQLValue {
        // A decimal keeps its scale: 100 may be 1e2.
        if let integer = Int64(literal) ?? Int64(DecimalText.plain(literal)) { return .integer(integer) }
        return double(literal).map { .real($0) } ?? .marked(literal, mark)
    }

    /// Less than, equal to or more than 0, in SQLite's order: numbers, texts, blobs. Numbers are compared exactly. `nil`
    /// if one is null.
    static func compare(_ left: SQLValue, _ right: SQLValue) -> Int? {
        switch (left, right) {
        case (.null, _), (_, .null): return nil
        case (.integer(let left), .integer(let right)): return left < right ? -1 : left == right ? 0 : 1
        case (.real(let left), .real(let right)): return left < right ? -1 : left == right ? 0 : 1
        case (.blob(let left), .blob(let right)):
            if left == right { return 0 }
            return left.lexicographicallyPrecedes(right) ? -1 : 1
        default: break
        }
        if let left = literal(left), let right = literal(right) { return Node.order(ofNumber: left, right) }
        let ranks = (rank(of: left), rank(of: right))
        if ranks == (1, 1), let left = left.text, let right = right.text {
            if left.utf8.elementsEqual(right.utf8) { return 0 }
            return left.utf8.lexicographicallyPrecedes(right.utf8) ? -1 : 1
        }
        return ranks.0 - ranks.1
    }

    /// The digits of a number; `nil` if it is none.
    private static func literal(_ value: SQLValue) -> String? {
        switch value {
        case .integer(let integer): String(integer)
        case .real(let double) where double.isFinite: "\(double)"
        case .real(let double): double < 0 ? "-1e999999999" : "1e999999999"
        case .marked(let literal, mark): literal
        case .null, .text, .marked, .blob: nil
        }
    }

    private static func rank(of value: SQLValue) -> Int {
        switch value {
        case .null: -1
        case .integer, .real, .marked(_, mark): 0
        case .text, .marked: 1
        case .blob: 2
        }
    }
}

extension [ExpressionToken] {
    /// Whether the value at a token may lose digits, because the text asks for it: `cast(/total as real)`.
    func mayRound(_ index: Int) -> Bool {
        let first = index > 0 && self[index - 1].isSymbol("-") ? index - 1 : index
        return first > 1 && self[first - 1].isSymbol("(") && self[first - 2].isWord(["cast"])
    }

    /// Whether SQLite rounds the number at a token, although the text does not ask for it.
    func isRounded(_ index: Int) -> Bool {
        guard self[index].kind == .number, !mayRound(index) else { return false }
        // The least INTEGER is one only together with its sign.
        let isNegative = index > 0 && self[index - 1].isSymbol("-") && !(index > 1 && self[index - 2].endsValue)
        return ExactNumber.isRounded((isNegative ? "-" : "") + self[index].text)
    }
}

extension SQLValue {
    /// Fails for a number that SQLite would take for a text, or round.
    func checkExact(_ path: NodePath) throws(ExpressionError) {
        guard case .marked(_, ExactNumber.mark) = self else { return }
        throw ExpressionError(
            .failed,
            "\(path) is \(inWords), which SQLite would round.",
            suggestion: "Only a direct comparison is exact, as in \(path) = 0. To round it: cast(\(path) as real)"
        )
    }
}
