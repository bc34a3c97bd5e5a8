/// One case of an enum with a payload: how to take the payload out, and how to put it in.
///
/// ```swift
/// extension Screen {
///     static let editor = EnumCase(extract: { if case .editor(let draft) = $0 { draft } else { nil } }, embed: Screen.editor)
/// }
/// ```
///
/// It lifts reducers into enum states (``Reducer/lift(case:)``) and into enum actions (`lift(state:action:)`), and
/// narrows a ``Dispatch`` to one case (``Dispatch/lift(_:)``).
public struct EnumCase<Whole, Part>: Sendable {
    /// Takes the payload out; `nil` where the value is another case.
    public let extract: @Sendable (Whole) -> Part?
    /// Makes the case out of its payload.
    public let embed: @Sendable (Part) -> Whole

    /// Creates a case. `extract` must give back what `embed` was given.
    @inlinable
    public init(extract: @escaping @Sendable (Whole) -> Part?, embed: @escaping @Sendable (Part) -> Whole) {
        self.extract = extract
        self.embed = embed
    }

    /// Changes the payload in place; does nothing where the value is another case.
    ///
    /// Swift cannot lend an enum's payload. It is taken out, the enum is destroyed so that nobody else holds the
    /// payload's buffers, the payload is changed, and the enum is made anew: a big array inside is not copied.
    ///
    /// - Returns: Whether the value was this case.
    @inlinable
    @discardableResult
    public func modify(_ whole: inout Whole, _ change: (inout Part) -> Void) -> Bool {
        // Sound: between `deinitialize` and `initialize` nothing reads `whole`. It is borrowed exclusively, and
        // `change` and `embed` cannot throw; if one of them traps, the process ends.
        withUnsafeMutablePointer(to: &whole) { place in
            guard var part = extract(place.pointee) else { return false }
            place.deinitialize(count: 1)
            change(&part)
            place.initialize(to: embed(part))
            return true
        }
    }
}

extension Dispatch {
    /// A dispatch that takes one case's payload, for code that knows only that part of the actions.
    ///
    /// ```swift
    /// let editor = dispatch.lift(AppAction.editor)
    /// editor(.insert("!"))
    /// ```
    public func lift<Part>(_ part: EnumCase<Action, Part>) -> Dispatch<Part> {
        // What it sends goes by `send`, with the parent that this one has.
        Dispatch<Part>(
            isBound: isBound,
            send: { [send] action, origin in send(part.embed(action), origin) },
            target: { [target] in target().map { LiftedTarget(whole: $0, part: part) } }
        )
    }
}

/// A store as it is to code that knows only one case of its actions.
private final class LiftedTarget<Whole: Sendable, Part: Sendable>: DispatchTarget {
    let whole: any DispatchTarget<Whole>
    let part: EnumCase<Whole, Part>

    init(whole: any DispatchTarget<Whole>, part: EnumCase<Whole, Part>) {
        self.whole = whole
        self.part = part
    }

    func boundDispatch() -> Dispatch<Part> { whole.boundDispatch().lift(part) }

    func start(_ effect: Effect<Part>) { whole.start(effect.lift(part)) }
}
