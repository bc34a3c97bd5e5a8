/// Returns the `==` of a type; `nil` if it is not `Equatable`, or only on an actor, or if `isNeeded` is `false`.
///
/// Costs a look-up of the conformance, which the system caches.
func equality<Value>(of type: Value.Type, if isNeeded: Bool = true) -> (@Sendable (Value, Value) -> Bool)? {
    guard isNeeded, let equatable = type as? any (Equatable & SendableMetatype).Type else { return nil }
    guard let comparison = makeComparison(of: equatable) as? AnyComparison<Value> else { return nil }
    return { comparison.isSame($0, $1) }
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
