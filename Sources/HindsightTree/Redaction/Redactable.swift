/// A value in whose place a recording can hold another one of its type.
///
/// The standard types conform: a string becomes `"[redacted]"`, a number 0, a truth value `false`, a date the beginning
/// of 2001, a UUID zeros, a URL `https://redacted.invalid/`, data and collections are empty, and of an optional only
/// whether it is `nil` is kept. Make types of your own conform where a ``Redacted`` field has one:
///
/// ```swift
/// extension Role: Redactable {
///     func redacted() -> Role { .guest }
/// }
/// ```
public protocol Redactable {
    /// What recordings hold in place of this value. It must decode as the type, and the same must come out when it is
    /// called on its own result. What it lets through of the value is recorded.
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

/// What stands for hidden values.
enum Placeholder {
    static let text = "[redacted]"
    static let uuid = "00000000-0000-0000-0000-000000000000"
    static let date = "2001-01-01T00:00:00Z"
    static let link = "https://redacted.invalid/"
}
