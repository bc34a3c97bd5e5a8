/// Something for each of the types that were met last: as many as have different places in the table.
struct LastTypes<Found> {
    private var table: [(id: ObjectIdentifier, found: Found)?] = Array(repeating: nil, count: 16)

    @inline(__always)
    private static func place(_ id: ObjectIdentifier) -> Int { Int(UInt(bitPattern: id) >> 4 & 15) }

    /// What is known of a type. Costs a load and a comparison.
    @inline(__always)
    subscript(id: ObjectIdentifier) -> Found? {
        get {
            guard let entry = table[Self.place(id)], entry.id == id else { return nil }
            return entry.found
        }
        set { table[Self.place(id)] = newValue.map { (id, $0) } }
    }
}
