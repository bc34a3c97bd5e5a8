extension Array where Element: Encodable {
    static func findChanges(from old: UnsafeRawPointer, to new: UnsafeRawPointer, in walk: ChangeWalk) throws {
        try old.assumingMemoryBound(to: Self.self).pointee.withUnsafeBufferPointer { old in
            try new.assumingMemoryBound(to: Self.self).pointee.withUnsafeBufferPointer { new in
                try walk.compareArrays(old, new)
            }
        }
    }
}

extension ContiguousArray where Element: Encodable {
    static func findChanges(from old: UnsafeRawPointer, to new: UnsafeRawPointer, in walk: ChangeWalk) throws {
        try old.assumingMemoryBound(to: Self.self).pointee.withUnsafeBufferPointer { old in
            try new.assumingMemoryBound(to: Self.self).pointee.withUnsafeBufferPointer { new in
                try walk.compareArrays(old, new)
            }
        }
    }
}

/// The elements of two arrays, seen as bits.
///
/// Sound because both buffers are held by the caller while this lives, and because bits are only compared: nothing is
/// copied out of them but through `Element`'s own copy.
private struct ElementPair<Element> {
    let old: UnsafeBufferPointer<Element>
    let new: UnsafeBufferPointer<Element>
    let bits: BitPattern

    func isSame(_ oldIndex: Int, _ newIndex: Int) -> Bool {
        guard let old = old.baseAddress, let new = new.baseAddress else { return false }
        return bits.hasSameBits(old + oldIndex, new + newIndex)
    }

    /// How many elements are surely the same at the start of both.
    var prefix: Int {
        guard let oldBase = old.baseAddress, let newBase = new.baseAddress else { return 0 }
        return bits.samePrefix(oldBase, newBase, count: min(old.count, new.count))
    }

    /// How many are at the end, beyond `prefix`.
    func suffix(after prefix: Int) -> Int {
        let limit = min(old.count, new.count) - prefix
        var count = 0
        while count < limit, isSame(old.count - count - 1, new.count - count - 1) { count += 1 }
        return count
    }

    /// The places in `range` at which both arrays surely or perhaps differ.
    func differences(in range: Range<Int>) -> [Int] {
        range.filter { !isSame($0, $0) }
    }
}

extension ChangeWalk {
    func compareArrays<Element: Encodable>(
        _ old: UnsafeBufferPointer<Element>,
        _ new: UnsafeBufferPointer<Element>
    ) throws {
        let traits = TypeTraits.of(Element.self)
        if old.baseAddress == new.baseAddress, old.count == new.count { return }
        let pair = ElementPair(old: old, new: new, bits: traits.bits)
        let prefix = pair.prefix
        let suffix = pair.suffix(after: prefix)
        let oldMiddle = prefix..<old.count - suffix
        let newMiddle = prefix..<new.count - suffix
        if oldMiddle.isEmpty && newMiddle.isEmpty { return }

        if oldMiddle.count == newMiddle.count {
            let differences = pair.differences(in: newMiddle)
            // A few changed elements, or nearly all of them in their places: the usual cases.
            if differences.count <= max(8, newMiddle.count / 4) {
                return try compareInPlace(old, new, at: differences)
            }
            let gaps = Alignment.gaps(oldMiddle.count, newMiddle.count) {
                pair.isSame(prefix + $0, prefix + $1)
            }
            let moved = gaps.reduce(0) { $0 + max($1.old.count, $1.new.count) }
            if moved * 2 > differences.count { return try compareInPlace(old, new, at: differences) }
            return try compareGaps(gaps, from: prefix, old, new)
        }
        let gaps = Alignment.gaps(oldMiddle.count, newMiddle.count) {
            pair.isSame(prefix + $0, prefix + $1)
        }
        try compareGaps(gaps, from: prefix, old, new)
    }

    /// Compares elements that stand at the same places.
    private func compareInPlace<Element: Encodable>(
        _ old: UnsafeBufferPointer<Element>,
        _ new: UnsafeBufferPointer<Element>,
        at places: [Int]
    ) throws {
        var rest = places[...]
        while let first = rest.first {
            // A run of simple values reads better, and costs less, as one splice.
            var length = 1
            if case .leaf = TypeTraits.of(Element.self).kind {
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

    private func compareGaps<Element: Encodable>(
        _ gaps: [Gap],
        from start: Int,
        _ old: UnsafeBufferPointer<Element>,
        _ new: UnsafeBufferPointer<Element>
    ) throws {
        for gap in gaps {
            let (oldRange, newRange) = (gap.old.shifted(by: start), gap.new.shifted(by: start))
            if oldRange.count == newRange.count {
                try compareRuns(old, oldRange, new, newRange)
                continue
            }
            let (oldNodes, newNodes) = (try nodes(old, oldRange), try nodes(new, newRange))
            if oldNodes.isEmpty || newNodes.isEmpty {
                splice(at: newRange.lowerBound, oldNodes, newNodes)
                continue
            }
            // Their bits say nothing (strings that were made again, say): let their content tell which is which.
            for inner in NodeDiff(ignoresOrder: false).gaps(oldNodes, newNodes) {
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

    /// Notes that elements from `index` on were replaced by others, without those at both ends that are the same.
    func splice(at index: Int, _ old: [Node], _ new: [Node]) {
        var prefix = 0
        while prefix < min(old.count, new.count), old[prefix] == new[prefix] { prefix += 1 }
        var suffix = 0
        while suffix < min(old.count, new.count) - prefix,
            old[old.count - suffix - 1] == new[new.count - suffix - 1]
        {
            suffix += 1
        }
        let removed = Array(old[prefix..<old.count - suffix])
        let inserted = Array(new[prefix..<new.count - suffix])
        if removed.isEmpty && inserted.isEmpty { return }
        note(.splice(path: session.nodePath, at: index + prefix, remove: removed, insert: inserted))
    }
}

extension Range<Int> {
    fileprivate func shifted(by offset: Int) -> Range<Int> {
        lowerBound + offset..<upperBound + offset
    }
}
