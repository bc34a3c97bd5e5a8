#if Archive
    import Foundation
    import HindsightSupport

    /// A value that goes to the server.
    ///
    /// PostgreSQL infers the types of parameters that are texts and numbers from the statement; write a cast, `$1::bigint`,
    /// if it cannot. A NUL character, which PostgreSQL's texts cannot have, is sent as its symbol ␀.
    package enum ArchiveValue: Sendable, Hashable {
        case null
        case integer(Int64)
        /// A text, or a JSON document.
        case text(String)
        case bytes([UInt8])
        /// A time, in microseconds since 2000, as PostgreSQL counts them.
        case time(Int64)
        case boolean(Bool)
        /// An array of texts.
        case texts([String])
        /// An array of whole numbers.
        case integers([Int64])
        /// An array of byte strings.
        case byteStrings([[UInt8]])

        static func number(_ value: some BinaryInteger) -> ArchiveValue { .integer(Int64(clamping: value)) }

        static func optional(_ text: String?) -> ArchiveValue { text.map(ArchiveValue.text) ?? .null }
    }

    /// PostgreSQL's numbers of types.
    enum TypeNumber {
        static let boolean: UInt32 = 16
        static let bytes: UInt32 = 17
        static let time: UInt32 = 1184
        static let jsonb: UInt32 = 3802
    }

    /// A value in the form of libpq's parameters.
    struct EncodedValue {
        var type: UInt32 = 0
        /// `nil` for a null.
        var bytes: [UInt8]?
        var isBinary = false

        init(_ value: ArchiveValue) {
            switch value {
            case .null: bytes = nil
            case .integer(let number): bytes = Self.ended(String(number))
            case .text(let text): bytes = Self.ended(Self.sendable(text))
            case .bytes(let value): (type, bytes, isBinary) = (TypeNumber.bytes, value, true)
            case .time(let time): (type, bytes, isBinary) = (TypeNumber.time, bigEndian(time), true)
            case .boolean(let value): bytes = Self.ended(value ? "t" : "f")
            case .texts(let texts): bytes = Self.ended(Self.array(texts.map { Self.quoted(Self.sendable($0)) }))
            case .integers(let numbers): bytes = Self.ended(Self.array(numbers.map { String($0) }))
            case .byteStrings(let strings): bytes = Self.ended(Self.array(strings.map { #""\\x\#(hex($0))""# }))
            }
        }

        private static func ended(_ text: String) -> [UInt8] { Array(text.utf8) + [0] }
        private static func array(_ elements: [String]) -> String { "{" + elements.joined(separator: ",") + "}" }

        static func sendable(_ text: String) -> String {
            guard text.utf8.contains(0) else { return text }
            return text.replacingOccurrences(of: "\u{0}", with: "\u{2400}")
        }

        private static func quoted(_ text: String) -> String {
            "\"" + text.replacingScalars("\\", with: "\\\\").replacingScalars("\"", with: "\\\"") + "\""
        }
    }

    func bigEndian(_ value: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: value.bigEndian) { Array($0) }
    }
#endif
