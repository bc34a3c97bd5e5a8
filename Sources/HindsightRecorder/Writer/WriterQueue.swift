import HindsightFormat

/// What is handed from the dispatching threads to the writer: who waits for what, without any thread.
struct WriterQueue<Item> {
    /// How much may be on its way at most.
    struct Limit {
        var items: Int
        var bytes: Int
    }

    /// What the writer is to do next.
    enum Task {
        /// There is nothing: sleep until something comes.
        case sleep
        /// There is nothing, but a moment ago there was: sleep for a moment, without being woken for little. Waking a
        /// thread costs whoever wakes it more than all the rest of an action.
        case doze
        /// There is little: wait a moment for more.
        case linger
        case write([Item])
        /// Nothing will come any more.
        case end
    }

    private let limit: Limit
    private var waiting: [Item] = []
    private var waitingBytes = 0
    private var waitingActions = 0
    private var inHand = (items: 0, bytes: 0, actions: 0)
    /// How many actions have come, and how many of them are done with.
    private(set) var addedActions = 0
    private(set) var doneActions = 0
    /// How many items have come, and how many of them are done with.
    private(set) var added = 0
    private(set) var done = 0
    private(set) var isEnded = false
    /// Items up to this one are to be written without waiting for more.
    private var urgent = 0
    private var hasLingered = false
    private var isDozing = false
    /// The idle ticks that are left before the writer sleeps.
    private var idleTicksLeft = 0

    /// Idle ticks before the writer sleeps.
    private static var idleTicks: Int { 40 }

    init(limit: Limit) { self.limit = limit }

    /// Whether there is room for one item more. One is always taken, however big.
    var hasRoom: Bool {
        let items = waiting.count + inHand.items
        return items == 0 || (items < limit.items && waitingBytes + inHand.bytes < limit.bytes)
    }

    /// Whether there would be room for one item more if twice as much might be on its way.
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

    var isIdle: Bool { added == done }

    /// Whether nothing waits to be written and the end was not asked for.
    var hasTime: Bool { waiting.isEmpty && !isEnded }

    /// Adds an item.
    ///
    /// - Returns: Whether the writer is to be woken: it sleeps, or it lingers and has enough now.
    mutating func add(_ item: Item, bytes: Int, actions: Int = 1) -> Bool {
        waiting.append(item)
        waitingActions += actions
        addedActions += actions
        waitingBytes += bytes
        added += 1
        return (waiting.count == 1 && !isDozing) || isPressing
    }

    /// Whether what waits is enough to be written at once.
    private var isPressing: Bool {
        waiting.count >= limit.items / 4 || waitingBytes >= limit.bytes / 4 || urgent > done + inHand.items || isEnded
    }

    /// Has all that has come so far written soon; gives the number to wait for.
    mutating func hurry() -> Int {
        urgent = added
        return added
    }

    mutating func end() { isEnded = true }

    /// Says that the writer has waited for a moment.
    mutating func linger() { hasLingered = true }

    /// Says that the writer has dozed for a moment: what has come meanwhile has waited for as long.
    mutating func wake() {
        isDozing = false
        idleTicksLeft -= 1
        hasLingered = !waiting.isEmpty
    }

    /// What the writer does next; what it is given to write is in its hand until it is ``finish()``ed.
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

    /// Notes that so many bytes of the present batch were released.
    mutating func free(_ bytes: Int) { inHand.bytes -= min(bytes, inHand.bytes) }

    mutating func finish() {
        done += inHand.items
        doneActions += inHand.actions
        inHand = (0, 0, 0)
    }
}
