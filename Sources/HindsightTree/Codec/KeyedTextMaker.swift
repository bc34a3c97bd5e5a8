/// Makes the containers of one type of keys.
///
/// A generic container's metadata and conformance are looked up in the runtime's tables each time that one is made where
/// only the type of its keys is known: some 700 instructions. A class of which the container's type is a parameter has them at hand.
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
