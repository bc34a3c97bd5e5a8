/// Writes the JSON text of a value while its `encode(to:)` runs.
///
/// A pure state machine. Containers are open one inside the other, and only the innermost container of the innermost
/// value takes more: writing to an outer container closes those inside it. A value that does not write in this order
/// makes the writer *fall back*: its text is dropped, and ``NodeEncoder`` encodes the value.
struct JSONStreamWriter {
    /// Ends the encoding of a value that falls back.
    struct Fallback: Error {}

    /// Refers to a value or a container that is being written. No ID is given twice.
    struct Handle {
        let index: Int
        let id: Int

        /// Takes nothing.
        static let none = Handle(index: -1, id: -1)
    }

    /// A value whose `encode(to:)` runs.
    private struct Value {
        let id: Int
        /// The number of names on the path to the value.
        let depth: Int
        /// The number of containers that are open around the value.
        let base: Int
        var kind = FieldEncoder.ContainerKind.none
        /// The number of values written to the single value container.
        var singles = 0
    }

    /// An open container.
    private struct Container {
        let id: Int
        /// The index of the value that the container is part of.
        let value: Int
        let isKeyed: Bool
        /// The number of names on the path to the container's members.
        let depth: Int
        /// The index in `keys` of the container's first key.
        let firstKey: Int
        var count = 0
    }

    var json = JSONWriter()
    var fallsBack = false
    private var values: [Value] = []
    private var containers: [Container] = []
    private var keys: [String] = []
    private var lastID = 0
    private var outline = NodeOutline.other
    /// The first key of the outermost container, and the offset at which its value starts.
    private var first: (key: String, value: Int)?
    private var wrappingKey: String?

    /// A value with more levels, or a container with more keys, falls back.
    private static let maxDepth = 64
    private static let maxKeys = 32

    /// The number of values inside each other whose `encode(to:)` runs.
    var valueDepth: Int { values.count }

    mutating func clear() {
        json.bytes.removeAll(keepingCapacity: true)
        // Only a value that fell back leaves any of these.
        if !values.isEmpty { values.removeAll(keepingCapacity: true) }
        if !containers.isEmpty { containers.removeAll(keepingCapacity: true) }
        if !keys.isEmpty { keys.removeAll(keepingCapacity: true) }
        fallsBack = false
        outline = .other
        first = nil
        wrappingKey = nil
    }

    /// Starts an object whose only member is the value.
    mutating func beginObject(wrappingUnder key: String) throws {
        guard key.utf8.first != UInt8(ascii: "$") else { throw Fallback() }
        json.bytes.append(UInt8(ascii: "{"))
        json.write(string: key)
        json.bytes.append(UInt8(ascii: ":"))
        wrappingKey = key
    }

    /// Ends the text, and returns its outline; `nil` if the value falls back.
    mutating func finish() -> NodeOutline? {
        if fallsBack || !values.isEmpty || !containers.isEmpty { return nil }
        guard let wrappingKey else { return outline }
        json.bytes.append(UInt8(ascii: "}"))
        // No caller that wraps a value asks whether the value is an object.
        return .member(wrappingKey, isObject: true)
    }

    // MARK: Values

    mutating func beginValue(_ depth: Int) -> Handle {
        lastID += 1
        values.append(Value(id: lastID, depth: depth, base: containers.count))
        return Handle(index: values.count - 1, id: lastID)
    }

    mutating func endValue(_ handle: Handle) throws {
        guard !fallsBack, isInnermost(handle), containers.count >= values[handle.index].base else { throw Fallback() }
        let value = values[handle.index]
        close(downTo: value.base)
        switch value.kind {
        case .none:
            clearOutline()
            json.write(ascii: "{}")
        case .single where value.singles != 1:
            throw Fallback()
        default:
            break
        }
        values.removeLast()
    }

    /// Ends a value whose text is written as a whole.
    mutating func endOpaqueValue(_ handle: Handle) throws {
        guard !fallsBack, isInnermost(handle) else { throw Fallback() }
        values.removeLast()
    }

    private func isInnermost(_ handle: Handle) -> Bool {
        handle.index == values.count - 1 && values[handle.index].id == handle.id
    }

    mutating func put(_ node: Node) {
        if containers.isEmpty { outline = node.outline }
        json.write(node)
    }

    mutating func put(_ text: String) {
        if containers.isEmpty { outline = .text(text) }
        json.write(string: text)
    }

    mutating func put(_ number: Int) {
        clearOutline()
        json.write(int: number)
    }

    mutating func put(_ flag: Bool) {
        clearOutline()
        json.write(ascii: flag ? "true" : "false")
    }

    mutating func put(_ number: Double) {
        guard number.isFinite else { return put(number.node) }
        clearOutline()
        json.bytes.append(contentsOf: number.description.utf8)
    }

    mutating func put(integer: some FixedWidthInteger) {
        if let number = Int(exactly: integer) { put(number) } else { put(Node(integer: integer)) }
    }

