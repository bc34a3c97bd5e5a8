import HindsightFormat

/// States on their way to the writer, with the durations of their reducers; only the durations if the writer computes
/// the states. Their type is known only to the code that adds and takes them.
///
/// Sound to send: its owner hands it on, and does not access it afterwards.
class StateSnapshots: @unchecked Sendable {
    final fileprivate(set) var count = 0
    /// The number of durations.
    final private(set) var timedCount = 0
    final fileprivate let durations: UnsafeMutablePointer<Int64>
    /// The capacity in bytes.
    final let bytes: Int

    fileprivate init(durations: UnsafeMutablePointer<Int64>, bytes: Int) {
        self.durations = durations
        self.bytes = bytes
    }

    /// The duration of a reducer.
    final func duration(_ index: Int) -> Int64 {
        precondition(index < timedCount, "a reducer that was not timed")
        return durations[index]
    }

    /// The sum of the durations.
    final var duration: Int64 { (0..<timedCount).reduce(0) { $0 + durations[$1] } }

    /// Keeps the duration of the next reducer.
    final func keep(duration: Int64) {
        durations[timedCount] = duration
        timedCount += 1
    }

    /// Releases the states.
    func removeAll() { (count, timedCount) = (0, 0) }

    /// A single state.
    static func one<StateValue>(_ state: StateValue) -> StateSnapshots {
        let kept = TypedStateSnapshots<StateValue>(capacity: 1)
        kept.keep(state, 0)
        return kept
    }
}

/// States of one type.
///
/// It has its own memory, so that keeping a state costs only a copy of the value, even if the compiler does not know
/// the type. Sound: only the first `count` of the allocated places are initialized and read. The states follow the
/// durations in one allocation, at a multiple of their alignment.
final class TypedStateSnapshots<StateValue>: StateSnapshots, @unchecked Sendable {
    private let states: UnsafeMutablePointer<StateValue>
    private let capacity: Int

    init(capacity: Int) {
        self.capacity = capacity
        let alignment = max(MemoryLayout<StateValue>.alignment, MemoryLayout<Int64>.alignment)
        let start = (capacity * MemoryLayout<Int64>.stride + alignment - 1) / alignment * alignment
        let bytes = start + capacity * MemoryLayout<StateValue>.stride
        let memory = UnsafeMutableRawPointer.allocate(byteCount: bytes, alignment: alignment)
        states = (memory + start).bindMemory(to: StateValue.self, capacity: capacity)
        super.init(durations: memory.bindMemory(to: Int64.self, capacity: capacity), bytes: bytes)
    }

    override func removeAll() {
        states.deinitialize(count: count)
        super.removeAll()
    }

    deinit {
        states.deinitialize(count: count)
        UnsafeMutableRawPointer(durations).deallocate()
    }

    func keep(_ state: StateValue, _ duration: Int64) {
        precondition(count < capacity, "more states than reducers")
        (states + count).initialize(to: state)
        count += 1
        keep(duration: duration)
    }

    /// A state in place, valid while this object lives. Taking it out costs a copy.
    func place(_ index: Int) -> UnsafePointer<StateValue> {
        precondition(index < count, "a state that was not kept")
        return UnsafePointer(states + index)
    }

    subscript(index: Int) -> StateValue { withExtendedLifetime(self) { place(index).pointee } }
}

extension StateSnapshots {
    /// The states, which must have this type.
    final func of<StateValue>(_ type: StateValue.Type) -> TypedStateSnapshots<StateValue> {
        unsafeDowncast(self, to: TypedStateSnapshots<StateValue>.self)
    }
}
