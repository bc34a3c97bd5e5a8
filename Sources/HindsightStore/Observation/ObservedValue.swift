/// A type that is observed as a whole: reading a member of this type from an ``ObservedState`` returns its value.
///
/// The standard library's scalars and collections conform. Conform your own types that have no parts to observe, and
/// types of other modules. Small plain types, such as an enumeration without payloads that is not public, need not
/// conform.
///
/// ```swift
/// public enum Filter: ObservedValue { case all, open, done }
/// extension Date: @retroactive ObservedValue {}
/// ```
public protocol ObservedValue {}

extension Bool: ObservedValue {}
extension Int: ObservedValue {}
extension Int8: ObservedValue {}
extension Int16: ObservedValue {}
extension Int32: ObservedValue {}
extension Int64: ObservedValue {}
extension Int128: ObservedValue {}
extension UInt: ObservedValue {}
extension UInt8: ObservedValue {}
extension UInt16: ObservedValue {}
extension UInt32: ObservedValue {}
extension UInt64: ObservedValue {}
extension UInt128: ObservedValue {}
extension Float: ObservedValue {}
extension Double: ObservedValue {}
extension String: ObservedValue {}
extension Substring: ObservedValue {}
extension Character: ObservedValue {}
extension Duration: ObservedValue {}
extension Array: ObservedValue {}
extension ContiguousArray: ObservedValue {}
extension ArraySlice: ObservedValue {}
extension Set: ObservedValue {}
extension Dictionary: ObservedValue {}
extension Optional: ObservedValue {}
extension Result: ObservedValue {}
extension Range: ObservedValue {}
extension ClosedRange: ObservedValue {}
extension KeyValuePairs: ObservedValue {}
