/// A value computed from others, whenever one of those has changed, as decided by its `==`.
///
/// ```swift
/// extension AppState {
///     static let visible = DerivedSelector(\AppState.todos, \.filter) { todos, filter in
///         todos.filter { filter.shows($0) }
///     }
/// }
///
/// let token = store.subscribe(AppState.visible) { show($0) }
/// ```
///
/// Its parts are any number of key paths, or any number of selectors. To mix them, wrap a key path in a
/// ``PathSelector``. If a part is not `Equatable`, the value is computed after every action.
///
/// **Identity.** Functions cannot be compared, so a derived selector equals only its own copies. Keep it in a `static
/// let`, so that all subscriptions share one evaluation.
///
/// **Cost.** While it has subscribers, one comparison of each part an action, and memory for the last parts and the
/// last result. ``select(_:)`` always computes the result anew. The comparisons of stored properties cost about as much
/// as a subscription to one closure; a computed property costs a read through its key path more, about 0.15 µs. Parts
/// that are closures themselves cost less: `DerivedSelector { (state: AppState) in state.todos.count }`.
public struct DerivedSelector<Input, Output>: StateSelector {
    private let recipe: Recipe

    private final class Recipe: Sendable {
        let select: @Sendable (Input) -> Output
        /// Creates what compares the parts; `nil` if there are none.
        let makeMemo: (@Sendable () -> MemoizedSelection<Input, Output>)?

        init(
            select: @escaping @Sendable (Input) -> Output,
            makeMemo: (@Sendable () -> MemoizedSelection<Input, Output>)?
        ) {
            self.select = select
            self.makeMemo = makeMemo
        }
    }

    /// Creates a selector that computes `result` from the outputs of other selectors.
    @_disfavoredOverload
    public init<each Value>(
        _ parts: repeat any StateSelector<Input, each Value>,
        result: @escaping @Sendable (repeat each Value) -> Output
    ) {
        recipe = Recipe(
            select: { input in result(repeat (each parts).select(input)) },
            makeMemo: {
                let parts = (repeat Self.part(each parts))
                var all: [AnyDerivedPart] = []
                for part in repeat each parts { all.append(part) }
                return MemoizedSelection(all) { result(repeat (each parts).output) }
            }
        )
    }

    private static func part<Value>(_ selector: any StateSelector<Input, Value>) -> DerivedPart<Input, Value> {
        DerivedPart(selector)
    }

    /// Creates a selector that computes its output after every action.
    ///
    /// ```swift
    /// let initials = DerivedSelector { (state: AppState) in state.name.prefix(1) }
    /// ```
    public init(select: @escaping @Sendable (Input) -> Output) {
        recipe = Recipe(select: select, makeMemo: nil)
    }

    /// Creates a selector that computes `result` from properties.
    public init<each Value>(
        _ paths: repeat KeyPath<Input, each Value> & Sendable,
        result: @escaping @Sendable (repeat each Value) -> Output
    ) {
        self.init(repeat PathSelector(each paths), result: result)
    }

    public func select(_ input: Input) -> Output { recipe.select(input) }

    public func makeSelection() -> (Input) -> Output {
        guard let memo = makeMemo() else { return recipe.select }
        return { input in
            _ = withUnsafePointer(to: input) { memo.refresh(from: $0) }
            return memo.output
        }
    }

    /// Creates what compares the parts with those of the last input; `nil` if the selector has none.
    func makeMemo() -> MemoizedSelection<Input, Output>? { recipe.makeMemo?() }

    public static func == (one: Self, other: Self) -> Bool { one.recipe === other.recipe }

    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(recipe)) }
}

/// A function of several parts that caches its last output.
///
/// The parts are compared one by one, and no type is looked up for a comparison: code that handles a pack of parts does
/// so each time, which costs several times the comparisons.
///
/// Sound: `last` is used only if it is initialized.
final class MemoizedSelection<Input, Output> {
    private let parts: [AnyDerivedPart]
    private let compute: () -> Output
    private let last = UnsafeMutablePointer<Output>.allocate(capacity: 1)
    private var isSet = false

    init(_ parts: [AnyDerivedPart], compute: @escaping () -> Output) {
        self.parts = parts
        self.compute = compute
    }

    deinit {
        if isSet { last.deinitialize(count: 1) }
        last.deallocate()
    }

    /// The output for the last input that was read.
    var output: Output { last.pointee }

    /// Reads the parts of an input, and returns whether the output was computed anew.
    func refresh(from input: UnsafePointer<Input>) -> Bool {
        var hasChanged = false
        for part in parts where part.refresh(from: input) { hasChanged = true }
        if !hasChanged, isSet { return false }
        let output = compute()
        if isSet {
            last.pointee = output
        } else {
            last.initialize(to: output)
            isSet = true
        }
        return true
    }
}
