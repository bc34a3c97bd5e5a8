/// Makes the containers of one type of keys.
///
/// A generic container's metadata and conformance are looked up in the runtime's tables each time that one is made where
/// only the type of its keys is known: 70 ns. A class of which the container's type is a parameter has them at hand.
class KeyedTextMaker<Key: CodingKey> {
    func container(_ draft: TextDraft, _ handle: DraftText.Handle) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(KeyedText(draft: draft, handle: handle))
    }
}

final class KeyedTextMakerOf<Container: KeyedDraftContainer>: KeyedTextMaker<Container.Key> {
    override func container(_ draft: TextDraft, _ handle: DraftText.Handle) -> KeyedEncodingContainer<Container.Key> {
        KeyedEncodingContainer(Container(draft: draft, handle: handle))
    }
}

/// A keyed container of a draft.
protocol KeyedDraftContainer: KeyedEncodingContainerProtocol {
    init(draft: TextDraft, handle: DraftText.Handle)
}

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