    /// Notes that a value outside of all containers has no name.
    mutating func clearOutline() {
        if containers.isEmpty { outline = .other }
    }

    // MARK: Containers

    /// Opens the container of a value, or finds it open.
    mutating func open(_ handle: Handle, as kind: FieldEncoder.ContainerKind) -> Handle {
        guard !fallsBack, isInnermost(handle) else { return fallBack() }
        let value = values[handle.index]
        if value.kind == .none {
            values[handle.index].kind = kind
            return push(isKeyed: kind == .keyed, depth: value.depth + 1)
        }
        // A superclass and its subclass may share the container.
        guard value.kind == kind, containers.count > value.base else { return fallBack() }
        close(downTo: value.base + 1)
        return Handle(index: value.base, id: containers[value.base].id)
    }

    /// Opens the single value container of a value.
    mutating func openSingle(_ handle: Handle) {
        guard !fallsBack, isInnermost(handle), values[handle.index].kind == .none else {
            fallsBack = true
            return
        }
        values[handle.index].kind = .single
    }

    /// Opens a container as the member or element that was just begun in another container.
    mutating func openNested(in handle: Handle, isKeyed: Bool) -> Handle {
        fallsBack ? .none : push(isKeyed: isKeyed, depth: containers[handle.index].depth + 1)
    }

    private mutating func push(isKeyed: Bool, depth: Int) -> Handle {
        if depth >= Self.maxDepth { return fallBack() }
        lastID += 1
        json.bytes.append(isKeyed ? UInt8(ascii: "{") : UInt8(ascii: "["))
        containers.append(
            Container(id: lastID, value: values.count - 1, isKeyed: isKeyed, depth: depth, firstKey: keys.count)
        )
        return Handle(index: containers.count - 1, id: lastID)
    }

    private mutating func close(downTo count: Int) {
        while containers.count > count {
            let container = containers.removeLast()
            json.bytes.append(container.isKeyed ? UInt8(ascii: "}") : UInt8(ascii: "]"))
            while keys.count > container.firstKey { keys.removeLast() }
            if containers.isEmpty { setOutline(of: container) }
        }
    }

    /// Sets the outline to that of the outermost container.
    private mutating func setOutline(of container: Container) {
        guard container.isKeyed, container.count == 1, let first, first.value + 1 < json.bytes.count else {
            outline = .other
            return
        }
        let isObject = json.bytes[first.value] == UInt8(ascii: "{")
        // `{"$` may begin data too, which is no object. A longer text always follows.
        if isObject, json.bytes[first.value + 1] == UInt8(ascii: "\""), json.bytes[first.value + 2] == UInt8(ascii: "$")
        {
            fallsBack = true
        }
        outline = .member(first.key, isObject: isObject)
    }

    private mutating func fallBack() -> Handle {
        fallsBack = true
        return .none
    }

    // MARK: Writing into a container

    /// The number of elements that a container has so far.
    func count(_ handle: Handle) -> Int {
        isOpen(handle) ? containers[handle.index].count : 0
    }

    private func isOpen(_ handle: Handle) -> Bool {
        handle.index >= 0 && handle.index < containers.count && containers[handle.index].id == handle.id
    }

    /// Begins an element, or a member whose key follows.
    ///
    /// - Returns: The number of names on the path to it.
    @discardableResult
    mutating func begin(in handle: Handle) throws -> Int {
        guard !fallsBack, isOpen(handle), containers[handle.index].value == values.count - 1 else {
            fallsBack = true
            throw Fallback()
        }
        close(downTo: handle.index + 1)
        if containers[handle.index].count > 0 { json.bytes.append(UInt8(ascii: ",")) }
        containers[handle.index].count += 1
        return containers[handle.index].depth
    }

    /// Begins a member.
    ///
    /// - Returns: The number of names on the path to it.
    @discardableResult
    mutating func begin(_ key: String, in handle: Handle) throws -> Int {
        let depth = try begin(in: handle)
        let firstKey = containers[handle.index].firstKey
        // A key that starts with a dollar sign may need escaping.
        var fits = key.utf8.first != UInt8(ascii: "$") && keys.count - firstKey < Self.maxKeys
        for index in firstKey..<keys.count where keys[index].hasSameScalars(as: key) { fits = false }
        guard fits else {
            fallsBack = true
            throw Fallback()
        }
        keys.append(key)
        json.write(string: key)
        json.bytes.append(UInt8(ascii: ":"))
        if handle.index == 0, containers[0].count == 1 { first = (key, json.bytes.count) }
        return depth
    }

    /// Begins the value of a single value container.
    ///
    /// - Returns: The number of names on the path to it.
    @discardableResult
    mutating func beginSingle(_ handle: Handle) throws -> Int {
        guard !fallsBack, isInnermost(handle), values[handle.index].kind == .single else {
            fallsBack = true
            throw Fallback()
        }
        values[handle.index].singles += 1
        return values[handle.index].depth
    }
}
