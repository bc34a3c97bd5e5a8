/// A copy of a value that shares none of the value's large arrays.
///
/// If two values share an array, the first change to one of them copies all its elements, with a reference count each.
/// A series of changes, of which the value before each is needed, then costs the whole array each time. This copy has
/// arrays of its own instead. ``update(to:)`` takes over only the elements that differ.
///
/// **Cost.** An update compares the elements at memory speed, and copies those that differ. The first one copies all.
///
/// Sound: the offsets are those of stored properties in the type's metadata, and each access is to a field of the copy,
/// which this instance owns, or of a value that the caller holds, as its own type. Elements with the same bits are the
/// same value, since both arrays are alive.
package final class SeparateCopy<Value> {
    private let arrays: [(offset: Int, type: any SeparableArray.Type)]
    private let copy: UnsafeMutablePointer<Value>
    private var isSet = false

    /// Creates a copy without a value; `nil` if values have no arrays that are worth it: stored properties, also those
    /// of structs in the value, whose elements refer to other memory.
    package init?() {
        arrays = separableArrays(in: Value.self)
        if arrays.isEmpty { return nil }
        copy = .allocate(capacity: 1)
    }

    deinit {
        clear()
        copy.deallocate()
    }

    /// The value of the last update. There must have been one since ``clear()``.
    package var value: Value {
        precondition(isSet, "no value was copied")
        return copy.pointee
    }

    /// Releases the value.
    package func clear() {
        if isSet { copy.deinitialize(count: 1) }
        isSet = false
    }

    /// Makes the copy equal to a value.
    ///
    /// The copy's arrays are changed in place if nothing else refers to them.
    ///
    /// - Returns: Whether a large array has changed since the last update.
    @discardableResult
    package func update(to value: Value) -> Bool {
        let isFirst = !isSet
        if isFirst { copy.initialize(to: value) }
        isSet = true
        var hasChanged = false
        withUnsafePointer(to: value) { assign($0, from: 0, &hasChanged) }
        return hasChanged && !isFirst
    }

    /// Assigns a value, but for the arrays from `index` on, which are updated.
    private func assign(_ value: UnsafePointer<Value>, from index: Int, _ hasChanged: inout Bool) {
        guard index < arrays.count else {
            copy.pointee = value.pointee
            return
        }
        let (offset, type) = arrays[index]
        let isChanged = type.update(UnsafeMutableRawPointer(copy) + offset, to: UnsafeRawPointer(value) + offset) {
            assign(value, from: index + 1, &hasChanged)
        }
        if isChanged { hasChanged = true }
    }

    /// Whether a large array of `new` has another storage than that of `old`.
    package func hasOtherStorage(_ old: Value, _ new: Value) -> Bool {
        withUnsafePointer(to: old) { old in
            withUnsafePointer(to: new) { new in
                arrays.contains { offset, type in
                    type.hasOtherStorage(UnsafeRawPointer(old) + offset, UnsafeRawPointer(new) + offset)
                }
            }
        }
    }
}

/// The offsets and types of the arrays in a type's stored properties whose elements refer to other memory.
private func separableArrays(in type: Any.Type, at offset: Int = 0) -> [(offset: Int, type: any SeparableArray.Type)] {
    if let array = type as? any SeparableArray.Type { return array.isSeparable ? [(offset, array)] : [] }
    let metadata = TypeMetadata(type)
    guard !TypeLayout(of: type).isTrivial, metadata.kind == .structure || metadata.kind == .tuple,
        let parts = metadata.parts
    else { return [] }
    return parts.flatMap { (part) -> [(offset: Int, type: any SeparableArray.Type)] in
        guard let type = part.type, let partOffset = part.offset else { return [] }
        return separableArrays(in: type, at: offset + partOffset)
    }
}

/// An array of any elements.
private protocol SeparableArray {
    /// Whether a copy of the elements costs much more than a copy of their bytes.
    static var isSeparable: Bool { get }
    /// Updates the array at one address to that at another, around an assignment of the value that has it.
    ///
    /// - Parameter assign: Assigns the other fields. The array at `copy` is shared meanwhile.
    /// - Returns: Whether it is a large array and has changed.
    static func update(_ copy: UnsafeMutableRawPointer, to value: UnsafeRawPointer, _ assign: () -> Void) -> Bool
    /// Whether the array at `new` is a large one and has another storage.
    static func hasOtherStorage(_ old: UnsafeRawPointer, _ new: UnsafeRawPointer) -> Bool
}

/// The number of elements from which an array is large.
private let largeCount = 512

extension Array: SeparableArray {
    static var isSeparable: Bool { !_isPOD(Element.self) }

    static func update(_ copy: UnsafeMutableRawPointer, to value: UnsafeRawPointer, _ assign: () -> Void) -> Bool {
        let field = copy.assumingMemoryBound(to: Self.self)
        let source = value.assumingMemoryBound(to: Self.self)
        var own = field.move()
        // While the rest is assigned, the field holds a second reference to the new array.
        field.initialize(to: source.pointee)
        assign()
        let isChanged = own.takeOver(source.pointee)
        field.pointee = own
        return isChanged && source.pointee.count >= largeCount
    }

    /// Changes the elements that differ, in this array's own storage.
    private mutating func takeOver(_ other: [Element]) -> Bool {
        let common = Swift.min(count, other.count)
        var isChanged = count != other.count
        let bits = ComparisonTraits.of(Element.self).bits
        withUnsafeMutableBufferPointer { own in
            other.withUnsafeBufferPointer { other in
                guard common > 0, let left = own.baseAddress, let right = other.baseAddress else { return }
                var index = 0
                while true {
                    index += bits.samePrefix(left + index, right + index, count: common - index)
                    if index == common { return }
                    left[index] = right[index]
                    isChanged = true
                    index += 1
                }
            }
        }
        if count > common { removeLast(count - common) }
        if other.count > common { append(contentsOf: other[common...]) }
        return isChanged
    }

    static func hasOtherStorage(_ old: UnsafeRawPointer, _ new: UnsafeRawPointer) -> Bool {
        // An array is one reference to its storage.
        old.load(as: UInt.self) != new.load(as: UInt.self)
            && new.assumingMemoryBound(to: Self.self).pointee.count >= largeCount
    }
}
