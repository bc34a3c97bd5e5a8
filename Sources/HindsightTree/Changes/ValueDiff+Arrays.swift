extension Array: CollectionComparing where Element: Encodable {
    static func findChanges(from old: UnsafeRawPointer, to new: UnsafeRawPointer, in diff: ValueDiff) throws {
        try old.assumingMemoryBound(to: Self.self).pointee.withUnsafeBufferPointer { old in
            try new.assumingMemoryBound(to: Self.self).pointee.withUnsafeBufferPointer { new in
                try diff.compareArrays(old, new)
            }
        }
    }
}

extension ContiguousArray: CollectionComparing where Element: Encodable {
    static func findChanges(from old: UnsafeRawPointer, to new: UnsafeRawPointer, in diff: ValueDiff) throws {
        try old.assumingMemoryBound(to: Self.self).pointee.withUnsafeBufferPointer { old in
            try new.assumingMemoryBound(to: Self.self).pointee.withUnsafeBufferPointer { new in
                try diff.compareArrays(old, new)
            }
        }
    }
}

/// Compares the elements of two arrays bitwise.
///
/// Sound: the caller holds both buffers while this exists, and the bits are only compared.
private struct ElementPair<Element> {
    let old: UnsafeBufferPointer<Element>
    let new: UnsafeBufferPointer<Element>
    let bits: BitwiseComparator

    func isSame(_ oldIndex: Int, _ newIndex: Int) -> Bool {
        guard let old = old.baseAddress, let new = new.baseAddress else { return false }
        return bits.hasSameBits(old + oldIndex, new + newIndex)
    }

    /// The number of elements at the start of both that are surely the same.
    var prefix: Int {
        guard let oldBase = old.baseAddress, let newBase = new.baseAddress else { return 0 }
        return bits.samePrefix(oldBase, newBase, count: min(old.count, new.count))
    }

    /// The number of elements at the end of both, after `prefix`, that are surely the same.
    func suffix(after prefix: Int) -> Int {
        let limit = min(old.count, new.count) - prefix
        var count = 0
        while count < limit, isSame(old.count - count - 1, new.count - count - 1) { count += 1 }
        return count
    }

    /// The indices in `range` at which the arrays may differ.
    func differences(in range: Range<Int>) -> [Int] {
        range.filter { !isSame($0, $0) }
    }
}

extension ValueDiff {
    func compareArrays<Element: Encodable>(
        _ old: UnsafeBufferPointer<Element>,
        _ new: UnsafeBufferPointer<Element>
    ) throws {
        let bits = ComparisonTraits.of(Element.self).bits
        if old.baseAddress == new.baseAddress, old.count == new.count { return }
        let pair = ElementPair(old: old, new: new, bits: bits)
        let prefix = pair.prefix
        let suffix = pair.suffix(after: prefix)
        let oldMiddle = prefix..<old.count - suffix
        let newMiddle = prefix..<new.count - suffix
        if oldMiddle.isEmpty && newMiddle.isEmpty { return }

        if oldMiddle.count == newMiddle.count {
            let differences = pair.differences(in: newMiddle)
            // The usual case: a few elements changed, and the others kept their places.
            if differences.count <= max(8, newMiddle.count / 4) {
                return try compareInPlace(old, new, at: differences)
            }
            let hunks = Alignment.hunks(oldMiddle.count, newMiddle.count) {
                pair.isSame(prefix + $0, prefix + $1)
            }
            let moved = hunks.reduce(0) { $0 + max($1.old.count, $1.new.count) }
            if moved * 2 > differences.count { return try compareInPlace(old, new, at: differences) }
            return try compareHunks(hunks, from: prefix, old, new)
        }
        let hunks = Alignment.hunks(oldMiddle.count, newMiddle.count) {
            pair.isSame(prefix + $0, prefix + $1)
        }
        try compareHunks(hunks, from: prefix, old, new)
    }

