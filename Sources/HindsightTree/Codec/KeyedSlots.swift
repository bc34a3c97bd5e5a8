/// Containers for keys that were made before and serve again: making one costs as much as writing a few members.
///
/// Sound: a `KeyedEncodingContainer` is one reference to a box, as the standard library has it in its ABI, and a box is
/// lent as the type that it was made with. Only boxes to which nobody else has a reference are lent, so that one which a
/// user's code keeps writes into nobody's text; and the slots in them know no draft that is gone.
struct KeyedSlots {
    /// What a container's box refers to: where it writes at present.
    final class Slot {
        unowned(unsafe) fileprivate(set) var draft: TextDraft?
        fileprivate(set) var handle = DraftText.Handle.none
    }

    private struct Entry {
        let key: ObjectIdentifier
        let slot: Slot
        var box: AnyObject
    }

    private var entries: [Entry] = []

    /// So many types of keys are kept: an action has a few.
    private static let most = 16

    /// A container that writes into a draft.
    mutating func container<Key: CodingKey>(
        _ type: Key.Type,
        in draft: TextDraft,
        _ handle: DraftText.Handle
    ) -> KeyedEncodingContainer<Key> {
        let key = ObjectIdentifier(type)
        for index in entries.indices where entries[index].key == key {
            guard isKnownUniquelyReferenced(&entries[index].box) else { continue }
            entries[index].slot.handle = handle
            return unsafeBitCast(entries[index].box, to: KeyedEncodingContainer<Key>.self)
        }
        let slot = Slot()
        (slot.draft, slot.handle) = (draft, handle)
        let container = KeyedEncodingContainer(KeyedText<Key>(slot: slot))
        if entries.count < Self.most, MemoryLayout<KeyedEncodingContainer<Key>>.size == MemoryLayout<AnyObject>.size {
            entries.append(Entry(key: key, slot: slot, box: unsafeBitCast(container, to: AnyObject.self)))
        } else {
            others.append(slot)
        }
        return container
    }

    /// Slots whose containers do not serve again.
    private var others: [Slot] = []

    /// Takes the draft away from containers that somebody has kept, or from all.
    mutating func detach(all: Bool = false) {
        for slot in others { slot.draft = nil }
        others.removeAll()
        for index in entries.indices.reversed() where all || !isKnownUniquelyReferenced(&entries[index].box) {
            entries[index].slot.draft = nil
            entries.remove(at: index)
        }
    }
}
