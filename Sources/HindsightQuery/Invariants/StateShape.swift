import HindsightTree

/// What the states of some recordings look like: which members and elements occur, of which kinds.
///
/// The elements of an array share one shape. So do the values of a dictionary: an object counts as one if a key is no
/// identifier, if there are more than ``mostFields`` keys, or if keys come and go and all values are objects with a
/// member in common, or at least ``fewKeys`` values of another kind.
final class StateShape {
    /// The kinds of values that occur.
    struct Kinds: OptionSet {
        let rawValue: UInt8

        static let null = Kinds(rawValue: 1)
        static let bool = Kinds(rawValue: 2)
        static let number = Kinds(rawValue: 4)
        static let string = Kinds(rawValue: 8)
        static let array = Kinds(rawValue: 16)
        static let object = Kinds(rawValue: 32)
        static let data = Kinds(rawValue: 64)
    }

    private(set) var kinds: Kinds = []
    /// The members of objects, in the order in which they were first seen.
    private(set) var fields: [(name: String, shape: StateShape)] = []
    private var indices: [ScalarKey: Int] = [:]
    /// The elements of arrays, or the values of a dictionary.
    private(set) var element: StateShape?
    /// Whether objects here are dictionaries. Known once all states were added.
    private(set) var isDictionary = false

    /// The number of values.
    private var count = 0
    /// The number of objects, and of those with exactly one member.
    private var (objects, singles) = (0, 0)
    /// The number of members that were added to objects, and removed from them.
    private var (added, removed) = (0, 0)
    /// Whether it was added to an object, or removed from one.
    private var comesAndGoes = false

    /// An object with more keys is a dictionary.
    private static let mostFields = 64
    /// As many keys that come and go may be those of a dictionary of numbers, texts or arrays.
    private static let fewKeys = 4

    /// Whether there are arrays or objects, and also values of another kind, so that no rule can read all of them.
    var isMixed: Bool {
        let kinds = kinds.subtracting(.null)
        return !kinds.isDisjoint(with: [.array, .object]) && kinds != .array && kinds != .object
    }

    /// Whether objects here have one of several members each, as the cases of an enum do.
    var isEnum: Bool { !isDictionary && fields.count > 1 && objects > 0 && singles == objects && added == removed }

    /// Adds a value.
    func add(_ node: Node) {
        count += 1
        switch node {
        case .null: kinds.insert(.null)
        case .bool: kinds.insert(.bool)
        case .int, .number: kinds.insert(.number)
        case .string: kinds.insert(.string)
        case .data: kinds.insert(.data)
        case .array(let elements):
            kinds.insert(.array)
            for value in elements { elementShape().add(value) }
        case .object(let members):
            kinds.insert(.object)
            objects += 1
            if members.count == 1 { singles += 1 }
            for member in members { field(member.key).add(member.value) }
        }
    }

    /// Adds what an operation writes.
    func add(_ operation: Patch.Operation) {
        var shape = self
        var path = operation.path.components[...]
        while let component = path.popFirst() {
            let isElement = shape.kinds.contains(.array) && NodePath.index(component) != nil
            if path.isEmpty, !isElement { shape.change(component, by: operation) }
            shape = isElement ? shape.elementShape() : shape.field(component)
        }
        switch operation {
        case .add(_, let value, _): shape.add(value)
        case .replace(_, _, let new): shape.add(new)
        case .splice(_, _, _, let inserted): for value in inserted { shape.elementShape().add(value) }
        case .remove, .edit: break
        }
    }

    /// Notes that an object here has gained or lost a member.
    private func change(_ name: String, by operation: Patch.Operation) {
        switch operation {
        case .add: added += 1
        case .remove: removed += 1
        default: return
        }
        field(name).comesAndGoes = true
    }

    private func field(_ name: String) -> StateShape {
        if let index = indices[ScalarKey(name)] { return fields[index].shape }
        let shape = StateShape()
        indices[ScalarKey(name)] = fields.count
        fields.append((name, shape))
        return shape
    }

    private func elementShape() -> StateShape {
        if let element { return element }
        let shape = StateShape()
        element = shape
        return shape
    }

    /// Whether a member is absent or null at times.
    func isOptional(_ member: StateShape) -> Bool {
        member.kinds.contains(.null) || member.comesAndGoes || member.count < objects
    }

    /// Decides which objects are dictionaries. Call it once all was added.
    func finish() {
        if kinds.contains(.object), looksLikeDictionary {
            isDictionary = true
            let shape = elementShape()
            for field in fields { shape.merge(field.shape) }
            fields = []
            indices = [:]
        }
        for field in fields { field.shape.finish() }
        element?.finish()
    }

    private var looksLikeDictionary: Bool {
        if fields.count > Self.mostFields || fields.contains(where: { !Self.isIdentifier($0.name) }) { return true }
        guard fields.count > 1, !isEnum, fields.contains(where: { isOptional($0.shape) }) else {
            return false
        }
        let kinds = fields[0].shape.kinds
        guard fields.allSatisfy({ $0.shape.kinds == kinds }) else { return false }
        if kinds != .object { return fields.count >= Self.fewKeys && fields.allSatisfy { isOptional($0.shape) } }
        let names = fields.map { Set($0.shape.fields.map(\.name)) }
        return !names.dropFirst().reduce(names[0]) { $0.intersection($1) }.isEmpty
    }

    private func merge(_ other: StateShape) {
        kinds.formUnion(other.kinds)
        (count, objects, singles) = (count + other.count, objects + other.objects, singles + other.singles)
        (added, removed) = (added + other.added, removed + other.removed)
        comesAndGoes = comesAndGoes || other.comesAndGoes
        for field in other.fields { self.field(field.name).merge(field.shape) }
        if let element = other.element { elementShape().merge(element) }
    }

    private static func isIdentifier(_ name: String) -> Bool {
        guard let first = name.unicodeScalars.first, first == "_" || first.properties.isAlphabetic else { return false }
        return name.unicodeScalars.allSatisfy { $0 == "_" || $0.properties.isAlphabetic || ("0"..."9").contains($0) }
    }
}
