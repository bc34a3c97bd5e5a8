/// A key that is compared by scalars.
package struct ScalarKey: Hashable, Sendable {
    package let key: String

    package init(_ key: String) {
        self.key = key
    }

    package static func == (left: ScalarKey, right: ScalarKey) -> Bool {
        left.key.hasSameScalars(as: right.key)
    }

    package func hash(into hasher: inout Hasher) {
        key.hashScalars(into: &hasher)
    }
}
