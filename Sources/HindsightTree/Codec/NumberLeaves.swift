// How numbers, Booleans and strings become nodes and back.

extension Node {
    /// The node of a whole number of any width.
    init(integer value: some FixedWidthInteger) {
        self = Int(exactly: value).map(Node.int) ?? .number(value.description)
    }
}

protocol IntegerLeaf: LeafCoding, LeafDecoding, FixedWidthInteger {}

extension IntegerLeaf {
    func leafNode(in session: CodingSession) throws -> Node { Node(integer: self) }

    init(leaf node: Node) throws {
        switch node {
        case .int(let value):
            guard let exact = Self(exactly: value) else { throw LeafMismatch("a number that fits \(Self.self)") }
            self = exact
        case .number(let text):
            // `Self(text)` would take "+1" too, but no JSON number begins with "+".
            guard let value = Self(text) else { throw LeafMismatch("a whole number that fits \(Self.self)") }
            self = value
        default:
            throw LeafMismatch("a whole number")
        }
    }

    init?(key: String) { self.init(key) }
}

extension Int: IntegerLeaf {}
extension Int8: IntegerLeaf {}
extension Int16: IntegerLeaf {}
extension Int32: IntegerLeaf {}
extension Int64: IntegerLeaf {}
extension Int128: IntegerLeaf {}
extension UInt: IntegerLeaf {}
extension UInt8: IntegerLeaf {}
extension UInt16: IntegerLeaf {}
extension UInt32: IntegerLeaf {}
extension UInt64: IntegerLeaf {}
extension UInt128: IntegerLeaf {}

protocol FloatLeaf: LeafCoding, LeafDecoding, BinaryFloatingPoint, LosslessStringConvertible {
    associatedtype Bits: FixedWidthInteger & UnsignedInteger
    var bitPattern: Bits { get }
    init(bitPattern: Bits)
}

extension FloatLeaf {
    /// The shortest number that reads back as this value, or a word if JSON has no such number.
    var node: Node {
        if isFinite { return .number(description) }
        if isInfinite { return .string(self < 0 ? "-inf" : "inf") }
        let isPlain = bitPattern == Self.nan.bitPattern
        return .string(isPlain ? "nan" : "nan:0x" + String(bitPattern, radix: 16))
    }

    func leafNode(in session: CodingSession) throws -> Node { node }
    init(leaf node: Node) throws { try self.init(number: node) }

    fileprivate init(number node: Node) throws {
        switch node {
        case .int(let number):
            let value = Self(number)
            guard value.isFinite else { throw LeafMismatch("a number that fits \(Self.self)") }
            self = value
        case .number(let text):
            guard let value = Self(text), value.isFinite else { throw LeafMismatch("a number that fits \(Self.self)") }
            self = value
        case .string("inf"):
            self = .infinity
        case .string("-inf"):
            self = -.infinity
        case .string("nan"):
            self = .nan
        case .string(let text) where text.hasPrefix("nan:0x"):
            guard let bits = Bits(text.dropFirst(6), radix: 16), Self(bitPattern: bits).isNaN else { fallthrough }
            self = Self(bitPattern: bits)
        default:
            throw LeafMismatch("a number, or one of \"inf\", \"-inf\", \"nan\"")
        }
    }
}

extension Double: FloatLeaf {
    typealias Bits = UInt64
}
extension Float: FloatLeaf {
    typealias Bits = UInt32
}

#if !((os(macOS) || targetEnvironment(macCatalyst)) && arch(x86_64))
    // Its own `encode(to:)` writes a `Float`, and the conversion makes a signaling NaN quiet.
    extension Float16: FloatLeaf {
        typealias Bits = UInt16

        init(leaf node: Node) throws {
            // Older recordings have a `Float`, whose NaNs have more bits.
            if case .string(let text) = node, text.hasPrefix("nan:0x"), text.utf8.count > 10 {
                self.init(try Float(leaf: node))
            } else {
                try self.init(number: node)
            }
        }
    }
#endif

extension Bool: LeafCoding, LeafDecoding {
    func leafNode(in session: CodingSession) throws -> Node { .bool(self) }

    init(leaf node: Node) throws {
        guard case .bool(let value) = node else { throw LeafMismatch("true or false") }
        self = value
    }
}

extension String: LeafCoding, LeafDecoding {
    func leafNode(in session: CodingSession) throws -> Node { .string(self) }

    init(leaf node: Node) throws {
        guard case .string(let value) = node else { throw LeafMismatch("a string") }
        self = value
    }
}
