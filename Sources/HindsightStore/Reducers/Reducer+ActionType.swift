extension Reducer {
    /// Creates a reducer for actions of one type, for stores whose actions have many types.
    ///
    /// ```swift
    /// protocol PetAction: Sendable {}
    /// struct Rename: PetAction { let name: String }
    ///
    /// let naming = Reducer<Pet, any PetAction>("naming", on: Rename.self) { pet, rename in
    ///     pet.name = rename.name
    /// }
    /// ```
    ///
    /// Each action costs each such reducer one dynamic cast. If all actions are known in one place, an enum is faster,
    /// and the compiler checks that you handle all cases.
    ///
    /// - Parameters:
    ///   - name: The name under which recordings know this reducer. Keep it when you rename the code.
    ///   - formerNames: The names that it had before, if any.
    ///   - type: The type of the actions. For a protocol or a superclass, the reducer runs for all conforming types.
    ///   - reduce: Applies an action of that type to the state.
    @inlinable
    public init<Specific>(
        _ name: String,
        formerly formerNames: FormerNames = [],
        on type: Specific.Type,
        _ reduce: @escaping @Sendable (inout StateValue, Specific) -> Void
    ) {
        self.init(name, formerly: formerNames) { state, action in
            guard let action = action as? Specific else { return }
            reduce(&state, action)
        }
    }
}
