import HindsightFormat

/// The queue between the dispatching threads and the writer, as a pure state machine without threads.
struct WriterQueue<Item> {
    /// The limits of the queue.
    struct Limit {
        var items: Int
        var bytes: Int
    }

    /// What the writer does next.
    enum Task {
        /// The queue is empty: sleep until a command comes.
        case sleep
        /// The queue is empty, but had commands a moment ago: sleep briefly, without being woken for a small batch.
        /// Waking a thread costs more than the rest of an action.
        case doze
        /// The batch is small: wait briefly for more.
        case linger
        case write([Item])
        /// The queue is closed and empty.
        case end
    }

    private let limit: Limit
    private var waiting: [Item] = []
    private var waitingBytes = 0
    private var waitingActions = 0
    private var inHand = (items: 0, bytes: 0, actions: 0)
    /// The number of actions that were added, and of those that are processed.
    private(set) var addedActions = 0
    private(set) var doneActions = 0
    /// The number of commands that were added, and of those that are processed.
    private(set) var added = 0
    private(set) var done = 0
    private(set) var isEnded = false
    /// The number of the last command to write without waiting for more.
    private var urgent = 0
    private var hasLingered = false
    private var isDozing = false
    /// The idle ticks that are left before the writer sleeps.
    private var idleTicksLeft = 0

    /// Idle ticks before the writer sleeps.
    private static var idleTicks: Int { 40 }

    init(limit: Limit) { self.limit = limit }

    /// Whether there is room for one more command. An empty queue accepts any command.
    var hasRoom: Bool {
        let items = waiting.count + inHand.items
        return items == 0 || (items < limit.items && waitingBytes + inHand.bytes < limit.bytes)
    }

    /// Whether there would be room for one more command with twice the limits.
    var hasRoomForTwice: Bool {
        waiting.count + inHand.items - limit.items < limit.items
            && waitingBytes + inHand.bytes - limit.bytes < limit.bytes
    }

    /// How full the queue is.
    enum Fullness: Int { case low, middle, full }

    var fullness: Fullness {
        if !hasRoom { return .full }
        let items = waiting.count + inHand.items
        let isLow = items == 0 || (items <= limit.items / 4 && waitingBytes + inHand.bytes <= limit.bytes / 4)
        return isLow ? .low : .middle
    }

    /// Whether nothing waits to be written and the end was not asked for.
    var hasTime: Bool { waiting.isEmpty && !isEnded }

    /// Adds a command.
    ///
    /// - Returns: Whether to wake the writer: it sleeps, or it waits for more and now has enough.
    mutating func add(_ item: Item, bytes: Int, actions: Int = 1) -> Bool {
        waiting.append(item)
        waitingActions += actions
        addedActions += actions
        waitingBytes += bytes
        added += 1
        return (waiting.count == 1 && !isDozing) || isPressing
    }

    /// Whether the waiting commands are enough for a batch.
    private var isPressing: Bool {
        waiting.count >= limit.items / 4 || waitingBytes >= limit.bytes / 4 || urgent > done + inHand.items || isEnded
    }

    /// Requests that all commands so far are written soon. Returns the number to wait for.
    mutating func requestFlush() -> Int {
        urgent = added
        return added
    }

    mutating func end() { isEnded = true }

    /// Notes that the writer has waited for a moment.
    mutating func linger() { hasLingered = true }

    /// Notes that the writer has slept briefly. New commands have waited for that time.
    mutating func wake() {
        isDozing = false
        idleTicksLeft -= 1
        hasLingered = !waiting.isEmpty
    }

    /// Returns what the writer does next. The writer owns the returned batch until ``finish()``.
    mutating func next() -> Task {
        if waiting.isEmpty {
            isDozing = !isEnded && idleTicksLeft > 0
            return isEnded ? .end : isDozing ? .doze : .sleep
        }
        guard hasLingered || isPressing else { return .linger }
        hasLingered = false
        idleTicksLeft = Self.idleTicks
        let batch = waiting
        inHand = (waiting.count, waitingBytes, waitingActions)
        waiting = []
        waitingBytes = 0
        waitingActions = 0
        return .write(batch)
    }

    /// Notes how many bytes of the present batch were released.
    mutating func free(_ bytes: Int) { inHand.bytes -= min(bytes, inHand.bytes) }

    mutating func finish() {
        done += inHand.items
        doneActions += inHand.actions
        inHand = (0, 0, 0)
    }
}
