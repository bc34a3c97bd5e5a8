extension Reducer {
    /// Creates a leaf that runs for actions of one type, where actions are values of many types.
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
    /// Each action costs each such leaf one dynamic cast. Where all actions are known in one place, an enum is faster,
    /// and the compiler knows which are missing.
    ///
    /// - Parameters:
    ///   - name: The name under which recordings know this reducer. Keep it when you rename the code.
    ///   - type: The type of actions for which the leaf runs; a protocol or a superclass stands for all that conform.
    ///   - reduce: Applies an action of that type to the state.
    @inlinable
    public init<Specific>(
        _ name: String,
        on type: Specific.Type,
        _ reduce: @escaping @Sendable (inout State, Specific) -> Void
    ) {
        self.init(name) { state, action in
            guard let action = action as? Specific else { return }
            reduce(&state, action)
        }
    }
}
