import HindsightTree

/// What an expression reads of a payload.
extension ExpressionTranslation {
    /// The place in the payload that the column at a token is read for, and nothing else: `payload ->> '$.add.title'`.
    ///
    /// Only paths of plain names and indices are understood, and no subqueries, in which `payload` may be another column.
    func payloadPath(at index: Int) -> NodePath? {
        guard tokens[index].isWord(["payload"]), !hasSubquery, let sign = token(index + 1),
            let argument = token(index + 2), argument.kind == .string
        else { return nil }
        let text = argument.stringContents
        if sign.isSymbol("->") || sign.isSymbol("->>") {
            // Operators such as || bind as tightly, and take the whole payload.
            let isFirst =
                token(index - 1).map { before in
                    before.isSymbol("(") || before.isSymbol(",") || before.isWord(Self.wordsBefore)
                        || before.kind == .symbol && Self.operators.contains(before.text)
                } ?? true
            guard isFirst else { return nil }
            return Self.isPlainName(text[...]) ? NodePath([text]) : Self.path(text)
        }
        guard sign.isSymbol(","), token(index + 3)?.isSymbol(")") ?? false, token(index - 1)?.isSymbol("(") ?? false,
            token(index - 2)?.isWord(["json_extract"]) ?? false
        else { return nil }
        return Self.path(text)
    }

    /// The place that a path of SQLite's JSON functions names: `$.add.tags[0]`; `nil` if it is not plain.
    static func path(_ text: String) -> NodePath? {
        guard text.first == "$" else { return nil }
        var names: [String] = []
        var rest = text.dropFirst()
        while let first = rest.popFirst() {
            if first == "." {
                let name = rest.prefix { $0 != "." && $0 != "[" }
                guard isPlainName(name) else { return nil }
                names.append(String(name))
                rest = rest.dropFirst(name.count)
            } else {
                let digits = rest.prefix { $0 != "]" }
                guard first == "[", let index = Int(digits), index >= 0, String(index) == digits,
                    rest.count > digits.count
                else { return nil }
                names.append(String(index))
                rest = rest.dropFirst(digits.count + 1)
            }
        }
        return NodePath(names)
    }

    private static func isPlainName(_ name: Substring) -> Bool {
        guard let first = name.utf8.first, first > UInt8(ascii: "9") else { return false }
        return name.utf8.allSatisfy(\.isWordByte)
    }
}
