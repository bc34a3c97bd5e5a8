/// A place in a node: a JSON Pointer (RFC 6901), such as `/cart/lines/2/price`. The empty path is the whole node.
///
/// The name of an element is its index from 0. In a member's name, `~` is written `~0` and `/` is written `~1`.
public struct NodePath: Sendable {
    /// The names from the root down, unescaped.
    public var components: [String]

    /// Creates a path from unescaped names, from the root down.
    @inlinable
    public init(_ components: [String] = []) {
        self.components = components
    }

    /// Whether this is the path of the whole node.
    public var isRoot: Bool { components.isEmpty }

    /// The path of the child `component`.
    public func appending(_ component: String) -> NodePath {
        NodePath(components + [component])
    }

    /// The paths above this one, from the root down.
    package var ancestors: [NodePath] { components.indices.map { NodePath(Array(components[..<$0])) } }

    /// Whether `other` is this path or a path below it.
    public func contains(_ other: NodePath) -> Bool {
        components.count <= other.components.count
            && zip(components, other.components).allSatisfy { $0.hasSameScalars(as: $1) }
    }
}

extension NodePath: LosslessStringConvertible {
    /// Reads a JSON Pointer. Fails if it is not empty and does not start with `/`, or if neither `0` nor `1` follows a
    /// `~`.
    public init?(_ text: String) {
        var text = text
        guard let path = text.withUTF8({ NodePath(utf8: $0) }) else { return nil }
        self = path
    }

    /// Reads a JSON Pointer of valid UTF-8.
    init?(utf8 text: UnsafeBufferPointer<UInt8>) {
        let slash = UInt8(ascii: "/")
        guard text.first ?? slash == slash else { return nil }
        var components: [String] = []
        var start = 0
        while start < text.count {
            let end = text.firstOffset(of: slash, from: start + 1)
            guard let component = Self.component(in: text.part(start + 1..<end)) else { return nil }
            components.append(component)
            start = end
        }
        self.init(components)
    }

    private static func component(in part: UnsafeBufferPointer<UInt8>) -> String? {
        guard part.firstOffset(of: UInt8(ascii: "~"), from: 0) < part.count else {
            return String(decoding: part, as: UTF8.self)
        }
        var bytes: [UInt8] = []
        var rest = part.makeIterator()
        while let byte = rest.next() {
            guard byte == UInt8(ascii: "~") else {
                bytes.append(byte)
                continue
            }
            switch rest.next() {
            case UInt8(ascii: "0"): bytes.append(UInt8(ascii: "~"))
            case UInt8(ascii: "1"): bytes.append(UInt8(ascii: "/"))
            default: return nil
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The path as a JSON Pointer, escaped.
    public var description: String {
        var text = ""
        for component in components {
            text += "/"
            if component.utf8.contains(where: { $0 == UInt8(ascii: "~") || $0 == UInt8(ascii: "/") }) {
                text += Self.escaped(component)
            } else {
                text += component
            }
        }
        return text
    }

    /// The index that `component` stands for: digits only, without leading zeros, small enough for an `Int`.
    package static func index(_ component: String) -> Int? {
        let digits = component.utf8
        guard let first = digits.first, first != UInt8(ascii: "0") || digits.count == 1,
            digits.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 })
        else { return nil }
        return Int(component)
    }

    /// A component as it is written in a JSON Pointer.
    static func escaped(_ component: String) -> String {
        var text = ""
        for scalar in component.unicodeScalars {
            switch scalar {
            case "~": text += "~0"
            case "/": text += "~1"
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}

extension NodePath: Hashable {
    public static func == (left: NodePath, right: NodePath) -> Bool {
        left.components.count == right.components.count && left.contains(right)
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(components.count)
        for component in components {
            component.hashScalars(into: &hasher)
        }
    }
}
