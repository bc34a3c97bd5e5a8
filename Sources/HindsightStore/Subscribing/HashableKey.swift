/// A key of any type: an effect's id, or what undo steps are joined by.
struct HashableKey: Hashable, Sendable {
    let value: any Hashable & Sendable

    init(_ value: any Hashable & Sendable) {
        self.value = value
    }

    static func == (left: HashableKey, right: HashableKey) -> Bool {
        // `AnyHashable` alone takes the numbers 1 of all types for one.
        type(of: left.value) == type(of: right.value) && AnyHashable(left.value) == AnyHashable(right.value)
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(AnyHashable(value))
    }
}
