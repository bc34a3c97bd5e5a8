import HindsightTree

/// Makes a placeholder for each of some values: see ``Placeholders``.
struct PlaceholderMaker {
    typealias Made = (kind: Placeholders.Value.Kind, node: Node)

    private let nodes: [Node]
    private var random: Generator
    /// What no placeholder may be: the texts that occur, the names of members, and other placeholders.
    private var taken: Set<ScalarKey>
    private var made: [Node: Made] = [:]

    /// By how many days dates move back.
    private static let days = 400...6000
    /// How often to look for a text that is not taken, before it gets longer.
    private static let attempts = 50

    init(_ nodes: [Node], names: Set<ScalarKey>, seed: UInt64) {
        self.nodes = nodes
        random = Generator(state: seed)
        taken = names
        for case .string(let text) in nodes { taken.insert(ScalarKey(text)) }
    }

    mutating func make() -> [Node: Made] {
        makeDates()
        makeNumbers()
        makeTexts()
        var bytesTaken = Set(nodes)
        for case .data(let bytes) in nodes where !bytes.isEmpty {
            for _ in 0..<Self.attempts {
                let other = Node.data(bytes.map { _ in UInt8.random(in: 0...255, using: &random) })
                guard bytesTaken.insert(other).inserted else { continue }
                made[.data(bytes)] = (.data, other)
                break
            }
        }
        return made
    }

    // MARK: Dates

    private mutating func makeDates() {
        let offset = Double(Int.random(in: Self.days, using: &random)) * 86_400
        for case .string(let text) in nodes {
            guard let seconds = DateText.seconds(from: text), DateText.text(for: seconds) == text,
                let moved = DateText.text(for: seconds - offset), taken.insert(ScalarKey(moved)).inserted
            else { continue }
            made[.string(text)] = (.date, .string(moved))
        }
    }

    // MARK: Texts

    /// The letters at the beginning of a placeholder say which place its text has among all, so that they sort alike.
    private mutating func makeTexts() {
        var texts: [String] = []
        for case .string(let text) in nodes where made[.string(text)] == nil { texts.append(text) }
        texts.sort { left, right in
            let (first, second) = (left.lowercased(), right.lowercased())
            return first == second ? left < right : first < second
        }
        var (width, room) = (1, 26)
        while room < texts.count { (width, room) = (width + 1, room * 26) }
        for (rank, text) in texts.enumerated() {
            // Spread over the room, so that the first letters are not all the same.
            var rest = rank * (room / max(1, texts.count))
            var letters: [UInt8] = []
            for _ in 0..<width {
                letters.insert(UInt8(rest % 26), at: 0)
                rest /= 26
            }
            if let other = placeholder(for: text, letters) { made[.string(text)] = (.text, .string(other)) }
        }
    }

    private mutating func placeholder(for text: String, _ letters: [UInt8]) -> String? {
        let isHex = Self.isHex(text)
        var first: String?
        for attempt in 0..<Self.attempts {
            // Where the ordered letters are taken, others do.
            let other = shaped(like: text, isHex: isHex, isHex || attempt > 0 ? [] : letters)
            if other == text, first == nil {
                first = other
                // Nothing in it has another form.
                if shaped(like: text, isHex: isHex, []) == text { return nil }
            }
            if taken.insert(ScalarKey(other)).inserted { return other }
        }
        for _ in 0..<Self.attempts {
            let other = shaped(like: text, isHex: isHex, []) + String(letter(0x61))
            if taken.insert(ScalarKey(other)).inserted { return other }
        }
        return nil
    }

