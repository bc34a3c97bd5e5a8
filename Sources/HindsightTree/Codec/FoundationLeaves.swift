import Foundation

// How Foundation's values become nodes and back. A text that may lose something is read back before it is used.

extension Data: LeafCoding, LeafDecoding {
    func leafNode(in session: CodingSession) throws -> Node { .data([UInt8](self)) }

    init(leaf node: Node) throws {
        switch node {
        case .data(let bytes):
            self.init(bytes)
        case .string(let text):
            // Written by a person or by Foundation's encoder.
            guard let data = Data(base64Encoded: text) else { fallthrough }
            self = data
        default:
            throw LeafMismatch("data, as {\"$data\": \"base64\"}")
        }
    }
}

extension UUID: LeafCoding, LeafDecoding {
    func leafNode(in session: CodingSession) throws -> Node { .string(uuidString) }

    init(leaf node: Node) throws {
        guard case .string(let text) = node, let value = UUID(uuidString: text) else {
            throw LeafMismatch("a UUID, as \"F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6\"")
        }
        self = value
    }
}

extension URL: LeafCoding, LeafDecoding {
    static var hasOwnForm: Bool { true }

    func leafNode(in session: CodingSession) throws -> Node {
        let text = relativeString
        if baseURL == nil, let again = URL(string: text), again == self, again.relativeString == text {
            return .string(text)
        }
        return try session.ownNode(of: self)
    }

    init(leaf node: Node) throws {
        guard case .string(let text) = node, let value = URL(string: text) else { throw LeafMismatch("a URL") }
        self = value
    }
}

extension Date: LeafCoding, LeafDecoding {
    func leafNode(in session: CodingSession) throws -> Node {
        let seconds = timeIntervalSinceReferenceDate
        if let text = DateText.text(for: seconds) { return .string(text) }
        return seconds.node
    }

    init(leaf node: Node) throws {
        if case .string(let text) = node, let seconds = DateText.seconds(from: text) {
            self.init(timeIntervalSinceReferenceDate: seconds)
        } else if let seconds = try? Double(leaf: node) {
            self.init(timeIntervalSinceReferenceDate: seconds)
        } else {
            throw LeafMismatch("a date, as \"2026-11-20T15:16:00Z\", or seconds since 2001 as a number")
        }
    }
}

extension Decimal: LeafCoding, LeafDecoding {
    static var hasOwnForm: Bool { true }

    func leafNode(in session: CodingSession) throws -> Node {
        if let text = DecimalText.text(for: self) {
            return Int(text).map { $0.description == text ? .int($0) : .number(text) } ?? .number(text)
        }
        return try session.ownNode(of: self)
    }

    init(leaf node: Node) throws {
        let text: String? =
            switch node {
            case .int(let value): value.description
            case .number(let text), .string(let text): text
            default: nil
            }
        guard let text, let value = DecimalText.value(from: text) else {
            throw LeafMismatch("a decimal number of at most 38 digits")
        }
        self = value
    }
}
