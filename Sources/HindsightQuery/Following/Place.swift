import HindsightTree

/// A place in a state that is followed back through time, and the followed places inside it.
final class Place {
    enum Content {
        /// A followed place; its number.
        case leaf(Int)
        case object
        case array
        /// A container that is neither known to be an object nor an array.
        case unknown
        /// Where a removed element stood, to which one that was inserted elsewhere may belong.
        case vacant
    }

    var content: Content
    /// The name in an object, and the index in an array.
    var name: String
    var index: Int
    weak var parent: Place?
    private(set) var members: [ScalarKey: Place] = [:]
    /// Sorted by index.
    private(set) var elements: [Place] = []
    /// Changes whenever what is scheduled for the place is not valid any more.
    var generation = 0
    /// Whether an array is scheduled for each change at or inside it, so that nothing inside it is scheduled.
    var isScheduledAsWhole = false
    /// What was undone at a vacant place, in that order.
    var undone: [Patch.Operation] = []

    init(_ content: Content, name: String = "", index: Int = 0) {
        (self.content, self.name, self.index) = (content, name, index)
    }

    var isLeaf: Bool { if case .leaf = content { true } else { false } }
    var isVacant: Bool { if case .vacant = content { true } else { false } }
    var isArray: Bool { if case .array = content { true } else { false } }
    var hasChildren: Bool { !members.isEmpty || !elements.isEmpty }
    var children: [Place] { isArray ? elements : Array(members.values) }

    /// The path now.
    var path: NodePath {
        var names: [String] = []
        var place = self
        while let parent = place.parent {
            names.append(parent.isArray ? String(place.index) : place.name)
            place = parent
        }
        return NodePath(names.reversed())
    }

    // MARK: Children

    func child(_ name: String) -> Place? {
        guard isArray else { return members[ScalarKey(name)] }
        guard let index = Self.index(name) else { return nil }
        let at = elements.partitioningIndex { $0.index >= index }
        return at < elements.count && elements[at].index == index ? elements[at] : nil
    }

    func makeChild(_ name: String) -> Place {
        let child = Place(.unknown, name: name, index: Self.index(name) ?? 0)
        attach(child)
        return child
    }

    /// Adds a child under its name or index, and replaces one there.
    func attach(_ child: Place) {
        child.parent = self
        guard isArray else {
            members[ScalarKey(child.name)] = child
            return
        }
        let at = elements.partitioningIndex { $0.index >= child.index }
        if at < elements.count, elements[at].index == child.index {
            elements[at] = child
        } else {
            elements.insert(child, at: at)
        }
    }

    func detach(_ child: Place) {
        if isArray {
            let at = elements.partitioningIndex { $0.index >= child.index }
            // Another one may have replaced it there.
            if at < elements.count, elements[at] === child { elements.remove(at: at) }
        } else {
            members[ScalarKey(child.name)] = nil
        }
        child.parent = nil
    }

    /// Makes an array an object.
    func becomeObject() {
        content = .object
        let children = elements
        elements = []
        for child in children {
            child.name = String(child.index)
            attach(child)
        }
    }

    /// Makes another container an array.
    func becomeArray() {
        if isArray { return }
        content = .array
        let children = members.values
        members = [:]
        for child in children {
            guard let index = Self.index(child.name) else { continue }
            child.index = index
            attach(child)
        }
    }

    /// Takes out the elements of a range, and moves those behind it.
    ///
    /// - Returns: The elements taken out, and whether others moved: all that are left from the range's start on.
    func takeElements(_ range: Range<Int>, movingOthersBy shift: Int) -> (taken: [Place], others: Bool) {
        let first = elements.partitioningIndex { $0.index >= range.lowerBound }
        let end = elements.partitioningIndex { $0.index >= range.upperBound }
        let taken = Array(elements[first..<end])
        elements.removeSubrange(first..<end)
        for place in taken { place.parent = nil }
        if shift == 0 { return (taken, false) }
        for place in elements[first...] { place.index += shift }
        return (taken, first < elements.count)
    }

    /// Gives elements other indices.
    ///
    /// - Parameter sources: The new index for the present one of each element that moves.
    /// - Returns: The places that moved.
    func moveElements(_ sources: [Int: Int]) -> [Place] {
        guard isArray else { return [] }
        let moved = elements.filter { sources[$0.index] != nil }
        for place in moved { place.index = sources[place.index] ?? place.index }
        elements.sort { $0.index < $1.index }
        return moved
    }

    /// More elements than any array has, so that sums of indices never overflow.
    static let maxElements = 1 << 40

    /// The index that a name stands for: digits only, without leading zeros.
    static func index(_ name: String) -> Int? {
        NodePath.index(name).flatMap { $0 < maxElements ? $0 : nil }
    }
}

extension String {
    /// Whether this may be the index of an element, or stand for the end of an array.
    var isIndex: Bool { self == "-" || Place.index(self) != nil }
}

extension Patch.Operation {
    /// The smallest part of a state outside of which the operation changes nothing: the array, if it may move elements.
    var region: NodePath {
        switch self {
        case .add(let path, _, _), .remove(let path, _, _):
            path.components.last?.isIndex == true ? NodePath(Array(path.components.dropLast())) : path
        case .replace, .splice, .edit: path
        }
    }
}
