/// A key that is compared by scalars.
struct ScalarKey: Hashable {
    let key: String

    init(_ key: String) {
        self.key = key
    }

    static func == (left: ScalarKey, right: ScalarKey) -> Bool {
        left.key.hasSameScalars(as: right.key)
    }

    func hash(into hasher: inout Hasher) {
        key.hashScalars(into: &hasher)
    }
}
