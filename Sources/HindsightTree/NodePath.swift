/// A place in a node: a JSON Pointer (RFC 6901), such as `/cart/lines/2/price`; the empty path is the whole node.
///
/// An array's elements are named by their index from 0. In a member's name `~` is written `~0` and `/` is written `~1`.
public struct NodePath: Sendable {
    /// The names on the way down, unescaped.
    public var components: [String]

    @inlinable
    public init(_ components: [String] = []) {
        self.components = components
    }

    /// Whether this is the whole node.
    public var isRoot: Bool { components.isEmpty }

    /// This path and one name more.
    public func appending(_ component: String) -> NodePath {
        NodePath(components + [component])
    }

    /// Whether `other` is this place or lies below it.
    public func contains(_ other: NodePath) -> Bool {
        components.count <= other.components.count
            && zip(components, other.components).allSatisfy { $0.hasSameScalars(as: $1) }
    }
}

extension NodePath: LosslessStringConvertible {
    /// Reads a JSON Pointer; `nil` where it is not empty and does not begin with `/`, or where a `~` is followed by
    /// neither `0` nor `1`.
    public init?(_ text: String) {
        if text.isEmpty {
            self.init()
            return
        }
        guard text.utf8.first == UInt8(ascii: "/") else { return nil }
        var components: [String] = []
        for part in text.utf8.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
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
            components.append(String(decoding: bytes, as: UTF8.self))
        }
        self.init(components)
    }

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

    /// A component as it stands in a pointer.
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
