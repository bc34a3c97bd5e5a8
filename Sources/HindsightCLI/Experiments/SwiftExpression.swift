import Foundation
import HindsightSupport

/// Writes values as Swift expressions.
enum SwiftExpression {
    /// An expression for a value, in a place where its type is known; `nil` if there is none that is sure to compile.
    ///
    /// Enumerations are written as implicit members, with their associated values. A structure has none, since its
    /// initializers are not known.
    static func text(of value: Any) -> String? {
        switch value {
        case let value as String: return literal(value)
        case let value as Bool: return "\(value)"
        case let value as any FixedWidthInteger: return "\(value)"
        case let value as Double: return value.isFinite ? "\(value)" : nil
        case let value as Float: return value.isFinite ? "\(value)" : nil
        case let value as UUID: return "UUID(uuidString: \"\(value)\")!"
        case let value as Decimal: return value.isNaN ? nil : "Decimal(string: \"\(value)\")!"
        case let value as Date:
            // Written and read again, it must be the same.
            let seconds = value.timeIntervalSinceReferenceDate
            return seconds.isFinite ? "Date(timeIntervalSinceReferenceDate: \(seconds))" : nil
        default: break
        }
        let mirror = Mirror(reflecting: value)
        // The mirror of another type may hide something, or have another order.
        let isStandard = String(reflecting: type(of: value)).hasPrefix("Swift.")
        if value is any CustomReflectable, !isStandard { return nil }
        switch mirror.displayStyle {
        case .optional:
            guard let child = mirror.children.first else { return "nil" }
            // Of an optional in an optional, it is not clear which of them is nil.
            if Mirror(reflecting: child.value).displayStyle == .optional { return nil }
            // In the place of an optional, these would be its own cases.
            return text(of: child.value).flatMap { $0 == ".none" || $0.hasPrefix(".some") ? nil : $0 }
        case .collection:
            return all(mirror.children.map { text(of: $0.value) }).map { "[\($0.joined(separator: ", "))]" }
        case .set:
            // Sorted, since the order differs from one process to the next.
            guard value is any Sequence else { return nil }
            return all(mirror.children.map { text(of: $0.value) }).map { "[\($0.sorted().joined(separator: ", "))]" }
        case .dictionary:
            let pairs = mirror.children.map { child -> String? in
                let pair = Mirror(reflecting: child.value).children.map(\.value)
                guard pair.count == 2, let key = text(of: pair[0]), let value = text(of: pair[1]) else { return nil }
                return "\(key): \(value)"
            }
            return all(pairs).map { $0.isEmpty ? "[:]" : "[\($0.sorted().joined(separator: ", "))]" }
        case .enum:
            return enumeration(value, mirror)
        default: return nil
        }
    }

    /// The texts; `nil` if one of them is missing.
    private static func all(_ texts: [String?]) -> [String]? {
        texts.contains(nil) ? nil : texts.compactMap { $0 }
    }

    private static func enumeration(_ value: Any, _ mirror: Mirror) -> String? {
        guard let child = mirror.children.first else {
            if value is any CustomStringConvertible || value is any CustomDebugStringConvertible
                || value is any TextOutputStreamable
            {
                return nil
            }
            return identifier("\(value)").map { ".\($0)" }
        }
        guard let name = child.label.flatMap(identifier) else { return nil }
        let payload = Mirror(reflecting: child.value)
        guard payload.displayStyle == .tuple else { return text(of: child.value).map { ".\(name)(\($0))" } }
        let parts = payload.children.map { part -> String? in
            guard let text = text(of: part.value) else { return nil }
            guard let label = part.label, !label.hasPrefix(".") else { return text }
            return ["inout", "var", "let"].contains(label) ? "`\(label)`: \(text)" : "\(label): \(text)"
        }
        return all(parts).map { ".\(name)(\($0.joined(separator: ", ")))" }
    }

    private static func identifier(_ name: String) -> String? {
        guard let first = name.unicodeScalars.first, first == "_" || first.properties.isXIDStart,
            name.unicodeScalars.allSatisfy({ $0 == "_" || $0.properties.isXIDContinue })
        else { return nil }
        return ["init", "self", "Self", "Type", "Protocol"].contains(name) ? "`\(name)`" : name
    }

    /// A string literal with escapes for what is not printable ASCII or a letter.
    static func literal(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": result += "\\\(scalar)"
            case "\n": result += "\\n"
            case "\t": result += "\\t"
            case " "..."~": result.unicodeScalars.append(scalar)
            // A mark that stands alone would join the character before it.
            case _ where scalar.properties.isAlphabetic && !scalar.properties.isDiacritic:
                result.unicodeScalars.append(scalar)
            default: result += "\\u{\(String(scalar.value, radix: 16))}"
            }
        }
        return result + "\""
    }

    /// A raw string literal on one line.
    static func raw(_ text: String) -> String {
        var signs = "#"
        while text.containsScalars("\"\(signs)") || text.containsScalars("\\\(signs)") { signs += "#" }
        return "\(signs)\"\(text)\"\(signs)"
    }
}
