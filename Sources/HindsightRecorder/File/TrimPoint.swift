import HindsightFormat

/// Chooses the whole state with which a limited recording begins, without any file.
struct TrimPoint {
    private let actions: Int
    private let age: Int64
    /// The whole states that are in the file, and when each came; those before `first` are not any more.
    private var states: [(seq: Int, time: Int64)] = []
    private var first = 0

    /// Whole states this near to each other are dropped in one go.
    private static let stride = 256

    init(_ limit: RecordingLimit) {
        actions = limit.actions ?? .max
        age = limit.age?.nanoseconds ?? .max
    }

    /// The action with which the recording begins.
    var base: Int { first < states.count ? states[first].seq : 0 }

    /// A whole state is in the file.
    mutating func keep(_ seq: Int, at time: Int64) { states.append((seq, time)) }

    /// Whether the recording may begin later for its actions' number or age.
    func isDue(last: Int, now: Int64) -> Bool {
        guard first + 1 < states.count else { return false }
        let next = states[first + 1]
        return last - next.seq >= actions || now - next.time >= age
    }

    /// Whether there is a later state to begin with.
    var canMove: Bool { first + 1 < states.count }

    /// Begins with a later state: the next one, or, where that is near, one a little later.
    mutating func move(while isWanted: (_ seq: Int, _ time: Int64) -> Bool = { _, _ in true }) {
        guard canMove else { return }
        let near = base + Self.stride
        repeat {
            first += 1
        } while canMove && states[first + 1].seq <= near && isWanted(states[first + 1].seq, states[first + 1].time)
        if first > 1024, first > states.count / 2 {
            states.removeFirst(first)
            first = 0
        }
    }

    /// Begins with a later state, as far as the number or age of the actions allow that.
    mutating func moveIfDue(last: Int, now: Int64) {
        guard isDue(last: last, now: now) else { return }
        let (actions, age) = (actions, age)
        move { seq, time in last - seq >= actions || now - time >= age }
    }
}
