import Foundation

/// A value behind `NSLock`. On Linux, the thread sanitizer does not recognise `Mutex`.
public final class Guarded<Value>: @unchecked Sendable {
    // Sound: `value` is touched only while `lock` is held.
    private let lock = NSLock()
    private var value: Value

    public init(_ value: Value) { self.value = value }

    public func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        try lock.withLock { try body(&value) }
    }
}
