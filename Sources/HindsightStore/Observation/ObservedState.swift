/// A store's state as Swift's `Observation` sees it: each value that is read is tracked by itself.
///
/// ```swift
/// withObservationTracking {
///     print(store.observed.user.name)
/// } onChange: {
///     print("the name is about to be drawn anew")
/// }
/// ```
///
/// A SwiftUI view whose body reads `store.observed.user.name` is updated when that name changes, by its own `==`, and
/// for nothing else. Members are followed as deep as they are written: reading a member gives its value where that is
/// an ``ObservedValue`` (numbers, texts, collections, optionals and the like), and where it is a type of your own,
/// another `ObservedState` to read on from. ``value`` reads that as a whole. ``subscript(_:)`` takes any key path.
///
/// A value that is not `Equatable` counts as changed by every action.
///
/// `onChange` is called when the state has changed already, on the dispatching thread, as subscribers are. As for any
/// observable type, a change that another thread makes while the tracked closure runs may go untold.
///
/// **Cost.** A read: one lock, and one look-up by key path. Each distinct key path that was ever read costs one
/// comparison an action, for as long as the store lives.
@dynamicMemberLookup
public struct ObservedState<State: Sendable, Action: Sendable, Value>: Sendable {
    let store: Store<State, Action>
    // Sound: made of key paths that are `Sendable`, though `appending(path:)` does not say so.
    nonisolated(unsafe) let path: KeyPath<State, Value>

    /// The whole value, tracked as changed by every action, since it cannot be compared.
    public var value: Value {
        store.observationHub.read(path, isSame: nil)
    }

    /// A value that cannot be compared: it counts as changed by every action.
    public subscript<Member: ObservedValue>(dynamicMember member: KeyPath<Value, Member> & Sendable) -> Member {
        self[member]
    }

    /// A value, tracked by itself.
    public subscript<Member: ObservedValue & Equatable & SendableMetatype>(
        dynamicMember member: KeyPath<Value, Member> & Sendable
    ) -> Member {
        self[member]
    }

    /// A part of the state, to read on from.
    public subscript<Member>(
        dynamicMember member: KeyPath<Value, Member> & Sendable
    ) -> ObservedState<State, Action, Member> {
        ObservedState<State, Action, Member>(store: store, path: path.appending(path: member))
    }

    /// Any value that cannot be compared, by its key path: it counts as changed by every action.
    public subscript<Member>(_ member: KeyPath<Value, Member> & Sendable) -> Member {
        store.observationHub.read(path.appending(path: member), isSame: nil)
    }

    /// Any value by its key path, such as `[\.items.first?.title]`, tracked by itself.
    ///
    /// It is looked at after every action from then on, so the key path must hold for every state: `\.items[3]` ends the
    /// program once there are three items.
    public subscript<Member: Equatable & SendableMetatype>(_ member: KeyPath<Value, Member> & Sendable) -> Member {
        store.observationHub.read(path.appending(path: member), isSame: ==)
    }
}

extension ObservedState where Value: Equatable & SendableMetatype {
    /// The whole value, tracked as one.
    public var value: Value {
        store.observationHub.read(path, isSame: ==)
    }
}

extension Store {
    /// The state as Swift's `Observation` sees it. See ``ObservedState``.
    public var observed: ObservedState<State, Action, State> {
        ObservedState(store: self, path: \.self)
    }
}