    /// Compares the elements at the same indices of both arrays.
    private func compareInPlace<Element: Encodable>(
        _ old: UnsafeBufferPointer<Element>,
        _ new: UnsafeBufferPointer<Element>,
        at places: [Int]
    ) throws {
        var rest = places[...]
        while let first = rest.first {
            // A run of leaves is shorter, and easier to read, as one splice.
            var length = 1
            if case .leaf = EncodingTraits.of(Element.self) {
                while length < rest.count, rest[rest.startIndex + length] == first + length { length += 1 }
            }
            if length > 3 {
                splice(at: first, try nodes(old, first..<first + length), try nodes(new, first..<first + length))
            } else {
                for index in first..<first + length {
                    try session.descend(.index(index)) { try compare(old[index], new[index]) }
                }
            }
            rest = rest.dropFirst(length)
        }
    }

    private func compareHunks<Element: Encodable>(
        _ hunks: [Hunk],
        from start: Int,
        _ old: UnsafeBufferPointer<Element>,
        _ new: UnsafeBufferPointer<Element>
    ) throws {
        for hunk in hunks {
            let (oldRange, newRange) = (hunk.old.shifted(by: start), hunk.new.shifted(by: start))
            if oldRange.count == newRange.count {
                try compareRuns(old, oldRange, new, newRange)
                continue
            }
            if oldRange.isEmpty || newRange.isEmpty {
                splice(at: newRange.lowerBound, try splicedNodes(old, oldRange), try splicedNodes(new, newRange))
                continue
            }
            let (oldNodes, newNodes) = (try nodes(old, oldRange), try nodes(new, newRange))
            // Elements may be the same with different bits, such as strings that were built anew: align the nodes.
            for inner in NodeDiff(ignoresOrder: false).hunks(oldNodes, newNodes) {
                let innerOld = inner.old.shifted(by: oldRange.lowerBound)
                let innerNew = inner.new.shifted(by: newRange.lowerBound)
                if innerOld.count == innerNew.count {
                    try compareRuns(old, innerOld, new, innerNew)
                } else {
                    splice(at: innerNew.lowerBound, Array(oldNodes[inner.old]), Array(newNodes[inner.new]))
                }
            }
        }
    }

    private func compareRuns<Element: Encodable>(
        _ old: UnsafeBufferPointer<Element>,
        _ oldRange: Range<Int>,
        _ new: UnsafeBufferPointer<Element>,
        _ newRange: Range<Int>
    ) throws {
        for (oldIndex, newIndex) in zip(oldRange, newRange) {
            try session.descend(.index(newIndex)) { try compare(old[oldIndex], new[newIndex]) }
        }
    }

    private func nodes<Element: Encodable>(
        _ elements: UnsafeBufferPointer<Element>,
        _ range: Range<Int>
    ) throws -> [Node] {
        try range.map { index in
            try session.descend(.index(index)) { try session.node(for: elements[index]) }
        }
    }

    /// The nodes of elements. If they are many and only the patch's text is needed: one node that has the text of all.
    private func splicedNodes<Element: Encodable>(
        _ elements: UnsafeBufferPointer<Element>,
        _ range: Range<Int>
    ) throws -> [Node] {
        guard range.count >= Self.manyElements, writesText, !session.mayRedact else {
            return try nodes(elements, range)
        }
        let encoder = TextEncoder()
        do {
            _ = try encoder.encode(Array(UnsafeBufferPointer(rebasing: elements[range])))
        } catch {
            // Making the nodes throws an error with the path.
            return try nodes(elements, range)
        }
        if encoder.sawInstance { session.sawInstance = true }
        return [.number(String(decoding: encoder.bytes.dropFirst().dropLast(), as: UTF8.self))]
    }

    private static var manyElements: Int { 64 }

    /// Appends a splice without the elements at both ends that are the same.
    func splice(at index: Int, _ old: [Node], _ new: [Node]) {
        let (prefix, suffix) = Alignment.commonEnds(old.count, new.count) { old[$0] == new[$1] }
        let removed = Array(old[prefix..<old.count - suffix])
        let inserted = Array(new[prefix..<new.count - suffix])
        if removed.isEmpty && inserted.isEmpty { return }
        append(.splice(path: session.nodePath, at: index + prefix, remove: removed, insert: inserted))
    }
}
