/// A key of any type, such as an effect's id. Keys of different types are never equal.
@usableFromInline
struct HashableKey: Hashable, Sendable {
    let value: any Hashable & Sendable

    init(_ value: any Hashable & Sendable) {
        self.value = value
    }

    @usableFromInline
    static func == (left: HashableKey, right: HashableKey) -> Bool {
        // `AnyHashable` alone equates numbers of different types.
        type(of: left.value) == type(of: right.value) && AnyHashable(left.value) == AnyHashable(right.value)
    }

    @usableFromInline
    func hash(into hasher: inout Hasher) {
        hasher.combine(AnyHashable(value))
    }
}
