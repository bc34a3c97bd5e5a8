import HindsightRecording
import HindsightSQLite
import HindsightTree

/// Keeps the values at some paths up to date while a scan goes through a recording, without whole states.
///
/// An operation on an array moves its other elements, so the array above an element is kept as a whole: for
/// `/items/3/done`, that is `/items`. It is called the anchor of the path. If an index says that the elements seldom
/// move, the anchor is the path itself, and the state is read where they do.
final class PathTracker {
    /// A part of the state that is kept.
    private struct Anchor {
        /// The part after the present action or reducer.
        var part: StatePart
        /// Whether it may be an element of an array, or be in one.
        let isSteady: Bool
        /// What was there before the present action or reducer; `nil` if nothing was.
        var old: Node?
        /// Whether the present action or reducer wrote it.
        var isWritten = false
    }

    /// What decides whether an operation touches an anchor. Apart from the nodes, since it is copied for each operation.
    private struct Matcher {
        let path: [UInt8]
        let isSteady: Bool
    }

    private struct Slot {
        let anchor: Int
        let path: NodePath
        /// The rest of the path, inside the anchor.
        let rest: NodePath
        /// The present value, if it was asked for.
        var value: SQLValue?
        /// How much of it is hidden.
        var hidden = HiddenValues.Extent.nothing
        /// Whether a value was asked for, and whether there has been one.
        var wasRead = false
        var hasExisted = false
    }

    private let recording: Recording
    private let keepsOld: Bool
    private let index: ChangeIndex?
    private let hidden: HiddenValues
    private var anchors: [Anchor] = []
    /// Those of the anchors, in the same order.
    private var matchers: [Matcher] = []
    private var slots: [Slot] = []
    private let states: LazyStateCursor

    /// - Parameter keepsOld: Whether values before an action will be asked for.
    init(of recording: Recording, keepingOld keepsOld: Bool, by index: ChangeIndex?, hiding hidden: HiddenValues) {
        (self.recording, self.index, self.hidden) = (recording, index, hidden)
        self.keepsOld = keepsOld
        states = LazyStateCursor(on: recording)
    }

    /// The paths of which changes count, without repetitions.
    var anchorPaths: [NodePath] { anchors.map(\.part.path) }
    var hasAnchors: Bool { !anchors.isEmpty }
    var slotCount: Int { slots.count }

    /// Whether there was no value whenever that of a slot was asked for.
    func isMissing(_ slot: Int) -> Bool { slots[slot].wasRead && !slots[slot].hasExisted }

    // MARK: Paths

    /// Adds the next slot.
    ///
    /// - Parameters:
    ///   - position: The present position; `nil` if its state is not known, or not yet.
    ///   - before: The position before it, if its state is known and values there will be asked for.
    func add(_ path: NodePath, at position: Recording.Position?, before: Recording.Position?) throws {
        let isSteady = hasSteadyElements(path)
        let (anchorPath, rest) = isSteady ? (path, NodePath()) : Self.split(path)
        if let index = anchors.firstIndex(where: { $0.part.path == anchorPath }) {
            slots.append(Slot(anchor: index, path: path, rest: rest))
            return
        }
        var anchor = Anchor(part: StatePart(path: anchorPath), isSteady: isSteady)
        if let before, keepsOld {
            anchor.old = try states.state(at: before)[anchorPath]
            anchor.isWritten = true
        }
        if let position { anchor.part = StatePart(path: anchorPath, node: try states.state(at: position)[anchorPath]) }
        anchors.append(anchor)
        matchers.append(Matcher(path: Array(anchorPath.description.utf8), isSteady: isSteady))
        slots.append(Slot(anchor: anchors.count - 1, path: path, rest: rest))
    }

    /// How often elements may move so that the state after each time is read.
    private static let maxMoves = 64

    /// Whether the index says that the elements around a path seldom move.
    private func hasSteadyElements(_ path: NodePath) -> Bool {
        guard let index else { return false }
        return path.ancestors.reduce(0) { $0 + index.keys(at: $1).count } <= Self.maxMoves
    }

    private static func split(_ path: NodePath) -> (anchor: NodePath, rest: NodePath) {
        let end = path.components.firstIndex(where: \.isIndex) ?? path.components.count
        return (NodePath(Array(path.components[..<end])), NodePath(Array(path.components[end...])))
    }

    // MARK: Moving

    /// Reads the state at a position.
    func load(_ position: Recording.Position) throws {
        let state = try states.state(at: position)
        for index in anchors.indices {
            let part = StatePart(path: anchors[index].part.path, node: state[anchors[index].part.path])
            if anchors[index].part.node != part.node || part.node == nil { write(index) { $0 = part } }
        }
    }

    /// Begins the next action or reducer: what was the present value is now the old one.
    func begin() {
        for index in anchors.indices where anchors[index].isWritten {
            anchors[index].isWritten = false
            anchors[index].old = nil
        }
    }

    /// Whether an operation at a path, as it stands in a recording, may change an anchor.
    func isTouched(by operation: TimedPatches.ScannedOperation) -> Bool {
        if operation.isEscaped { return true }
        // An element that is added or removed moves those after it.
        let container = operation.movesElements ? operation.path.lastIndex(of: UInt8(ascii: "/")) ?? 0 : 0
        return matchers.contains { anchor in
            if Self.overlap(anchor.path, operation.path) { return true }
            guard operation.movesElements, anchor.isSteady else { return false }
            return Self.overlap(anchor.path, UnsafeBufferPointer(rebasing: operation.path[..<container]))
        }
    }

