/// Runs a closure when it is released. The closures that a signal's source calls retain it, so it runs when the
/// store is gone, or the subscription has ended.
final class EndOfSource: Sendable {
    private let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    deinit { body() }
}
