import HindsightTree

/// Where a page of an answer begins. Opaque to clients, who send it back as they got it.
struct ModelContextCursor: Equatable, CustomStringConvertible {
    /// The number of the action at which a list begins; 0 for its beginning.
    var index = 0
    /// The bytes after that which earlier pages had.
    var offset = 0
    /// Whether the page begins inside a line.
    var isInside = false

    var description: String { "\(index).\(offset)\(isInside ? "+" : "")" }
}

extension ModelContextCursor {
    /// Fails with `nil` for a text that no answer had.
    init?(_ text: String) {
        isInside = text.hasSuffix("+")
        let parts = (isInside ? text.dropLast() : text[...]).split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let index = Self.number(parts[0]), let offset = Self.number(parts[1]) else {
            return nil
        }
        (self.index, self.offset) = (index, offset)
    }

    private static func number(_ text: Substring) -> Int? {
        guard text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else { return nil }
        return Int(text).flatMap { $0 <= 1 << 53 ? $0 : nil }
    }
}

/// A page of a command's output: whole lines of JSON, or a fragment of a line that is longer than a page. The last fragment
/// of a line ends with a line feed.
struct ModelContextPage {
    enum Content {
        case lines([Node])
        case fragment(String)
    }

    /// The most bytes of a page.
    static let most = 3_000

    let content: Content
    /// The bytes of this page; `nil` for the last one.
    private let consumed: Int?
    private let endsInside: Bool

    /// The page of an answer that begins at a cursor.
    init(of answer: [UInt8], at cursor: ModelContextCursor) {
        // One byte more than those of the page, which tells whether a scalar is cut.
        let rest = Array(answer.dropFirst(cursor.offset).prefix(Self.most + 1))
        let (bytes, isCut, isInside) = (rest.prefix(Self.most), rest.count > Self.most, cursor.isInside)
        let feed = UInt8(ascii: "\n")
        if isInside, let end = bytes.firstIndex(of: feed) {
            content = .fragment(String(decoding: bytes[...end], as: UTF8.self))
            consumed = isCut || end + 1 < bytes.count ? end + 1 : nil
            endsInside = false
        } else if isCut, isInside || !bytes.contains(feed) {
            // Bytes that are no UTF-8 have no boundary near.
            let boundary = ModelContextValue.boundary(Self.most, in: rest)
            let end = Self.most - boundary < 4 ? boundary : Self.most
            content = .fragment(String(decoding: bytes[..<end], as: UTF8.self))
            (consumed, endsInside) = (end, true)
        } else if isInside {
            content = .fragment(String(decoding: bytes, as: UTF8.self))
            (consumed, endsInside) = (nil, false)
        } else {
            let end = isCut ? (bytes.lastIndex(of: feed) ?? bytes.count - 1) + 1 : bytes.count
            content = .lines(bytes[..<end].split(separator: feed).map(Self.node))
            (consumed, endsInside) = (isCut ? end : nil, false)
        }
    }

    /// Where the next page begins; `nil` after the last.
    func next(after cursor: ModelContextCursor) -> ModelContextCursor? {
        consumed.map { ModelContextCursor(index: cursor.index, offset: cursor.offset + $0, isInside: endsInside) }
    }

    private static func node(_ line: ArraySlice<UInt8>) -> Node {
        // What is no JSON is text.
        (try? Node(jsonBytes: line)) ?? .string(String(decoding: line, as: UTF8.self))
    }
}
