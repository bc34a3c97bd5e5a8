import HindsightTree

/// Splits an expression into tokens, as SQLite does, with JSON Pointers as tokens of their own.
///
/// A slash divides if a value stands before it, such as a name, a number or a closing parenthesis. Otherwise it begins a
/// pointer. A pointer goes on over letters, digits, `_ ~ . $ @ :`, everything beyond ASCII, slashes, and over `-` if one
/// of these stands after it; so subtraction needs a space: `/a - 1`.
struct ExpressionTokenizer {
    private let text: String
    private let bytes: [UInt8]
    private let isStatement: Bool
    private var at = 0
    private var tokens: [ExpressionToken] = []

    private init(_ text: String, isStatement: Bool) {
        self.text = text
        self.isStatement = isStatement
        bytes = Array(text.utf8)
    }

    /// The tokens of a text, without spaces and comments.
    ///
    /// - Parameter isStatement: Whether it is a whole statement of SQL.
    static func tokens(of text: String, isStatement: Bool = false) throws(ExpressionError) -> [ExpressionToken] {
        var tokenizer = ExpressionTokenizer(text, isStatement: isStatement)
        while try tokenizer.next() {}
        for token in tokenizer.tokens where token.isInternalName {
            throw tokenizer.mistake("The name \(token.text) is not available here.", at: token.offset)
        }
        return tokenizer.tokens
    }

    private func mistake(_ reason: String, at offset: Int, suggestion: String? = nil) -> ExpressionError {
        ExpressionError(.syntax, in: text, at: offset, reason, suggestion: suggestion)
    }

    private func byte(_ index: Int) -> UInt8? { index < bytes.count ? bytes[index] : nil }

    private mutating func add(_ kind: ExpressionToken.Kind, upTo end: Int) {
        let text = String(decoding: bytes[at..<end], as: UTF8.self)
        tokens.append(ExpressionToken(kind: kind, text: text, offset: at))
        at = end
    }

