/// The text of a value while its `encode(to:)` is at work.
///
/// Containers are open one inside the other, and only the innermost of the innermost value can be written to: writing to
/// one further out ends those in it. What does not fit into that order makes the draft *unfit*, and it is given up.
struct DraftText {
    /// Thrown to end the work on an unfit draft.
    struct Unfit: Error {}

    /// A value, or a container, that is at work; never the same number twice.
    struct Handle {
        let index: Int
        let id: Int

        /// Where nothing can be written.
        static let none = Handle(index: -1, id: -1)
    }

    /// A value whose `encode(to:)` is at work.
    private struct Value {
        let id: Int
        /// How many names lead to it.
        let depth: Int
        /// How many containers are open around it.
        let base: Int
        var form = Shape.Form.none
        /// How many values it has written as a single one.
        var singles = 0
    }

    /// An open container.
    private struct Level {
        let id: Int
        /// The value that it is part of.
        let value: Int
        let isKeyed: Bool
        /// How many names lead to what is in it.
        let depth: Int
        /// Where its keys begin in `keys`.
        let firstKey: Int
        var count = 0
    }

    var writer = JSONWriter()
    var isUnfit = false
    private var values: [Value] = []
    private var levels: [Level] = []
    private var keys: [String] = []
    private var lastID = 0
    private var outline = NodeOutline.other
    /// The first key of the outermost container, and where the value begins that it has.
    private var first: (key: String, value: Int)?
    private var loneKey: String?

    /// Beyond so many levels, and so many keys in one container, somebody else does better.
    private static let deepest = 64
    private static let mostKeys = 32

    var depthOfValues: Int { values.count }

    mutating func clear() {
        writer.bytes.removeAll(keepingCapacity: true)
        // Only what was given up leaves any of these.
        if !values.isEmpty { values.removeAll(keepingCapacity: true) }
        if !levels.isEmpty { levels.removeAll(keepingCapacity: true) }
        if !keys.isEmpty { keys.removeAll(keepingCapacity: true) }
        isUnfit = false
        outline = .other
        first = nil
        loneKey = nil
    }

    /// Begins an object of one member.
    mutating func beginLone(_ key: String) throws {
        guard key.utf8.first != UInt8(ascii: "$") else { throw Unfit() }
        writer.bytes.append(UInt8(ascii: "{"))
        writer.write(string: key)
        writer.bytes.append(UInt8(ascii: ":"))
        loneKey = key
    }

    /// What was written, from far; `nil` where it is unfit.
    mutating func finish() -> NodeOutline? {
        if isUnfit || !values.isEmpty || !levels.isEmpty { return nil }
        guard let loneKey else { return outline }
        writer.bytes.append(UInt8(ascii: "}"))
        // Of what the member is, nobody asks: the key is one that the caller knows.
        return .member(loneKey, isObject: true)
    }

    // MARK: Values

    mutating func beginValue(_ depth: Int) -> Handle {
        lastID += 1
        values.append(Value(id: lastID, depth: depth, base: levels.count))
        return Handle(index: values.count - 1, id: lastID)
    }

    mutating func endValue(_ place: Handle) throws {
        guard !isUnfit, isInnermost(place), levels.count >= values[place.index].base else { throw Unfit() }
        let value = values[place.index]
        close(downTo: value.base)
        switch value.form {
        case .none:
            outlineIsOther()
            writer.write(ascii: "{}")
        case .single where value.singles != 1:
            throw Unfit()
        default:
            break
        }
        values.removeLast()
    }

    /// Ends a value that somebody else writes.
    mutating func giveUp(_ place: Handle) throws {
        guard !isUnfit, isInnermost(place) else { throw Unfit() }
        values.removeLast()
    }

    private func isInnermost(_ place: Handle) -> Bool {
        place.index == values.count - 1 && values[place.index].id == place.id
    }

    mutating func put(_ node: Node) {
        if levels.isEmpty { outline = node.outline }
        writer.write(node)
    }

    mutating func put(_ text: String) {
        if levels.isEmpty { outline = .text(text) }
        writer.write(string: text)
    }

    mutating func put(_ number: Int) {
        outlineIsOther()
        writer.write(int: number)
    }

    mutating func put(_ flag: Bool) {
        outlineIsOther()
        writer.write(ascii: flag ? "true" : "false")
    }

    mutating func put(_ number: Double) {
        guard number.isFinite else { return put(number.node) }
        outlineIsOther()
        writer.bytes.append(contentsOf: number.description.utf8)
    }

    /// Says that what is written outside of all containers looks like nothing that has a name.
    mutating func outlineIsOther() {
        if levels.isEmpty { outline = .other }
    }

    // MARK: Containers

