import HindsightFormat
import HindsightSupport
import HindsightTree

/// Compares each keyframe with the result of the changes since the keyframe before.
///
/// The two differ if the change finder missed a change, for example in an object that is not `Encodable` or in a
/// closure, or if an `encode(to:)` writes something different each time.
///
/// **Cost.** Auditing a span costs reading both keyframes, and applying the changes between them. It uses the writer's
/// idle time. While there is work, it uses at most the part ``share`` of the writer's time. If too many spans wait, the
/// oldest is dropped, and counted in ``unaudited``.
struct SelfAudit {
    /// A place at which a keyframe and the changes before it differ.
    struct Drift {
        /// The actions with doubtful states. The state after the last one is the keyframe, which is exact.
        let actions: ClosedRange<Int>
        let path: NodePath
        /// Whether the changes contradict one another.
        let isPatchFailure: Bool
    }

    /// The changes between two keyframes.
    private struct Span {
        let base: String
        /// The steps that change something. Others are only counted: any number of them may follow a keyframe.
        var steps: [String] = []
        /// The first action, and the number of actions.
        var first = 0
        var count = 0
        var bytes: Int

        init(from base: String) {
            self.base = base
            bytes = base.utf8.count
        }

        mutating func add(_ seq: Int, _ text: String) {
            if count == 0 { first = seq }
            count += 1
            var text = text
            guard text.withUTF8({ TimedPatches.countChanges(in: $0) }) > 0 else { return }
            steps.append(text)
            bytes += text.utf8.count
        }
    }

    private struct Task {
        let span: Span
        let whole: String
        let end: Int
        var bytes: Int { span.bytes + whole.utf8.count }
    }

    /// The number of actions that were not audited, because the state is too large, there was no time, or states were
    /// left out.
    private(set) var unaudited = 0
    private var open: Span?
    private var waiting: [Task] = []
    private var waitingBytes = 0
    /// The time for writing, and for auditing while there was work, in nanoseconds.
    private var worked: Int64 = 0
    private var spent: Int64 = 0
    /// The largest keyframe to audit in bytes. Auditing takes several times that memory.
    static var maxStateBytes: Int { 16 << 20 }
    private static var maxWaitingBytes: Int { 8 << 20 }
    private static var share: Int64 { 64 }

    // MARK: Recorded changes

    /// Begins a span with a keyframe.
    mutating func begin(with whole: String) {
        breakOff()
        if whole.utf8.count <= Self.maxStateBytes { open = Span(from: whole) }
    }

    /// Adds the steps of an action, as text.
    mutating func add(_ seq: Int, _ steps: String) {
        guard open != nil else {
            unaudited += 1
            return
        }
        open?.add(seq, steps)
    }

    /// Ends the span with the keyframe after an action, and begins the next one.
    mutating func end(with whole: String, at seq: Int) {
        if let span = open.take(), span.count > 0 {
            let task = Task(span: span, whole: whole, end: seq)
            waiting.append(task)
            waitingBytes += task.bytes
            while waiting.count > 1, waitingBytes > Self.maxWaitingBytes { drop() }
        }
        begin(with: whole)
    }

    /// Ends the last span with the state at its end, and audits it at once.
    mutating func finish(with whole: String, at seq: Int) -> Drift? {
        guard let span = open.take(), span.count > 0 else { return nil }
        return Self.drift(in: Task(span: span, whole: whole, end: seq))
    }

    /// Ends the span without a keyframe, because the later states are unknown.
    mutating func breakOff() {
        unaudited += open.take()?.count ?? 0
    }

    /// Whether a keyframe at the end would be compared.
    var isOpen: Bool { open.map { $0.count > 0 } ?? false }

    /// The size of the texts that are kept, in bytes.
    var keptBytes: Int { waitingBytes + (open?.bytes ?? 0) }

    /// Counts actions that were not audited.
    mutating func giveUp() {
        breakOff()
        while !waiting.isEmpty { drop() }
    }

    /// How long closing a recording may audit, in nanoseconds.
    var closingTime: Int64 { max(30_000_000, worked / Self.share) }

    private mutating func drop() {
        let task = waiting.removeFirst()
        waitingBytes -= task.bytes
        unaudited += task.span.count
    }

    // MARK: Auditing

    /// Counts time for writing.
    mutating func noteWork(_ nanoseconds: Int64) { worked += nanoseconds }

    /// Audits waiting spans while there is time.
    ///
    /// - Parameter hasTime: Whether the writer is idle.
    /// - Returns: The findings.
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
        func drift(at path: NodePath?, isPatchFailure: Bool) -> Drift {
            let actions = min(task.span.first, task.end)...task.end
            return Drift(actions: actions, path: path ?? NodePath(), isPatchFailure: isPatchFailure)
        }
        do {
            var node = try Node(json: task.span.base)
            for text in task.span.steps {
                var text = text
                let entries = try text.withUTF8 { try TimedPatches.read($0) }
                for entry in entries { try entry.patch.apply(to: &node) }
            }
            if node.json.hasSameScalars(as: task.whole) { return nil }
            let difference = Patch(from: node, to: try Node(json: task.whole))
            return drift(at: difference.operations.first?.path, isPatchFailure: false)
        } catch {
            return drift(at: (error as? TreeError)?.path, isPatchFailure: true)
        }
    }
}
