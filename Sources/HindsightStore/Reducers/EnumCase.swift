/// One case of an enum, with functions to extract and embed its payload.
///
/// ```swift
/// extension Screen {
///     static let editor = EnumCase(
///         extract: { if case .editor(let draft) = $0 { draft } else { nil } },
///         embed: Screen.editor
///     )
/// }
/// ```
///
/// The property may have the name of the case. It lifts reducers into enum states (``Reducer/lift(case:)``) and into
/// enum actions (`lift(state:action:)`), and narrows a ``Dispatcher`` to one case (``Dispatcher/lift(_:)``).
public struct EnumCase<Whole, Part>: Sendable {
    /// Returns the payload; `nil` if the value is another case.
    public let extract: @Sendable (Whole) -> Part?
    /// Creates the case from a payload.
    public let embed: @Sendable (Part) -> Whole

    /// Creates a case. `extract` must return the payload that `embed` received.
    @inlinable
    public init(extract: @escaping @Sendable (Whole) -> Part?, embed: @escaping @Sendable (Part) -> Whole) {
        self.extract = extract
        self.embed = embed
    }

    /// Changes the payload in place; does nothing if the value is another case.
    ///
    /// Swift has no in-place access to an enum's payload. So this extracts the payload, destroys the enum to be the
    /// only owner of the payload's buffers, changes the payload, and creates the enum anew. It copies no array inside.
    ///
    /// - Returns: Whether the value was this case.
    @inlinable
    @discardableResult
    public func modify(_ whole: inout Whole, _ change: (inout Part) -> Void) -> Bool {
        // Sound: nothing reads `whole` between `deinitialize` and `initialize`. The access is exclusive, and `change`
        // and `embed` cannot throw; if one of them traps, the process ends.
        withUnsafeMutablePointer(to: &whole) { place in
            guard var part = extract(place.pointee) else { return false }
            place.deinitialize(count: 1)
            change(&part)
            place.initialize(to: embed(part))
            return true
        }
    }
}
