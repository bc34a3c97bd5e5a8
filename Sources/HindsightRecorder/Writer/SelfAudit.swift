import HindsightFormat
import HindsightSupport
import HindsightTree

/// Compares each whole state with what the changes since the whole state before lead to.
///
/// The two differ if a state changed where the change finder does not see it, as behind a class that cannot be encoded or
/// a closure, or if an `encode(to:)` writes something else each time.
///
/// **Cost.** A span between two whole states costs reading both, and applying what changed between them. It is paid when
/// the writer has nothing else to do; while there is more to write, only up to one part in ``share`` of the writer's time.
/// What waits is limited: then the oldest span is dropped, and counted in ``unaudited``.
struct SelfAudit {
    /// A place at which a whole state and the changes before it differ.
    struct Drift {
        /// The actions after which the states are doubtful; the state after the last is the whole one, and right.
        let actions: ClosedRange<Int>
        let path: NodePath
        /// Whether the changes do not even follow from one another.
        let isMisfit: Bool
    }

    /// What leads from one whole state to the next.
    private struct Span {
        let base: String
        var steps: [(seq: Int, text: String)] = []
        var bytes: Int

        init(from base: String) {
            self.base = base
            bytes = base.utf8.count
        }
    }

    private struct Task {
        let span: Span
        let whole: String
        let end: Int
        var bytes: Int { span.bytes + whole.utf8.count }
    }

    /// The actions whose states were not audited: the state is too big, there was no time, or states were left out.
    private(set) var unaudited = 0
    private var open: Span?
    private var waiting: [Task] = []
    private var waitingBytes = 0
    /// The time spent on writing, and on auditing while there was something to write, in nanoseconds.
    private var worked: Int64 = 0
    private var spent: Int64 = 0
    /// A whole state of more bytes is not audited: it would take several times as much memory.
    static var mostStateBytes: Int { 16 << 20 }
    private static var mostWaitingBytes: Int { 8 << 20 }
    private static var share: Int64 { 64 }

    // MARK: What is written

    /// Begins a span with a whole state.
    mutating func begin(with whole: String) {
        breakOff()
        if whole.utf8.count <= Self.mostStateBytes { open = Span(from: whole) }
    }

    /// Takes what an action's reducers did, as text.
    mutating func add(_ seq: Int, _ steps: String) {
        guard open != nil else {
            unaudited += 1
            return
        }
        open?.steps.append((seq, steps))
        open?.bytes += steps.utf8.count
    }

    /// Ends the span with the whole state after an action, and begins the next.
    mutating func end(with whole: String, at seq: Int) {
        if let span = open.take(), !span.steps.isEmpty {
            let task = Task(span: span, whole: whole, end: seq)
            waiting.append(task)
            waitingBytes += task.bytes
            while waiting.count > 1, waitingBytes > Self.mostWaitingBytes { drop() }
        }
        begin(with: whole)
    }

    /// Ends the last span with the state at its end, and audits it at once.
    mutating func finish(with whole: String, at seq: Int) -> Drift? {
        guard let span = open.take(), !span.steps.isEmpty else { return nil }
        return Self.drift(in: Task(span: span, whole: whole, end: seq))
    }

    /// Ends the span without a whole state: the states after it are not known here.
    mutating func breakOff() {
        unaudited += open.take()?.steps.count ?? 0
    }

    /// Whether a whole state at the end would be compared with something.
    var isOpen: Bool { open?.steps.isEmpty == false }

    /// Counts what was not audited.
    mutating func giveUp() {
        breakOff()
        while !waiting.isEmpty { drop() }
    }

    /// How long closing a recording may audit, in nanoseconds.
    var closingTime: Int64 { max(30_000_000, worked / Self.share) }

    private mutating func drop() {
        let task = waiting.removeFirst()
        waitingBytes -= task.bytes
        unaudited += task.span.steps.count
    }

    // MARK: Auditing

    /// Counts time that was spent on writing.
    mutating func noteWork(_ nanoseconds: Int64) { worked += nanoseconds }

    /// Audits the spans that wait, as far as there is time.
    ///
    /// - Parameter hasTime: Whether there is nothing else to do.
    /// - Returns: What was found.
    mutating func run(_ hasTime: () -> Bool) -> [Drift] {
        var drifts: [Drift] = []
        while let task = waiting.first {
            let isFree = hasTime()
            guard isFree || spent * Self.share < worked else { break }
            let start = SystemClock.monotonic
            waiting.removeFirst()
            waitingBytes -= task.bytes
            if let drift = Self.drift(in: task) { drifts.append(drift) }
            if !isFree { spent += SystemClock.monotonic - start }
        }
        return drifts
    }

    private static func drift(in task: Task) -> Drift? {
        let first = task.span.steps.first?.seq ?? task.end
        func drift(at path: NodePath?, isMisfit: Bool) -> Drift {
            Drift(actions: min(first, task.end)...task.end, path: path ?? NodePath(), isMisfit: isMisfit)
        }
        do {
            var node = try Node(json: task.span.base)
            for (_, text) in task.span.steps {
                var text = text
                let entries = try text.withUTF8 { try TimedPatches.read($0) }
                for entry in entries { try entry.patch.apply(to: &node) }
            }
            if node.json.hasSameScalars(as: task.whole) { return nil }
            let difference = Patch(from: node, to: try Node(json: task.whole))
            return drift(at: difference.operations.first?.path, isMisfit: false)
        } catch {
            return drift(at: (error as? TreeError)?.path, isMisfit: true)
        }
    }
}
