import HindsightTree

// Whether an operation changes a place, or what is there.

extension String {
    /// Whether this may be the index of an element.
    var mayBeIndex: Bool { self == "-" || utf8.allSatisfy(\.isDigit) }
}

extension UInt8 {
    var isDigit: Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= self }
}

extension NodePath {
    /// Whether one of two places is the other, or in it.
    func touches(_ other: NodePath) -> Bool { contains(other) || other.contains(self) }

    /// The names of a place inside this one.
    func rest(of inner: NodePath) -> NodePath { NodePath(Array(inner.components.dropFirst(components.count))) }
}

extension Patch.Operation {
    /// The smallest part of a state outside of which the operation changes nothing: the array, if it may move elements.
    var region: NodePath {
        switch self {
        case .add, .remove:
            path.components.last.map(\.mayBeIndex) ?? false ? NodePath(path.components.dropLast()) : path
        case .replace, .splice, .edit: path
        }
    }
}

extension TimedPatches.ScannedOperation {
    /// Whether it adds or removes something, and not just other content.
    var addsOrRemoves: Bool { kind == UInt8(ascii: "a") || kind == UInt8(ascii: "d") }

    /// The same as ``HindsightTree/Patch/Operation/region``, as it stands in the text.
    package var region: UnsafeBufferPointer<UInt8> {
        guard addsOrRemoves, let slash = path.lastIndex(of: UInt8(ascii: "/")) else { return path }
        let name = path[(slash + 1)...]
        let mayBeIndex = name.allSatisfy(\.isDigit) || name.elementsEqual("-".utf8)
        return mayBeIndex ? UnsafeBufferPointer(rebasing: path[..<slash]) : path
    }

    /// Whether it may change something at a place, inside it, or around it.
    ///
    /// - Parameter place: The bytes of the path.
    func touches(_ place: [UInt8]) -> Bool {
        if isEscaped { return true }
        let region = region
        let common = min(place.count, region.count)
        for index in 0..<common where place[index] != region[index] { return false }
        if place.count == region.count { return true }
        return (place.count < region.count ? region[common] : place[common]) == UInt8(ascii: "/")
    }
}