    /// Reads a token, or space; `false` at the end.
    private mutating func next() throws(ExpressionError) -> Bool {
        guard let first = byte(at) else { return false }
        switch first {
        case 0:
            throw mistake("A NUL cannot stand in \(isStatement ? "a statement" : "an expression").", at: at)
        case UInt8(ascii: " "), 0x09, 0x0A, 0x0C, 0x0D:
            at += 1
        case UInt8(ascii: "'"):
            add(.string, upTo: try end(ofQuotedFrom: at, "text"))
        case UInt8(ascii: "\""), UInt8(ascii: "`"):
            add(.quotedName, upTo: try end(ofQuotedFrom: at, "name"))
        case UInt8(ascii: "["):
            guard let end = bytes[at...].firstIndex(of: UInt8(ascii: "]")) else {
                throw mistake("This name in brackets has no ] at its end.", at: at)
            }
            add(.quotedName, upTo: end + 1)
        case UInt8(ascii: "x"), UInt8(ascii: "X"):
            if byte(at + 1) == UInt8(ascii: "'") {
                add(.blob, upTo: try end(ofQuotedFrom: at + 1, "blob"))
            } else {
                readWord()
            }
        case UInt8(ascii: "0")...UInt8(ascii: "9"):
            readNumber()
        case UInt8(ascii: ".") where byte(at + 1).map(\.isDigit) ?? false:
            readNumber()
        case UInt8(ascii: "-") where byte(at + 1) == UInt8(ascii: "-"):
            at = bytes[at...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
        case UInt8(ascii: "/") where byte(at + 1) == UInt8(ascii: "*"):
            try skipComment()
        case UInt8(ascii: "/") where !(tokens.last?.endsValue ?? false):
            try readPointer()
        case UInt8(ascii: "?"), UInt8(ascii: "@"), UInt8(ascii: "$"), UInt8(ascii: "#"), UInt8(ascii: ":"):
            throw mistake("Parameters such as ?1 and :name cannot stand here: nothing gives them a value.", at: at)
        case UInt8(ascii: "&") where byte(at + 1) == UInt8(ascii: "&"):
            throw mistake("SQLite has no &&. Write AND.", at: at)
        case UInt8(ascii: "!") where byte(at + 1) != UInt8(ascii: "="):
            throw mistake("SQLite has no !. Write NOT.", at: at)
        case UInt8(ascii: ";") where !isStatement:
            throw ExpressionError(
                .statement,
                in: text,
                at: at,
                "An expression has no semicolon: it is what may stand after WHERE."
            )
        case let first where first.isNameByte:
            readWord()
        default:
            readSymbol()
        }
        return true
    }

    private func end(ofQuotedFrom start: Int, _ noun: String) throws(ExpressionError) -> Int {
        let quote = bytes[start]
        var index = start + 1
        while let byte = byte(index) {
            index += 1
            guard byte == quote else { continue }
            guard self.byte(index) == quote else { return index }
            index += 1
        }
        throw mistake("This \(noun) has no \(Character(UnicodeScalar(quote))) at its end.", at: start)
    }

    private mutating func skipComment() throws(ExpressionError) {
        guard let end = bytes[(at + 2)...].firstRange(of: Array("*/".utf8))?.upperBound else {
            throw mistake("This comment has no */ at its end.", at: at)
        }
        at = end
    }

    private mutating func readWord() {
        var end = at
        while let byte = byte(end), byte.isNameByte || byte.isDigit || byte == UInt8(ascii: "$") { end += 1 }
        add(.word, upTo: end)
    }

    private mutating func readNumber() {
        var end = at
        // Letters directly after the digits are a mistake, which SQLite reports.
        let isHex = byte(at + 1).map { $0 | 0x20 == UInt8(ascii: "x") } ?? false
        while let byte = byte(end) {
            let isSign = byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-")
            let followsE = end > at && (bytes[end - 1] | 0x20) == UInt8(ascii: "e") && !isHex
            guard byte.isDigit || byte.isNameByte || byte == UInt8(ascii: ".") || isSign && followsE else { break }
            end += 1
        }
        add(.number, upTo: end)
    }

    private mutating func readPointer() throws(ExpressionError) {
        var end = at
        while let byte = byte(end) {
            if byte == UInt8(ascii: "-") {
                guard let next = self.byte(end + 1), next.isPointerByte else { break }
            } else if !byte.isPointerByte && byte != UInt8(ascii: "/") {
                break
            }
            end += 1
        }
        let pointer = String(decoding: bytes[at..<end], as: UTF8.self)
        if byte(end) == UInt8(ascii: "*"), bytes[end - 1] == UInt8(ascii: "/") {
            let list = end - 1 > at ? String(decoding: bytes[at..<end - 1], as: UTF8.self) : "/items"
            throw ExpressionError(
                .badPath,
                in: text,
                at: end,
                "A path in an expression names one place, so * cannot stand in it.",
                suggestion: "For all elements: exists (select 1 from json_each(\(list)) where value ->> 'name' = 1)"
            )
        }
        if pointer == "/" {
            throw ExpressionError(
                .badPath,
                in: text,
                at: at,
                "A path needs a name after the /, as in /cart/total.",
                suggestion: "value('') is the whole state."
            )
        }
        guard NodePath(pointer) != nil else {
            throw ExpressionError(
                .badPath,
                in: text,
                at: at,
                "This is no path: in a name, ~0 stands for a tilde and ~1 for a slash, and no other ~ may stand."
            )
        }
        add(.pointer, upTo: end)
    }

    private mutating func readSymbol() {
        let three = String(decoding: bytes[at..<min(at + 3, bytes.count)], as: UTF8.self)
        for symbol in ["->>", "->", "||", "<<", ">>", "<=", ">=", "<>", "!=", "=="] where three.hasPrefix(symbol) {
            return add(.symbol, upTo: at + symbol.utf8.count)
        }
        add(.symbol, upTo: at + 1)
    }
}

extension UInt8 {
    var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }

    /// Whether a name may begin with this byte.
    var isNameByte: Bool {
        self >= 0x80 || self == UInt8(ascii: "_") || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20)
    }

    /// Whether this is a letter or a digit of ASCII, or `_`.
    var isWordByte: Bool { self < 0x80 && (isNameByte || isDigit) }

    /// Whether this byte may stand in a name of a pointer.
    fileprivate var isPointerByte: Bool { isNameByte || isDigit || "~.$@:".utf8.contains(self) }
}