    /// Whether one path contains the other.
    private static func overlap(_ anchor: [UInt8], _ path: UnsafeBufferPointer<UInt8>) -> Bool {
        let common = min(anchor.count, path.count)
        for index in 0..<common where anchor[index] != path[index] { return false }
        if anchor.count == path.count { return true }
        return (anchor.count < path.count ? path[common] : anchor[common]) == UInt8(ascii: "/")
    }

    /// Applies a patch as far as it touches the anchors.
    ///
    /// - Parameter position: The position to which the patch leads.
    /// - Returns: Whether it touches one.
    /// - Throws: `TreeError` if it does not fit, or a `RecordingError` if the state there is needed and cannot be read.
    @discardableResult
    func apply(_ patch: Patch, leadingTo position: Recording.Position) throws -> Bool {
        var isTouched = false
        for operation in patch.operations {
            for index in anchors.indices {
                if anchors[index].isSteady, operation.moves(anchors[index].part.path) {
                    try load(position)
                    return true
                }
                guard anchors[index].part.isTouched(by: operation) else { continue }
                isTouched = true
                try write(index) { try $0.apply(operation) }
            }
        }
        return isTouched
    }

    private func write(_ index: Int, _ body: (inout StatePart) throws -> Void) rethrows {
        if !anchors[index].isWritten {
            anchors[index].isWritten = true
            if keepsOld { anchors[index].old = anchors[index].part.node }
        }
        for slot in slots.indices where slots[slot].anchor == index { slots[slot].value = nil }
        try body(&anchors[index].part)
    }

    // MARK: Values

    /// The present value at the path of a slot; `nil` if it is hidden.
    ///
    /// - Parameter takesParts: Whether parts of the value may be hidden.
    func value(_ slot: Int, takingParts takesParts: Bool) -> SQLValue? {
        let value: SQLValue
        if let known = slots[slot].value {
            value = known
        } else {
            let node = anchors[slots[slot].anchor].part.node?[slots[slot].rest]
            note(slot, node)
            value = SQLValue(node)
            slots[slot].value = value
            slots[slot].hidden = hidden.extent(of: node, at: slots[slot].path)
        }
        return Self.isKnown(slots[slot].hidden, takesParts) ? value : nil
    }

    /// The value before the present action or reducer; `nil` if it is hidden.
    func oldValue(_ slot: Int, takingParts takesParts: Bool) -> SQLValue? {
        guard anchors[slots[slot].anchor].isWritten else { return value(slot, takingParts: takesParts) }
        let node = oldNode(slot)
        note(slot, node)
        return Self.isKnown(hidden.extent(of: node, at: slots[slot].path), takesParts) ? SQLValue(node) : nil
    }

    static func isKnown(_ extent: HiddenValues.Extent, _ takesParts: Bool) -> Bool {
        switch extent {
        case .nothing: true
        case .parts: takesParts
        case .all: false
        }
    }

    private func note(_ slot: Int, _ node: Node?) {
        slots[slot].wasRead = true
        if node != nil { slots[slot].hasExisted = true }
    }

    private func oldNode(_ slot: Int) -> Node? { anchors[slots[slot].anchor].old?[slots[slot].rest] }

    /// Whether the present action or reducer changed the value; `nil` if it is hidden.
    func hasChanged(_ slot: Int) -> Bool? {
        let new = anchors[slots[slot].anchor].part.node?[slots[slot].rest]
        note(slot, new)
        guard anchors[slots[slot].anchor].isWritten else {
            return hidden.extent(of: new, at: slots[slot].path) == .all ? nil : false
        }
        let old = oldNode(slot)
        note(slot, old)
        return hidden.hasChanged(old, new, at: slots[slot].path)
    }
}

extension Patch.Operation {
    /// Whether the operation moves the element of an array that a place is, or is in.
    ///
    /// `true` also for members of an object whose names are numbers, because a path does not tell them apart.
    func moves(_ place: NodePath) -> Bool {
        let array: Int
        switch self {
        case .add, .remove: array = path.components.count - 1
        case .splice: array = path.components.count
        case .replace, .edit: return false
        }
        guard array >= 0, array < place.components.count,
            path.components[..<array].elementsEqual(place.components[..<array]),
            let index = Place.index(place.components[array])
        else { return false }
        if case .splice(_, let at, _, _) = self { return at <= index }
        guard let changed = Place.index(path.components[array]) else { return false }
        return changed <= index
    }
}

extension SQLValue {
    /// A value of a state, as ``RecordingExpression`` describes it.
    init(_ node: Node?) {
        self =
            switch node {
            case nil, .null?: .null
            case .bool(let value)?: .integer(value ? 1 : 0)
            case .int(let value)?: .integer(Int64(value))
            case .number(let literal)?: ExactNumber.value(of: literal)
            case .string(let text)?: .text(text)
            case .data(let bytes)?: .blob(bytes)
            case .array?, .object?: .marked(node?.json ?? "", UInt8(ascii: "J"))
            }
    }
}

extension Node {
    /// A value that SQLite has evaluated.
    ///
    /// - Throws: A ``TreeError`` if a text that SQLite marks as JSON is none.
    init(_ value: SQLValue) throws(TreeError) {
        switch value {
        case .null: self = .null
        case .integer(let integer): self = .int(Int(integer))
        case .real(let double): self = double.isFinite ? .number("\(double)") : .string("\(double)")
        case .text(let text): self = .string(text)
        case .marked(let literal, ExactNumber.mark): self = .number(literal)
        case .marked(let json, _): self = try Node(json: json)
        case .blob(let bytes): self = .data(bytes)
        }
    }
}
