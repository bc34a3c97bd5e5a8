extension Reducer where StateValue: Identifiable & SendableMetatype, StateValue.ID: SendableMetatype {
    /// Lifts this reducer into a collection: it runs for the element whose id the action names.
    ///
    /// ```swift
    /// let app = todo.forEach(\AppState.todos) { (action: AppAction) in
    ///     if case .todo(let id, let action) = action { (id, action) } else { nil }
    /// }
    /// ```
    ///
    /// Changes the element in place. Each leaf searches from the start, in O(n) of the elements before it; a dictionary
    /// by id takes constant time. If several elements have the id, the first changes. If no element has it, nothing
    /// changes.
    @inlinable
    public func forEach<Whole, WholeAction, Elements: MutableCollection & SendableMetatype>(
        _ elements: WritableKeyPath<Whole, Elements> & Sendable,
        action extract: @escaping @Sendable (WholeAction) -> (id: StateValue.ID, action: ActionValue)?
    ) -> Reducer<Whole, WholeAction> where Elements.Element == StateValue {
        mapLeaves { leaf in
            { whole, wholeAction in
                guard let (id, action) = extract(wholeAction) else { return }
                Self.changeElement(of: &whole[keyPath: elements], id: id) { leaf.reduce(&$0, action) }
            }
        }
    }

    @inlinable
    static func changeElement<Elements: MutableCollection>(
        of elements: inout Elements,
        id: StateValue.ID,
        _ change: (inout StateValue) -> Void
    ) where Elements.Element == StateValue {
        guard let index = elements.firstIndex(where: { $0.id == id }) else { return }
        change(&elements[index])
    }
}

extension Reducer {
    /// Lifts this reducer into a dictionary: it runs for the value whose key the action names.
    ///
    /// ```swift
    /// let app = todo.forEach(\AppState.todosByID) { (action: AppAction) in
    ///     if case .todo(let id, let action) = action { (id, action) } else { nil }
    /// }
    /// ```
    ///
    /// Changes the value in place, at the cost of one look-up a leaf. If the key is missing, nothing changes.
    @inlinable
    public func forEach<Whole, WholeAction, Key: Hashable & SendableMetatype>(
        _ values: WritableKeyPath<Whole, [Key: StateValue]> & Sendable,
        action extract: @escaping @Sendable (WholeAction) -> (key: Key, action: ActionValue)?
    ) -> Reducer<Whole, WholeAction> {
        mapLeaves { leaf in
            { whole, wholeAction in
                guard let (key, action) = extract(wholeAction) else { return }
                Self.changeValue(of: &whole[keyPath: values], key: key) { leaf.reduce(&$0, action) }
            }
        }
    }

    @inlinable
    static func changeValue<Key: Hashable>(
        of values: inout [Key: StateValue],
        key: Key,
        _ change: (inout StateValue) -> Void
    ) {
        guard let index = values.index(forKey: key) else { return }
        change(&values.values[index])
    }
}
