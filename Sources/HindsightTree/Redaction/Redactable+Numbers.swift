import Foundation

// What stands for numbers and for Foundation's values.

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