    private mutating func shaped(like text: String, isHex: Bool, _ letters: [UInt8]) -> String {
        var result = String.UnicodeScalarView()
        var next = letters[...]
        var isInNumber = false
        for scalar in text.unicodeScalars {
            let isDigit = ("0"..."9").contains(scalar)
            defer { isInNumber = isDigit }
            switch scalar {
            case "0"..."9" where isHex: result.append(digit(10))
            case "a"..."f" where isHex: result.append(Unicode.Scalar(0x61 + UInt8.random(in: 0..<6, using: &random)))
            case "A"..."F" where isHex: result.append(Unicode.Scalar(0x41 + UInt8.random(in: 0..<6, using: &random)))
            // A number keeps its length.
            case "1"..."9" where !isInNumber: result.append(digit(9, from: 1))
            case "0" where !isInNumber: result.append(scalar)
            case "0"..."9": result.append(digit(10))
            case "a"..."z": result.append(next.popFirst().map { Unicode.Scalar(0x61 + $0) } ?? letter(0x61))
            case "A"..."Z": result.append(next.popFirst().map { Unicode.Scalar(0x41 + $0) } ?? letter(0x41))
            default: result.append(scalar.isASCII ? scalar : other(than: scalar))
            }
        }
        return String(result)
    }

    private mutating func digit(_ count: UInt8, from first: UInt8 = 0) -> Unicode.Scalar {
        Unicode.Scalar(0x30 + first + UInt8.random(in: 0..<count, using: &random))
    }

    private mutating func letter(_ first: UInt8) -> Unicode.Scalar {
        Unicode.Scalar(first + UInt8.random(in: 0..<26, using: &random))
    }

    /// A scalar of as many bytes in UTF-8; the same for a space or a punctuation mark.
    private mutating func other(than scalar: Unicode.Scalar) -> Unicode.Scalar {
        if scalar.properties.isWhitespace { return scalar }
        // Tags, which write letters that are not shown.
        if (0xE0020...0xE007E).contains(scalar.value) {
            return Unicode.Scalar(UInt32.random(in: 0xE0061...0xE007A, using: &random)) ?? scalar
        }
        switch scalar.properties.generalCategory {
        case .dashPunctuation, .openPunctuation, .closePunctuation, .initialPunctuation, .finalPunctuation,
            .otherPunctuation, .connectorPunctuation, .format, .control:
            return scalar
        default: break
        }
        let range: ClosedRange<UInt32> =
            switch scalar.value {
            case ..<0x800: scalar.properties.isUppercase ? 0xC0...0xD6 : 0xE0...0xF6
            case ..<0x10000: 0x4E00...0x9FA5
            default: 0x1F600...0x1F64F
            }
        return Unicode.Scalar(UInt32.random(in: range, using: &random)) ?? scalar
    }

    /// Whether a text is a UUID, or a long hexadecimal number.
    private static func isHex(_ text: String) -> Bool {
        if text.isUUID { return true }
        guard text.utf8.count >= 16 else { return false }
        return text.allSatisfy { $0.isASCII && $0.isHexDigit } && text.contains { $0.isLetter }
    }

    // MARK: Numbers

    /// Numbers of the same shape keep their order. None stands for another one that occurs, so that one that must stay is
    /// not met again.
    private mutating func makeNumbers() {
        var groups: [String: [(node: Node, literal: String, digits: Int)]] = [:]
        for node in nodes {
            let literal: String
            switch node {
            case .int(let value) where !(-1...1).contains(value): literal = String(value)
            case .number(let text): literal = text
            default: continue
            }
            taken.insert(ScalarKey(literal))
            let (mantissa, exponent) = Self.parts(literal)
            // A fraction has as many zeros at its end as before.
            let zeros = Self.zeros(mantissa)
            let digits = mantissa.filter(\.isNumber).dropLast(zeros).drop { $0 == "0" }
            // A number without digits other than 0 says nothing.
            if digits.isEmpty { continue }
            guard let number = Int(digits), digits.count <= 17 else {
                makeLong(node, literal)
                continue
            }
            let form = String(mantissa.map { $0.isNumber ? "9" : $0 })
            groups["\(form) \(exponent) \(digits.count) \(zeros)", default: []].append((node, literal, number))
        }
        for (_, group) in groups.sorted(by: { $0.key < $1.key }) {
            let sorted = group.sorted { $0.digits < $1.digits }
            let isFraction = sorted[0].literal.contains(".")
            let numbers = free(sorted.count, sorted, endingInZero: !isFraction)
            for (entry, number) in zip(sorted, numbers) {
                guard let node = Self.node(entry.literal, String(number)), take(node) else { continue }
                made[entry.node] = (.number, node)
            }
        }
    }

