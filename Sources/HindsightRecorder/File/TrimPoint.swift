import HindsightFormat

/// Chooses the keyframe with which a recording with a limit begins. A pure state machine.
struct TrimPoint {
    private let actions: Int
    private let age: Int64
    /// The keyframes in the file, with their times. Those before `first` were dropped.
    private var states: [(seq: Int, time: Int64)] = []
    private var first = 0

    /// The distance within which keyframes are dropped together.
    private static let stride = 256

    init(_ limit: RecordingLimit) {
        actions = limit.actions ?? .max
        age = limit.age?.nanoseconds ?? .max
    }

    /// The action with which the recording begins.
    var base: Int { first < states.count ? states[first].seq : 0 }

    /// Notes a keyframe in the file.
    mutating func keep(_ seq: Int, at time: Int64) { states.append((seq, time)) }

    /// Notes that keyframes were removed, apart from that of the start.
    mutating func forget(_ actions: ClosedRange<Int>) {
        guard first < states.count else { return }
        states = states[...first] + states[(first + 1)...].filter { !actions.contains($0.seq) }
    }

    /// Whether the limit of actions or of age allows a later start.
    func isDue(last: Int, now: Int64) -> Bool {
        guard canMove else { return false }
        let next = states[first + 1]
        return last - next.seq >= actions || now - next.time >= age
    }

    /// Whether there is a later keyframe.
    var canMove: Bool { first + 1 < states.count }

    /// Moves the start to the next keyframe, or, if that is near, to a later one, but past at most half of them: few
    /// large actions may take all the room.
    mutating func move() {
        let last = first + max(1, (states.count - 1 - first) / 2)
        move { $0.first < last }
    }

    private mutating func move(while isWanted: (TrimPoint) -> Bool) {
        guard canMove else { return }
        let near = base + Self.stride
        repeat {
            first += 1
        } while canMove && states[first + 1].seq <= near && isWanted(self)
        if first > 1024, first > states.count / 2 {
            states.removeFirst(first)
            first = 0
        }
    }

    /// Moves the start as far as the limit of actions or of age allows.
    mutating func moveIfDue(last: Int, now: Int64) {
        if isDue(last: last, now: now) { move { $0.isDue(last: last, now: now) } }
    }
}
