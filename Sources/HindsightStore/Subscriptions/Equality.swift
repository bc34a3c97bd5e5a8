import Dispatch
import HindsightSupport

/// Returns the `==` of a type; `nil` if it is not `Equatable`, or only on an actor, or if `isNeeded` is `false`.
///
/// Costs a look-up of the conformance, which the system caches, and for each new type a thread.
func equality<Value>(of type: Value.Type, if isNeeded: Bool = true) -> (@Sendable (Value, Value) -> Bool)? {
    guard isNeeded, let equatable = type as? any Equatable.Type, isEquatableEverywhere(type),
        let comparison = makeComparison(of: equatable) as? AnyComparison<Value>
    else { return nil }
    return { comparison.isSame($0, $1) }
}

/// The types that were examined, and whether they are `Equatable` on every thread.
private let examinedTypes = Locked<[ObjectIdentifier: Bool]>([:])

/// Whether a type is `Equatable` on every thread, and not only on an actor.
///
/// The runtime allows the cast of a value to `any Equatable` only on the actor of the conformance, but it allows that of a
/// type everywhere. So another thread casts an empty array of the type: SE-0470, isolated conformances. Runtimes before
/// Swift 6.2 allow both.
private func isEquatableEverywhere<Value>(_ type: Value.Type) -> Bool {
    let id = ObjectIdentifier(type)
    if let known = examinedTypes.withLock({ $0[id] }) { return known }
    let examined = Examined(array: [Value]())
    let isDone = DispatchSemaphore(value: 0)
    do {
        try BackgroundThread.start {
            let isEquatable = examined.array is any Equatable
            examinedTypes.withLock { $0[id] = isEquatable }
            isDone.signal()
        }
    } catch {
        // Without a thread, the type counts as one that cannot be compared.
        return false
    }
    isDone.wait()
    return examinedTypes.withLock { $0[id] ?? false }
}

/// Sound: the array has no elements.
private struct Examined: @unchecked Sendable {
    let array: Any
}

/// Returns the `==` of a type to use on the main actor; `nil` if it has none there, or if `isNeeded` is `false`.
@MainActor
func equalityOnMainActor<Value>(of type: Value.Type, if isNeeded: Bool) -> ((Value, Value) -> Bool)? {
    guard isNeeded, let equatable = type as? any Equatable.Type else { return nil }
    guard let comparison = makeComparison(of: equatable) as? AnyComparison<Value> else { return nil }
    return { comparison.isSame($0, $1) }
}

private func makeComparison<Value: Equatable>(of type: Value.Type) -> AnyObject {
    Comparison<Value>()
}

/// Compares two values of a type that is `Equatable`, which this type does not show.
private class AnyComparison<Value>: @unchecked Sendable {
    // Sound: it has no stored properties, and only the two functions above create one.
    func isSame(_ one: Value, _ other: Value) -> Bool { false }
}

private final class Comparison<Value: Equatable>: AnyComparison<Value>, @unchecked Sendable {
    override func isSame(_ one: Value, _ other: Value) -> Bool { one == other }
}
