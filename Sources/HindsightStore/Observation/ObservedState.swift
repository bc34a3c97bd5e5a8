/// A store's state as Swift's `Observation` tracks it: each value on its own.
///
/// ```swift
/// withObservationTracking {
///     print(store.observed.user.name)
/// } onChange: {
///     print("the name is about to be drawn anew")
/// }
/// ```
///
/// If a SwiftUI view reads `store.observed.user.name` in its body, a change of that name updates the view, and no other
/// change does. Its `==` decides what a change is. Reading a member returns its value if that is an ``ObservedValue``
/// (numbers, texts, collections, optionals and the like) or an enumeration without payloads, or where the context needs
/// the value: `let date: Date = store.observed.created`. Otherwise, reading it returns another `ObservedState`.
/// ``value`` reads such a member as a whole. ``subscript(_:)`` takes any key path.
///
/// A value that is not `Equatable` counts as changed by every action.
///
/// As with subscribers, `Observation` calls `onChange` after the state has changed, on the dispatching thread. As with
/// any observable type, tracking may miss a change that another thread makes while the tracked closure runs.
///
/// **Cost.** A read takes one lock. A tracked read subscribes to the value until the tracking ends: until one of the
/// tracked values has changed, or the view is gone. Until then, each distinct key path costs one comparison an action.
@dynamicMemberLookup
public struct ObservedState<StateValue: Sendable, ActionValue: Sendable, Value>: Sendable {
    let store: Store<StateValue, ActionValue>
    // Sound: composed of `Sendable` key paths. `appending(path:)` loses the conformance.
    nonisolated(unsafe) let path: KeyPath<StateValue, Value>

    /// The whole value. It is not `Equatable`, so every action counts as a change.
    public var value: Value {
        store.readObserved(path, isSame: nil)
    }

    /// The value of a member. It is not `Equatable`, so every action counts as a change.
    public subscript<Member: ObservedValue>(dynamicMember member: KeyPath<Value, Member> & Sendable) -> Member {
        self[member]
    }

    /// The value of a member, tracked on its own.
    public subscript<Member: ObservedValue & Equatable & SendableMetatype>(
        dynamicMember member: KeyPath<Value, Member> & Sendable
    ) -> Member {
        self[member]
    }

    /// The value of a small plain member, such as an enumeration without payloads, tracked on its own.
    public subscript<Member: Hashable & BitwiseCopyable & SendableMetatype>(
        dynamicMember member: KeyPath<Value, Member> & Sendable
    ) -> Member {
        self[member]
    }

    /// The value of a member, tracked on its own. Both forms above take it.
    public subscript<Member: ObservedValue & Hashable & BitwiseCopyable & SendableMetatype>(
        dynamicMember member: KeyPath<Value, Member> & Sendable
    ) -> Member {
        self[member]
    }

    /// The whole value of a member, where the context needs its type: `let date: Date = store.observed.created`.
    @_disfavoredOverload
    public subscript<Member: Equatable & SendableMetatype>(
        dynamicMember member: KeyPath<Value, Member> & Sendable
    ) -> Member {
        self[member]
    }

    /// The whole value of a member, where the context needs its type. It is not `Equatable`, so every action counts as
    /// a change.
    @_disfavoredOverload
    public subscript<Member>(dynamicMember member: KeyPath<Value, Member> & Sendable) -> Member {
        self[member]
    }

    /// A member of a type of your own, to read from in turn.
    public subscript<Member>(
        dynamicMember member: KeyPath<Value, Member> & Sendable
    ) -> ObservedState<StateValue, ActionValue, Member> {
        ObservedState<StateValue, ActionValue, Member>(store: store, path: path.appending(path: member))
    }

    /// The value at any key path. It is not `Equatable`, so every action counts as a change.
    public subscript<Member>(_ member: KeyPath<Value, Member> & Sendable) -> Member {
        store.readObserved(path.appending(path: member), isSame: nil)
    }

    /// The value at any key path, such as `[\.items.first?.title]`, tracked on its own.
    ///
    /// As long as the read is tracked, the store reads the key path after every action, so it must be valid for every
    /// state: `\.items[3]` traps once there are only three items.
    public subscript<Member: Equatable & SendableMetatype>(_ member: KeyPath<Value, Member> & Sendable) -> Member {
        store.readObserved(path.appending(path: member), isSame: ==)
    }
}

extension ObservedState where Value: Equatable & SendableMetatype {
    /// The whole value, tracked as one unit.
    public var value: Value {
        store.readObserved(path, isSame: ==)
    }
}
