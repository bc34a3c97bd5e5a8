import Foundation

/// A type whose values a recording can replace with a placeholder of the same type.
///
/// The standard types conform: a string becomes `"[redacted]"`, a number 0, a Boolean `false`, a date the start of
/// 2001, a UUID all zeros, a URL `https://redacted.invalid/`. Data and collections become empty, and an optional keeps
/// only whether it is `nil`. Conform your own types to use them in a ``Redacted`` field:
///
/// ```swift
/// extension Role: Redactable {
///     func redacted() -> Role { .guest }
/// }
/// ```
public protocol Redactable {
    /// The placeholder that recordings hold in place of this value.
    ///
    /// It must decode as the type, and be its own placeholder. Whatever it keeps of the value is recorded.
    func redacted() -> Self
}

extension Optional: Redactable where Wrapped: Redactable {
    public func redacted() -> Wrapped? { map { $0.redacted() } }
}
extension Array: Redactable {
    public func redacted() -> [Element] { [] }
}
extension ContiguousArray: Redactable {
    public func redacted() -> ContiguousArray<Element> { [] }
}
extension Set: Redactable {
    public func redacted() -> Set<Element> { [] }
}
extension Dictionary: Redactable {
    public func redacted() -> [Key: Value] { [:] }
}
extension String: Redactable {
    public func redacted() -> String { Placeholder.text }
}
extension Bool: Redactable {
    public func redacted() -> Bool { false }
}

extension Int: Redactable { public func redacted() -> Int { 0 } }
extension Int8: Redactable { public func redacted() -> Int8 { 0 } }
extension Int16: Redactable { public func redacted() -> Int16 { 0 } }
extension Int32: Redactable { public func redacted() -> Int32 { 0 } }
extension Int64: Redactable { public func redacted() -> Int64 { 0 } }
extension Int128: Redactable { public func redacted() -> Int128 { 0 } }
extension UInt: Redactable { public func redacted() -> UInt { 0 } }
extension UInt8: Redactable { public func redacted() -> UInt8 { 0 } }
extension UInt16: Redactable { public func redacted() -> UInt16 { 0 } }
extension UInt32: Redactable { public func redacted() -> UInt32 { 0 } }
extension UInt64: Redactable { public func redacted() -> UInt64 { 0 } }
extension UInt128: Redactable { public func redacted() -> UInt128 { 0 } }
extension Double: Redactable { public func redacted() -> Double { 0 } }
extension Float: Redactable { public func redacted() -> Float { 0 } }
extension Decimal: Redactable { public func redacted() -> Decimal { 0 } }

extension Date: Redactable { public func redacted() -> Date { Date(timeIntervalSinceReferenceDate: 0) } }
extension Data: Redactable { public func redacted() -> Data { Data() } }
extension UUID: Redactable {
    public func redacted() -> UUID { UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)) }
}
extension URL: Redactable {
    public func redacted() -> URL { URL(string: Placeholder.link) ?? URL(filePath: "/") }
}

/// The texts of placeholders.
enum Placeholder {
    static let text = "[redacted]"
    static let uuid = "00000000-0000-0000-0000-000000000000"
    static let otherUUID = "00000000-0000-4000-8000-000000000001"
    static let date = "2001-01-01T00:00:00Z"
    static let link = "https://redacted.invalid/"
}
