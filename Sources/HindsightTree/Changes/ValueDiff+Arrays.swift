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

/// The elements of two arrays, compared bitwise.
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
}

extension ElementPair where Element: Encodable {
    var hasLeaves: Bool { if case .leaf = EncodingTraits.of(Element.self) { true } else { false } }
}

extension ValueDiff {
    fileprivate func compareArrays<Element: Encodable>(
        _ old: UnsafeBufferPointer<Element>,
        _ new: UnsafeBufferPointer<Element>
    ) throws {
        if old.baseAddress == new.baseAddress, old.count == new.count { return }
        let pair = ElementPair(old: old, new: new, bits: ComparisonTraits.of(Element.self).bits)
        let prefix = pair.prefix
        let suffix = pair.suffix(after: prefix)
        let (oldCount, newCount) = (old.count - suffix - prefix, new.count - suffix - prefix)
        if oldCount == 0 && newCount == 0 { return }

        func hunks() -> [Hunk] {
            Alignment.hunks(oldCount, newCount) { pair.isSame(prefix + $0, prefix + $1) }
        }
        guard oldCount == newCount else {
            if session.hidesElements {
                // Without the same end: what the splice leaves out must depend on the placeholders alone.
                return splice(at: prefix, try nodes(old, prefix..<old.count), try nodes(new, prefix..<new.count))
            }
            return try compareHunks(hunks(), from: prefix, pair)
        }
        let differences = (prefix..<prefix + newCount).filter { !pair.isSame($0, $0) }
        // The usual case: a few elements changed, and the others kept their places.
        if differences.count <= max(8, newCount / 4) || session.hidesElements {
            return try compareInPlace(pair, at: differences)
        }
        let hunks = hunks()
        let moved = hunks.reduce(0) { $0 + max($1.old.count, $1.new.count) }
        if moved * 2 > differences.count { return try compareInPlace(pair, at: differences) }
        try compareHunks(hunks, from: prefix, pair)
    }

    /// Compares the elements at the same indices of both arrays.
    private func compareInPlace(_ pair: ElementPair<some Encodable>, at indices: [Int]) throws {
        let hasLeaves = pair.hasLeaves
        var rest = indices[...]
        while let first = rest.first {
            // A run of leaves is shorter, and easier to read, as one splice.
            var length = 1
            if hasLeaves {
                while length < rest.count, rest[rest.startIndex + length] == first + length { length += 1 }
            }
            let range = first..<first + length
            if length > 3 {
                splice(at: first, try nodes(pair.old, range), try nodes(pair.new, range))
            } else {
                try compareRuns(pair, range, range)
            }
            rest = rest.dropFirst(length)
        }
    }

    private func compareHunks(_ hunks: [Hunk], from start: Int, _ pair: ElementPair<some Encodable>) throws {
        for hunk in hunks {
            let hunk = hunk.moved(start, start)
            if hunk.old.count == hunk.new.count {
                try compareRuns(pair, hunk.old, hunk.new)
                continue
            }
            if hunk.old.isEmpty || hunk.new.isEmpty {
                let (old, new) = (try splicedNodes(pair.old, hunk.old), try splicedNodes(pair.new, hunk.new))
                splice(at: hunk.new.lowerBound, old, new)
                continue
            }
            let (oldNodes, newNodes) = (try nodes(pair.old, hunk.old), try nodes(pair.new, hunk.new))
            // Elements may be the same with different bits, such as strings that were built again: align the nodes.
            for inner in NodeDiff(ignoresOrder: false).hunks(oldNodes, newNodes) {
                let moved = inner.moved(hunk.old.lowerBound, hunk.new.lowerBound)
                if moved.old.count == moved.new.count {
                    try compareRuns(pair, moved.old, moved.new)
                } else {
                    splice(at: moved.new.lowerBound, Array(oldNodes[inner.old]), Array(newNodes[inner.new]))
                }
            }
        }
    }

    private func compareRuns(_ pair: ElementPair<some Encodable>, _ old: Range<Int>, _ new: Range<Int>) throws {
        for (oldIndex, newIndex) in zip(old, new) {
            try session.descend(.index(newIndex)) { try compare(pair.old[oldIndex], pair.new[newIndex]) }
        }
    }

    private func nodes(_ elements: UnsafeBufferPointer<some Encodable>, _ range: Range<Int>) throws -> [Node] {
        try range.map { index in
            try session.descend(.index(index)) { try session.node(for: elements[index]) }
        }
    }

    /// The nodes of elements. If they are many and only the patch's text is needed: one node that has the text of all.
    private func splicedNodes(_ elements: UnsafeBufferPointer<some Encodable>, _ range: Range<Int>) throws -> [Node] {
        guard range.count >= Self.manyElements, writesText, !session.mayRedact else {
            return try nodes(elements, range)
        }
        let redactor = try Redactor()
        let encoder = TextEncoder(redactor: redactor)
        do {
            _ = try encoder.encode(Array(UnsafeBufferPointer(rebasing: elements[range])))
        } catch {
            // Making the nodes throws an error with the path.
            return try nodes(elements, range)
        }
        // Making the nodes notes the redacted fields with their paths.
        if redactor.isActive { return try nodes(elements, range) }
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
