extension Set: CollectionComparing where Element: Encodable {
    static func findChanges(from old: UnsafeRawPointer, to new: UnsafeRawPointer, in diff: ValueDiff) throws {
        diff.compareNodes(
            try collectionNode(at: old, in: diff.session),
            try collectionNode(at: new, in: diff.session)
        )
    }
}

extension Dictionary: CollectionComparing where Key: Encodable, Value: Encodable {
    static func findChanges(from old: UnsafeRawPointer, to new: UnsafeRawPointer, in diff: ValueDiff) throws {
        let oldValue = old.assumingMemoryBound(to: Self.self).pointee
        let newValue = new.assumingMemoryBound(to: Self.self).pointee
        if try diff.session.isWrittenAsObject(oldValue), try diff.session.isWrittenAsObject(newValue) {
            try diff.compareDictionaries(oldValue, newValue)
        } else {
            diff.compareNodes(
                try collectionNode(at: old, in: diff.session),
                try collectionNode(at: new, in: diff.session)
            )
        }
    }

    fileprivate typealias Differences = (removed: [Index], changed: [(old: Index, new: Index)], added: [Index])

    /// The entries in which two dictionaries differ, or may differ.
    ///
    /// If one dictionary is a changed copy of the other, nearly all entries have the same position in both. A walk over
    /// both side by side compares those without hashing.
    fileprivate static func differences(_ old: Self, _ new: Self) -> Differences {
        let keyBits = ComparisonTraits.of(Key.self).bits
        let valueBits = ComparisonTraits.of(Value.self).bits
        var differences: Differences = ([], [], [])
        var (oldIndex, newIndex) = (old.startIndex, new.startIndex)
        while oldIndex != old.endIndex, newIndex != new.endIndex {
            let (oldKey, oldItem) = old[oldIndex]
            let (newKey, newItem) = new[newIndex]
            if keyBits.areSame(oldKey, newKey) {
                if !valueBits.areSame(oldItem, newItem) { differences.changed.append((oldIndex, newIndex)) }
                old.formIndex(after: &oldIndex)
                new.formIndex(after: &newIndex)
            } else if old.index(forKey: newKey) == nil {
                differences.added.append(newIndex)
                new.formIndex(after: &newIndex)
            } else if new.index(forKey: oldKey) == nil {
                differences.removed.append(oldIndex)
                old.formIndex(after: &oldIndex)
            } else {
                break
            }
        }
        // From here on the order differs. No entry from above comes again: the walk passed it in both dictionaries, or
        // only one has it.
        let rest = newIndex
        while oldIndex != old.endIndex {
            let (key, item) = old[oldIndex]
            if let place = new.index(forKey: key) {
                if !(keyBits.areSame(key, new[place].key) && valueBits.areSame(item, new[place].value)) {
                    differences.changed.append((oldIndex, place))
                }
            } else {
                differences.removed.append(oldIndex)
            }
            old.formIndex(after: &oldIndex)
        }
        newIndex = rest
        while newIndex != new.endIndex {
            if old.index(forKey: new[newIndex].key) == nil { differences.added.append(newIndex) }
            new.formIndex(after: &newIndex)
        }
        return differences
    }
}

extension CodingSession {
    /// Whether a dictionary is written as an object whose keys need no escaping.
    fileprivate func isWrittenAsObject<Key: Encodable, Value>(_ dictionary: [Key: Value]) throws -> Bool {
        if dictionary.count == 1, let key = dictionary.first?.key {
            guard let name = try name(ofKey: key) else { return false }
            return !OptionalTag.isLikeTag(name)
        }
        if Key.self == String.self || Key.self is any IntegerLeaf.Type { return true }
        return try dictionary.keys.allSatisfy { try name(ofKey: $0) != nil }
    }
}

extension ValueDiff {
    fileprivate func compareDictionaries<Key: Encodable, Value: Encodable>(
        _ old: [Key: Value],
        _ new: [Key: Value]
    ) throws {
        var removed: [(name: String, value: Value)] = []
        var changed: [(name: String, old: Value, new: Value)] = []
        var added: [(name: String, value: Value)] = []
        func name(_ key: Key) throws -> String {
            guard let name = try session.name(ofKey: key) else { throw session.ambiguous("this key") }
            return name
        }
        let differences = [Key: Value].differences(old, new)
        for index in differences.removed { removed.append((try name(old[index].key), old[index].value)) }
        for index in differences.added { added.append((try name(new[index].key), new[index].value)) }
        for place in differences.changed {
            let (oldName, newName) = (try name(old[place.old].key), try name(new[place.new].key))
            if oldName.hasSameScalars(as: newName) {
                changed.append((oldName, old[place.old].value, new[place.new].value))
            } else {
                // The keys are equal by their own `==`, and yet written differently.
                removed.append((oldName, old[place.old].value))
                added.append((newName, new[place.new].value))
            }
        }
        try checkNames(new, added.map(\.name))
        let path = session.nodePath
        for entry in removed.sorted(by: { $0.name.precedesByScalars($1.name) }) {
            let node = try session.descend(.entry(entry.name)) { try session.node(for: entry.value) }
            append(.remove(path: path.appending(entry.name), old: node, at: nil))
        }
        for entry in changed.sorted(by: { $0.name.precedesByScalars($1.name) }) {
            try session.descend(.entry(entry.name)) { try compare(entry.old, entry.new) }
        }
        for entry in added.sorted(by: { $0.name.precedesByScalars($1.name) }) {
            let node = try session.descend(.entry(entry.name)) { try session.node(for: entry.value) }
            append(.add(path: path.appending(entry.name), value: node, at: nil))
        }
    }

    /// Refuses a dictionary in which a new key is written like another one.
    private func checkNames<Key: Encodable, Value>(_ dictionary: [Key: Value], _ names: [String]) throws {
        // Two different strings or integers are never written alike.
        if names.isEmpty || Key.self == String.self || Key.self is any IntegerLeaf.Type { return }
        var seen: Set<[UInt8]> = []
        for key in dictionary.keys {
            guard let name = try session.name(ofKey: key) else { continue }
            guard seen.insert(Array(name.utf8)).inserted else {
                throw session.ambiguous("two keys of this dictionary are both written as \"\(name)\"")
            }
        }
    }
}