    /// A number with more digits than an integer has keeps its length only.
    private mutating func makeLong(_ node: Node, _ literal: String) {
        let digits = Self.parts(literal).mantissa.filter(\.isNumber).drop { $0 == "0" }
        for _ in 0..<Self.attempts {
            let zeros = Self.zeros(Self.parts(literal).mantissa)
            var text = ""
            for index in digits.dropLast(zeros).indices {
                let isEdge = index == digits.startIndex || index == digits.dropLast(zeros).indices.last
                text.unicodeScalars.append(isEdge ? digit(9, from: 1) : digit(10))
            }
            guard let other = Self.node(literal, text) else { continue }
            // An integer keeps its type.
            if case .int = node { guard case .int = other else { continue } }
            if UInt64(literal) != nil, case .number(let text) = other, UInt64(text) == nil { continue }
            if take(other) {
                made[node] = (.number, other)
                return
            }
        }
    }

    private mutating func take(_ number: Node) -> Bool {
        let literal =
            switch number {
            case .int(let value): String(value)
            case .number(let text): text
            default: ""
            }
        return taken.insert(ScalarKey(literal)).inserted
    }

    /// Random numbers as long as those of a group, in order, none of which is in it; none if there are too few.
    private mutating func free(
        _ count: Int,
        _ group: [(node: Node, literal: String, digits: Int)],
        endingInZero: Bool
    ) -> [Int] {
        let number = group[0].digits
        var low = 1
        while low <= number / 10 { low *= 10 }
        // 1 stands for itself.
        let range = (low == 1 ? 2 : low)...(low * 10 - 1)
        let used = Set(group.map(\.digits))
        func isFree(_ number: Int) -> Bool { (endingInZero || number % 10 != 0) && !used.contains(number) }
        guard range.count > count * 8 else {
            let all = range.filter(isFree)
            return all.count < count ? [] : all.shuffled(using: &random).prefix(count).sorted()
        }
        var found: Set<Int> = []
        while found.count < count {
            let number = Int.random(in: range, using: &random)
            if isFree(number) { found.insert(number) }
        }
        return found.sorted()
    }

    /// The number of zeros at the end of a fraction.
    private static func zeros(_ mantissa: Substring) -> Int {
        mantissa.contains(".") ? mantissa.reversed().prefix { $0 == "0" }.count : 0
    }

    private static func parts(_ literal: String) -> (mantissa: Substring, exponent: Substring) {
        let end = literal.firstIndex { $0 == "e" || $0 == "E" } ?? literal.endIndex
        return (literal[..<end], literal[end...])
    }

    /// A literal with other digits; `nil` if a codec would write it in another form.
    private static func node(_ literal: String, _ number: String) -> Node? {
        let (mantissa, exponent) = parts(literal)
        let places = mantissa.count(where: \.isNumber)
        let text = number + String(repeating: "0", count: zeros(mantissa))
        var digits = (String(repeating: "0", count: max(0, places - text.utf8.count)) + text)[...]
        var result = ""
        for character in mantissa {
            if character.isNumber, let digit = digits.popFirst() {
                result.append(digit)
            } else {
                result.append(character)
            }
        }
        result += exponent
        if let value = Int(result) { return .int(value) }
        // A double is written with as few digits as it needs.
        if let old = Double(literal), let new = Double(result), "\(old)" == literal { result = "\(new)" }
        return .number(result)
    }
}

/// A random generator (SplitMix64) whose numbers a seed decides.
private struct Generator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