    /// Opens the container of a value, or finds it open.
    mutating func open(_ place: Handle, as form: Shape.Form) -> Handle {
        guard !isUnfit, isInnermost(place) else { return unfit() }
        let value = values[place.index]
        if value.form == .none {
            values[place.index].form = form
            return push(isKeyed: form == .keyed, depth: value.depth + 1)
        }
        // A superclass and its subclass may share it.
        guard value.form == form, levels.count > value.base else { return unfit() }
        close(downTo: value.base + 1)
        return Handle(index: value.base, id: levels[value.base].id)
    }

    /// Makes a value one that stands for another.
    mutating func openSingle(_ place: Handle) {
        guard !isUnfit, isInnermost(place), values[place.index].form == .none else {
            isUnfit = true
            return
        }
        values[place.index].form = .single
    }

    /// Opens a container in the place that was just begun in another.
    mutating func openNested(in handle: Handle, isKeyed: Bool) -> Handle {
        isUnfit ? .none : push(isKeyed: isKeyed, depth: levels[handle.index].depth + 1)
    }

    private mutating func push(isKeyed: Bool, depth: Int) -> Handle {
        if depth >= Self.deepest { return unfit() }
        lastID += 1
        writer.bytes.append(isKeyed ? UInt8(ascii: "{") : UInt8(ascii: "["))
        levels.append(
            Level(id: lastID, value: values.count - 1, isKeyed: isKeyed, depth: depth, firstKey: keys.count)
        )
        return Handle(index: levels.count - 1, id: lastID)
    }

    private mutating func close(downTo count: Int) {
        while levels.count > count {
            let level = levels.removeLast()
            writer.bytes.append(level.isKeyed ? UInt8(ascii: "}") : UInt8(ascii: "]"))
            while keys.count > level.firstKey { keys.removeLast() }
            if levels.isEmpty { outlineOfOutermost(level) }
        }
    }

    private mutating func outlineOfOutermost(_ level: Level) {
        guard level.isKeyed, level.count == 1, let first, first.value + 1 < writer.bytes.count else {
            outline = .other
            return
        }
        let isObject = writer.bytes[first.value] == UInt8(ascii: "{")
        // Data looks the same from here: `{"$`. Behind it there is more.
        if isObject, writer.bytes[first.value + 1] == UInt8(ascii: "\""),
            writer.bytes[first.value + 2] == UInt8(ascii: "$")
        {
            isUnfit = true
        }
        outline = .member(first.key, isObject: isObject)
    }

    private mutating func unfit() -> Handle {
        isUnfit = true
        return .none
    }

    // MARK: Writing into a container

    /// How many elements a container has so far.
    func count(_ handle: Handle) -> Int {
        isOpen(handle) ? levels[handle.index].count : 0
    }

    private func isOpen(_ handle: Handle) -> Bool {
        handle.index >= 0 && handle.index < levels.count && levels[handle.index].id == handle.id
    }

    /// Begins an element, or what follows a key.
    ///
    /// - Returns: How many names lead to it.
    @discardableResult
    mutating func begin(in handle: Handle) throws -> Int {
        guard !isUnfit, isOpen(handle), levels[handle.index].value == values.count - 1 else {
            isUnfit = true
            throw Unfit()
        }
        close(downTo: handle.index + 1)
        if levels[handle.index].count > 0 { writer.bytes.append(UInt8(ascii: ",")) }
        levels[handle.index].count += 1
        return levels[handle.index].depth
    }

    /// Begins a member.
    ///
    /// - Returns: How many names lead to it.
    @discardableResult
    mutating func begin(_ key: String, in handle: Handle) throws -> Int {
        let depth = try begin(in: handle)
        let firstKey = levels[handle.index].firstKey
        // A key with a dollar may be one of those that are escaped.
        var fits = key.utf8.first != UInt8(ascii: "$") && keys.count - firstKey < Self.mostKeys
        for index in firstKey..<keys.count where keys[index].hasSameScalars(as: key) { fits = false }
        guard fits else {
            isUnfit = true
            throw Unfit()
        }
        keys.append(key)
        writer.write(string: key)
        writer.bytes.append(UInt8(ascii: ":"))
        if handle.index == 0, levels[0].count == 1 { first = (key, writer.bytes.count) }
        return depth
    }

    /// Begins what a value stands for.
    ///
    /// - Returns: How many names lead to it.
    @discardableResult
    mutating func beginSingle(_ place: Handle) throws -> Int {
        guard !isUnfit, isInnermost(place), values[place.index].form == .single else {
            isUnfit = true
            throw Unfit()
        }
        values[place.index].singles += 1
        return values[place.index].depth
    }
}

extension DraftText {
    mutating func put(integer: some FixedWidthInteger) {
        if let number = Int(exactly: integer) { put(number) } else { put(Node(integer: integer)) }
    }
}
